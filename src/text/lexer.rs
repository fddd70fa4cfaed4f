//! The tokeniser: text into words, identifiers, runs of unspaced script and pictures.
//!
//! Both sides use it, documents and queries, so that what is written one way is found when asked
//! another way: NFKC, case folding, no stop words. Positions count the smallest pieces; a longer
//! form (`maxTokens` beside `max` and `tokens`) shares the position of its first piece, so that
//! phrases and distances stay sane.

use super::script::{Class, class, is_regional_indicator};
use unicode_normalization::UnicodeNormalization;

/// The tokeniser's name, kept in the index's metadata.
pub const TOKENISER: &str = "sg-mixed";
/// The tokeniser's version; a change of any token makes it a new one, and old indexes rebuild.
pub const TOKENISER_VERSION: u32 = 1;

/// Longest token, in characters. Longer runs (hashes, base64) are findable by this much of them.
const MAX_TOKEN_CHARS: usize = 128;

/// One unit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lexeme {
    /// A word or identifier: its smallest pieces, case-folded, and the longer forms they make.
    Word {
        /// The pieces in order, each at its own position.
        parts: Vec<String>,
        /// Longer forms, each with the index of its first piece and the number of its pieces.
        wholes: Vec<Whole>,
        /// The position of the first piece.
        position: u32,
    },
    /// A run of a script written without spaces.
    Run {
        /// Its characters.
        chars: Vec<char>,
        /// The position of the first bigram.
        position: u32,
    },
    /// A picture with its modifiers taken off.
    Emoji {
        /// The picture.
        text: String,
        /// Its position.
        position: u32,
    },
}

/// A longer form of a word: `maxtokens`, `store.ts`, `@scope/pkg`, `c++`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Whole {
    pub text: String,
    pub first: u32,
    pub len: u32,
}

/// Cuts a text into lexemes.
pub(super) fn lex(text: &str) -> Vec<Lexeme> {
    let chars: Vec<char> = text.nfkc().collect();
    let mut lexer = Lexer { chars: &chars, at: 0, position: 0, out: Vec::new() };
    lexer.run();
    lexer.out
}

/// Folds case; composes again because folding can leave a decomposed sequence.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect::<String>().nfkc().collect()
}

struct Lexer<'a> {
    chars: &'a [char],
    at: usize,
    position: u32,
    out: Vec<Lexeme>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            match class(c) {
                Class::Word => self.word(),
                Class::Dense => self.dense(),
                Class::Emoji => self.emoji(),
                Class::Joiner | Class::Gap => self.at += 1,
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn class_at(&self, index: usize) -> Class {
        self.chars.get(index).map_or(Class::Gap, |c| class(*c))
    }

    fn dense(&mut self) {
        let mut chars = Vec::new();
        while let Some(c) = self.peek(0) {
            match class(c) {
                Class::Dense => chars.push(c),
                // A joiner inside a run is invisible; elsewhere it ends the run.
                Class::Joiner if self.class_at(self.at + 1) == Class::Dense => {}
                _ => break,
            }
            self.at += 1;
        }
        let position = self.position;
        self.position += (chars.len().saturating_sub(1)).max(1) as u32;
        self.out.push(Lexeme::Run { chars, position });
    }

    fn emoji(&mut self) {
        let mut text = String::new();
        let mut flags = 0;
        while let Some(c) = self.peek(0) {
            if is_regional_indicator(c) && (text.is_empty() || flags == 1) {
                flags += 1;
                text.push(c);
            } else if class(c) == Class::Emoji && (text.is_empty() || self.joined_before()) {
                text.push(c);
            } else if class(c) != Class::Joiner || text.is_empty() {
                break;
            }
            self.at += 1;
            if flags == 2 {
                break;
            }
        }
        self.out.push(Lexeme::Emoji { text, position: self.position });
        self.position += 1;
    }

    fn joined_before(&self) -> bool {
        self.at > 0 && self.chars[self.at - 1] == '\u{200D}'
    }

    fn word(&mut self) {
        let start = self.at;
        while self.step_in_word() {}
        self.take_plus_or_sharp(start);
        let chunk = &self.chars[start..self.at];
        let sigil = self.sigil_before(start);
        let (parts, wholes) = pieces(chunk, sigil);
        if parts.is_empty() {
            return;
        }
        let position = self.position;
        self.position += parts.len() as u32;
        self.out.push(Lexeme::Word { parts, wholes, position });
    }

    /// Moves over the next character if it still belongs to the word that began before.
    fn step_in_word(&mut self) -> bool {
        let Some(c) = self.peek(0) else { return false };
        match class(c) {
            Class::Word | Class::Joiner => {
                self.at += 1;
                true
            }
            Class::Gap => {
                let width = self.connector_width(c);
                self.at += width;
                width > 0
            }
            Class::Dense | Class::Emoji => false,
        }
    }

    /// Returns how many characters tie the word to another one behind them; 0 when none do.
    fn connector_width(&self, c: char) -> usize {
        let word_at = |ahead: usize| self.class_at(self.at + ahead) == Class::Word;
        match (c, self.peek(1)) {
            (':', Some('/')) if self.peek(2) == Some('/') && word_at(3) => 3,
            (':', Some(':')) | ('/', Some('.' | '@' | '_' | '-')) if word_at(2) => 2,
            (',', _) => usize::from(self.groups_thousands()),
            _ if is_connector(c) && word_at(1) => 1,
            _ => 0,
        }
    }

    /// `1,000` is one number.
    fn groups_thousands(&self) -> bool {
        let digit = |index: usize| self.chars.get(index).is_some_and(char::is_ascii_digit);
        self.at > 0
            && digit(self.at - 1)
            && (1..=3).all(|ahead| digit(self.at + ahead))
            && !digit(self.at + 4)
    }

    /// `c++`, `g++`, `c#`, `f#`.
    fn take_plus_or_sharp(&mut self, start: usize) {
        let free_after = |width: usize| self.class_at(self.at + width) != Class::Word;
        if self.peek(0) == Some('+') && self.peek(1) == Some('+') && free_after(2) {
            self.at += 2;
        } else if self.peek(0) == Some('#') && self.at == start + 1 && free_after(1) {
            self.at += 1;
        }
    }

    /// A sign that belongs to the name behind it: `@scope/pkg`, `.env`, `#123`.
    fn sigil_before(&self, start: usize) -> Option<char> {
        let sigil = *self.chars.get(start.checked_sub(1)?)?;
        let opens = start == 1 || self.class_at(start - 2) == Class::Gap;
        (matches!(sigil, '@' | '.' | '#')
            && opens
            && self.chars.get(start.wrapping_sub(2)) != Some(&sigil))
        .then_some(sigil)
    }
}

fn is_connector(c: char) -> bool {
    matches!(
        c,
        '_' | '-'
            | '.'
            | '/'
            | '\\'
            | ':'
            | '@'
            | '#'
            | '&'
            | '\''
            | '\u{2019}'
            | '~'
            | '='
            | '?'
            | '%'
            | '+'
            | '$'
    ) || matches!(c, '\u{2010}'..='\u{2012}')
}

/// Signs that part the segments of a path, URL or assignment.
fn parts_segments(c: char) -> bool {
    matches!(c, '/' | '\\' | ':' | '@' | '#' | '&' | '~' | '=' | '?' | '%' | '+' | '$')
}

/// Cuts one chunk into its pieces and the longer forms.
fn pieces(chunk: &[char], sigil: Option<char>) -> (Vec<String>, Vec<Whole>) {
    let mut parts = Vec::new();
    let mut wholes: Vec<Whole> = Vec::new();
    for segment in chunk.split(|c| parts_segments(*c)) {
        let first = parts.len();
        segment_pieces(segment, &mut parts);
        let len = parts.len() - first;
        if len > 1 && !is_negation(segment) {
            add_whole(&mut wholes, segment_whole(segment), first, len);
        }
    }
    let has_signs = chunk.iter().any(|c| parts_segments(*c));
    if (has_signs || sigil.is_some()) && !parts.is_empty() {
        let whole = sigil.into_iter().chain(chunk.iter().copied()).collect::<String>();
        add_whole(&mut wholes, fold(&whole), 0, parts.len());
    }
    wholes.retain(|whole| whole.len > 1 || parts[whole.first as usize] != whole.text);
    (parts, wholes)
}

/// `didn't` is two words and no name.
fn is_negation(segment: &[char]) -> bool {
    matches!(segment, [.., 'n' | 'N', apostrophe, 't' | 'T'] if is_apostrophe(*apostrophe))
}

fn add_whole(wholes: &mut Vec<Whole>, text: String, first: usize, len: usize) {
    let text = cut(text);
    if !text.is_empty() && wholes.iter().all(|whole| whole.text != text) {
        wholes.push(Whole { text, first: first as u32, len: len as u32 });
    }
}

/// The one spelling of an identifier: `max_tokens`, `max-tokens` and `maxTokens` meet, while dates,
/// numbers and dots keep their signs.
fn segment_whole(segment: &[char]) -> String {
    let has_letters = segment.iter().any(|c| c.is_alphabetic());
    let joined: String = segment
        .iter()
        .filter(|c| !has_letters || class(**c) != Class::Gap || **c == '.')
        .map(|c| if matches!(c, '\u{2010}'..='\u{2012}') { '-' } else { *c })
        .collect();
    fold(&joined)
}

/// Splits a segment at hyphens, underscores and dots, then at changes of case.
fn segment_pieces(segment: &[char], parts: &mut Vec<String>) {
    for piece in segment.split(|c| class(*c) == Class::Gap && !is_apostrophe(*c) && *c != ',') {
        for word in split_case(piece) {
            apostrophe_pieces(&word, parts);
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// `Melanie's` is Melanie, `didn't` is did and not, `O'Brien` is o and brien.
fn apostrophe_pieces(word: &[char], parts: &mut Vec<String>) {
    let text: String = word.iter().filter(|c| **c != ',').collect();
    let folded = fold(&text).replace('\u{2019}', "'");
    if !folded.contains('\'') {
        push_part(parts, folded);
        return;
    }
    if let Some(base) = folded.strip_suffix("n't") {
        let base = match base {
            "ca" => "can",
            "wo" => "will",
            "sha" => "shall",
            other => other,
        };
        push_part(parts, base.to_owned());
        push_part(parts, "not".to_owned());
        return;
    }
    let mut pieces: Vec<&str> = folded.split('\'').collect();
    if pieces.len() > 1 && matches!(pieces.last(), Some(&("s" | "m" | "re" | "ve" | "ll" | "d"))) {
        pieces.pop();
    }
    for piece in pieces {
        push_part(parts, piece.to_owned());
    }
}

fn push_part(parts: &mut Vec<String>, text: String) {
    // Joiners that stand alone (a lone combining mark) make no word.
    if text.chars().any(|c| class(c) == Class::Word) {
        parts.push(cut(text));
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MAX_TOKEN_CHARS) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

/// Splits `maxTokens`, `HTTPServer` and `GitHub` where the case changes.
fn split_case(piece: &[char]) -> Vec<Vec<char>> {
    let mut words = Vec::new();
    let mut start = 0;
    for at in 1..piece.len() {
        let (before, here) = (piece[at - 1], piece[at]);
        let rises = here.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit());
        let ends_acronym = here.is_uppercase()
            && before.is_uppercase()
            && piece.get(at + 1).is_some_and(|next| next.is_lowercase())
            // The plural of an acronym: `APIs`, `PDFs`.
            && !(piece[at + 1] == 's' && piece.len() == at + 2);
        if rises || ends_acronym {
            words.push(piece[start..at].to_vec());
            start = at;
        }
    }
    words.push(piece[start..].to_vec());
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        for lexeme in lex(text) {
            match lexeme {
                Lexeme::Word { parts, wholes, .. } => {
                    out.extend(parts);
                    out.extend(wholes.into_iter().map(|whole| format!("={}", whole.text)));
                }
                Lexeme::Run { chars, .. } => out.push(chars.into_iter().collect()),
                Lexeme::Emoji { text, .. } => out.push(text),
            }
        }
        out
    }

    #[test]
    fn identifiers_are_split_and_kept_whole() {
        assert_eq!(flat("maxTokens"), ["max", "tokens", "=maxtokens"]);
        assert_eq!(flat("max_tokens"), ["max", "tokens", "=maxtokens"]);
        assert_eq!(flat("max-tokens"), ["max", "tokens", "=maxtokens"]);
        assert_eq!(flat("store.ts"), ["store", "ts", "=store.ts"]);
        assert_eq!(flat("@scope/pkg"), ["scope", "pkg", "=@scope/pkg"]);
        assert_eq!(
            flat("src/text/mod.rs"),
            ["src", "text", "mod", "rs", "=mod.rs", "=src/text/mod.rs"]
        );
        assert_eq!(flat("HTTPServer APIs"), ["http", "server", "=httpserver", "apis"]);
        assert_eq!(flat("c++ and c#."), ["c", "=c++", "and", "c", "=c#"]);
        assert_eq!(
            flat("a .env file, issue #123."),
            ["a", "env", "=.env", "file", "issue", "123", "=#123"]
        );
    }

    #[test]
    fn dates_numbers_and_urls_are_whole_and_in_parts() {
        assert_eq!(flat("2026-12-15"), ["2026", "12", "15", "=2026-12-15"]);
        assert_eq!(flat("1,000 and 3.14"), ["1000", "and", "3", "14", "=3.14"]);
        assert_eq!(flat("https://x.org"), ["https", "x", "org", "=x.org", "=https://x.org"]);
        assert_eq!(flat("usb-c adapter\"\""), ["usb", "c", "=usbc", "adapter"]);
    }

    #[test]
    fn contractions_keep_their_words() {
        assert_eq!(flat("Melanie's"), ["melanie"]);
        assert_eq!(flat("didn’t can't"), ["did", "not", "can", "not"]);
        assert_eq!(flat("O'Brien"), ["o", "brien", "=obrien"]);
    }

    #[test]
    fn unspaced_scripts_stand_apart_from_words() {
        assert_eq!(flat("GitHub备份脚本"), ["git", "hub", "=github", "备份脚本"]);
        assert_eq!(flat("끝말잇기 しりとり"), ["끝말잇기", "しりとり"]);
        assert_eq!(flat("ＡＢＣ ﾃｽﾄ"), ["abc", "テスト"]);
    }

    #[test]
    fn pictures_are_single_tokens() {
        assert_eq!(flat("東京🎌"), ["東京", "🎌"]);
        assert_eq!(flat("👨\u{200D}👩\u{200D}👧"), ["👨👩👧"]);
        assert_eq!(flat("👍🏽👍"), ["👍", "👍"]);
        assert_eq!(flat("🇫🇷🇯🇵"), ["🇫🇷", "🇯🇵"]);
        assert_eq!(flat("❤\u{FE0F}"), ["❤"]);
        assert_eq!(flat(" \u{200D}\u{FE0F} >>> "), Vec::<String>::new());
    }

    #[test]
    fn positions_follow_the_pieces() {
        let positions: Vec<u32> = lex("maxTokens in 成语接龙 here")
            .into_iter()
            .map(|lexeme| match lexeme {
                Lexeme::Word { position, .. }
                | Lexeme::Run { position, .. }
                | Lexeme::Emoji { position, .. } => position,
            })
            .collect();
        assert_eq!(positions, [0, 2, 3, 6]);
    }

    proptest! {
        #[test]
        fn any_text_gives_short_non_empty_tokens(text in "\\PC{0,80}|[a-zA-Z+#@./:'_ -]{0,60}|[\u{1F1E6}-\u{1F3FF}\u{200D}\u{FE0F}東a]{0,20}") {
            for token in flat(&text) {
                prop_assert!(!token.is_empty() && token != "=");
                prop_assert!(token.chars().count() <= 20_000);
            }
        }

        #[test]
        fn a_token_of_a_word_lexes_to_itself(word in "[a-z]{1,12}") {
            prop_assert_eq!(flat(&word), [word]);
        }
    }
}
