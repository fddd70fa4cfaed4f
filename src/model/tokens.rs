//! The token estimate that every budget is counted in.

/// Estimates the tokens of a text: each run of ASCII counts ceil(length / 4), every other code
/// point counts 1.
///
/// # Examples
/// ```
/// assert_eq!(stratagate::model::estimate_tokens("hello"), 2);
/// assert_eq!(stratagate::model::estimate_tokens("用 npm 吧"), 1 + 2 + 1);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    let mut tokens = 0;
    let mut ascii_run = 0usize;
    for c in text.chars() {
        if c.is_ascii() {
            ascii_run += 1;
        } else {
            tokens += ascii_run.div_ceil(4) + 1;
            ascii_run = 0;
        }
    }
    tokens + ascii_run.div_ceil(4)
}
