//! What people and programs read: JSON, tables, wrapped text, progress.

use std::io::{IsTerminal, Write};

/// Adds formatted text to a string.
macro_rules! add {
    ($text:expr, $($format:tt)+) => {{
        use std::fmt::Write as _;
        // Writing to a string cannot fail.
        let _ = write!($text, $($format)+);
    }};
}
pub(crate) use add;

/// Prints JSON, indented.
pub fn json(value: &serde_json::Value) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write(text.as_bytes())
}

/// Prints text, ending with a line end.
pub fn text(text: &str) -> anyhow::Result<()> {
    let text = text.trim_end_matches('\n');
    write(format!("{text}\n").as_bytes())
}

/// Prints bytes as they are.
pub fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Shows progress in place on stderr when a person looks on, and nothing else.
pub struct Progress {
    shown: bool,
}

impl Progress {
    /// Starts without showing anything.
    pub fn new() -> Self {
        Self { shown: false }
    }

    /// Replaces what is shown.
    pub fn show(&mut self, text: &str) {
        let mut err = std::io::stderr();
        if err.is_terminal() {
            self.shown = true;
            // Progress that cannot be shown is no reason to stop.
            let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// Lays rows out in columns under a header. The last column is as wide as it likes.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let columns = header.len();
    let mut widths: Vec<usize> = header.iter().map(|cell| width(cell)).collect();
    for row in rows {
        for (column, cell) in row.iter().enumerate().take(columns) {
            widths[column] = widths[column].max(width(cell));
        }
    }
    let mut out = String::new();
    let head: Vec<String> = header.iter().map(ToString::to_string).collect();
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate().take(columns) {
            line.push_str(cell);
            if column + 1 < columns {
                line.push_str(&" ".repeat(widths[column].saturating_sub(width(cell)) + 2));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Columns a text takes on a terminal: wide East Asian characters take two.
fn width(text: &str) -> usize {
    text.chars()
        .map(|c| match u32::from(c) {
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60
            | 0xffe0..=0xffe6
            | 0x1f300..=0x1faff
            | 0x20000..=0x3fffd => 2,
            _ => 1,
        })
        .sum()
}

/// Shortens to one line of at most so many characters.
pub fn line(text: &str, at_most: usize) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    let flat = flat.join(" ");
    if flat.chars().count() <= at_most {
        return flat;
    }
    let head: String = flat.chars().take(at_most.saturating_sub(1)).collect();
    format!("{head}…")
}

/// Shifts every line to the right.
pub fn indent(text: &str, by: usize) -> String {
    let space = " ".repeat(by);
    let lines: Vec<String> = text
        .lines()
        .map(|line| if line.is_empty() { String::new() } else { format!("{space}{line}") })
        .collect();
    lines.join("\n")
}

/// Shows an instant as short as it can be: the date alone at midnight, no seconds where zero.
pub fn when(at: &str) -> String {
    let Some((day, time)) = at.trim_end_matches('Z').split_once('T') else {
        return at.to_owned();
    };
    match time {
        "00:00:00" => day.to_owned(),
        time => format!("{day} {}", time.get(..5).unwrap_or(time)),
    }
}

/// Shows a half-open interval.
pub fn interval(from: Option<&str>, to: Option<&str>) -> String {
    match (from, to) {
        (None, None) => "start unknown".to_owned(),
        (Some(from), None) => format!("since {}", when(from)),
        (None, Some(to)) => format!("start unknown, until {}", when(to)),
        (Some(from), Some(to)) => format!("{} to {}", when(from), when(to)),
    }
}

/// Counts things in words.
pub fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_also_with_wide_characters() {
        let rows =
            vec![vec!["a".to_owned(), "1".to_owned()], vec!["演示".to_owned(), "2".to_owned()]];
        assert_eq!(table(&["name", "n"], &rows), "name  n\na     1\n演示  2\n");
    }

    #[test]
    fn times_are_as_short_as_they_can_be() {
        assert_eq!(when("2026-05-06T00:00:00Z"), "2026-05-06");
        assert_eq!(when("2026-05-06T01:30:00Z"), "2026-05-06 01:30");
        assert_eq!(interval(Some("2026-05-06T00:00:00Z"), None), "since 2026-05-06");
        assert_eq!(interval(None, None), "start unknown");
    }

    #[test]
    fn long_texts_become_one_line() {
        assert_eq!(line("a\n b  c", 10), "a b c");
        assert_eq!(line("abcdef", 4), "abc…");
    }
}
