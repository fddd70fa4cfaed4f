//! Paragraphs: what blank lines and code fences cut a message into, and which of them are code.

/// A paragraph and what separates it from the one before.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Paragraph<'a> {
    /// The white space before it, as it stands.
    pub(super) gap: &'a str,
    /// The text, without its last line break.
    pub(super) text: &'a str,
}

/// Cuts a text at blank lines and around fenced code; a fence keeps its blank lines.
pub(super) fn paragraphs(text: &str) -> Vec<Paragraph<'_>> {
    let mut cutter = Cutter { text, start: None, gap_start: 0, paragraphs: Vec::new() };
    let mut fence: Option<&str> = None;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        match (fence, fence_mark(line)) {
            (Some(open), Some(mark)) if closes(line, open, mark) => {
                cutter.finish(line_start + line.len());
                fence = None;
            }
            (Some(_), _) => {}
            (None, Some(mark)) => {
                cutter.finish(line_start);
                cutter.start = Some(line_start);
                fence = Some(mark);
            }
            (None, None) if line.trim().is_empty() => cutter.finish(line_start),
            (None, None) => {
                cutter.start.get_or_insert(line_start);
            }
        }
        line_start += line.len();
    }
    cutter.finish(text.len());
    cutter.paragraphs
}

struct Cutter<'a> {
    text: &'a str,
    start: Option<usize>,
    gap_start: usize,
    paragraphs: Vec<Paragraph<'a>>,
}

impl Cutter<'_> {
    fn finish(&mut self, end: usize) {
        if let Some(start) = self.start.take() {
            let text = self.text[start..end].trim_end_matches(['\n', '\r']);
            self.paragraphs.push(Paragraph { gap: &self.text[self.gap_start..start], text });
            self.gap_start = start + text.len();
        }
    }
}

/// Returns the run of backticks or tildes that makes a line a fence.
fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim();
    ['`', '~'].into_iter().find_map(|c| {
        let mark = &line[..line.len() - line.trim_start_matches(c).len()];
        // A fence of backticks has none behind it; else it is inline code.
        (mark.len() >= 3 && !line[mark.len()..].contains('`')).then_some(mark)
    })
}

fn closes(line: &str, open: &str, mark: &str) -> bool {
    mark.starts_with(open) && line.trim().len() == mark.len()
}

/// Tells whether a paragraph is code: fenced, indented throughout, JSON, or at least half of its
/// lines built like statements.
pub(super) fn is_code_like(paragraph: &str) -> bool {
    let mut lines = 0;
    let mut indented = 0;
    let mut code = 0;
    for line in paragraph.lines().filter(|line| !line.trim().is_empty()) {
        if lines == 0 && fence_mark(line).is_some() {
            return true;
        }
        lines += 1;
        indented += usize::from(line.starts_with("    ") || line.starts_with('\t'));
        code += usize::from(is_code_line(line.trim()));
    }
    // A lone indented line is as often a wrapped sentence as it is code.
    lines > 0 && ((lines > 1 && indented == lines) || 2 * code >= lines || is_json(paragraph))
}

fn is_json(paragraph: &str) -> bool {
    let text = paragraph.trim();
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn is_code_line(line: &str) -> bool {
    const ENDS: [&str; 8] = ["{", "}", "};", "},", ");", "=>", "({", "})"];
    const STARTS: [&str; 24] = [
        "#include ",
        "#!/",
        "$ ",
        ">>> ",
        "@@ ",
        "SELECT ",
        "INSERT INTO ",
        "UPDATE ",
        "CREATE TABLE ",
        "ALTER TABLE ",
        "DROP TABLE ",
        "pub fn ",
        "fn ",
        "def ",
        "function ",
        "async fn ",
        "async function ",
        "export ",
        "const ",
        "impl ",
        "struct ",
        "</",
        "<?xml",
        "</div",
    ];
    if ENDS.iter().any(|end| line.ends_with(end)) {
        return true;
    }
    let has_symbols = line.contains(['(', ')', '{', '}', '=', '<', '[', ':', ';', '*', ',']);
    if line.ends_with(';') && line.contains(['(', '=', '.', ' ', '"', '\'']) {
        return true;
    }
    (STARTS.iter().any(|start| line.starts_with(start)) && has_symbols) || is_assignment(line)
}

/// Tells whether a line assigns: `name = …`, with an optional `let`, `var`, `const` or `export`.
fn is_assignment(line: &str) -> bool {
    let line = ["let ", "var ", "const ", "export "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let Some((name, value)) = line.split_once('=') else { return false };
    let name = name.trim_end();
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '$'));
    is_name && !value.trim().is_empty() && !value.starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_gaps_add_up_to_the_text() {
        let text = "a\nb\n \n\nc\n```\nx\n\ny\n```\nd";
        let cut = paragraphs(text);
        let texts: Vec<&str> = cut.iter().map(|p| p.text).collect();
        assert_eq!(texts, ["a\nb", "c", "```\nx\n\ny\n```", "d"]);
        let whole: String = cut.iter().flat_map(|p| [p.gap, p.text]).collect();
        assert_eq!(whole, text);
    }

    #[test]
    fn an_open_fence_runs_to_the_end() {
        let texts: Vec<&str> = paragraphs("~~~~\nx\n~~~\n\nok").iter().map(|p| p.text).collect();
        assert_eq!(texts, ["~~~~\nx\n~~~\n\nok"]);
    }

    #[test]
    fn code_is_told_from_prose() {
        for code in [
            "```\nok\n```",
            "    a b\n    c d",
            "let x = 1;",
            "fn main() {\n    run();\n}",
            "[1, 2]",
            "PORT=7437",
            "$ pnpm install --frozen-lockfile=true",
            "SELECT name, city FROM people",
        ] {
            assert!(is_code_like(code), "{code}");
        }
        for prose in [
            "Let's switch to pnpm, CI installs take 6 minutes.",
            "ok;",
            "    ok",
            "Call retry() twice (as before).",
            "A ```fence``` inside a sentence",
            "Two reasons: speed, and size.\nBoth count.",
            "[x] done",
        ] {
            assert!(!is_code_like(prose), "{prose}");
        }
    }
}
