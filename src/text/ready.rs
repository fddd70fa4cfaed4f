//! Handing finished terms to the engine.
//!
//! Our lexer makes the terms and their positions; the engine wants a tokeniser of its own kind.
//! [`Terms`] writes them into one text, in which a line feed moves to the next position and a tab
//! stays at the present one, and [`ReadyTokenizer`] reads them back. (The engine's own way,
//! pre-tokenised text, goes through JSON and costs more than the indexing itself.)

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The name under which the reader is registered.
pub(super) const READY: &str = "sg-ready";

/// Terms with positions, as one text.
#[derive(Default)]
pub(super) struct Terms {
    text: String,
    /// The position that the next line feed leads to.
    next: u32,
}

impl Terms {
    /// Adds a term; positions never go back.
    pub(super) fn push(&mut self, term: &str, position: u32) {
        debug_assert!(!term.contains(['\n', '\t']), "terms hold no white space");
        if self.next == 0 || position >= self.next {
            for _ in self.next..=position {
                self.text.push('\n');
            }
            self.next = position + 1;
        } else {
            self.text.push('\t');
        }
        self.text.push_str(term);
    }

    /// Returns the first free position.
    pub(super) fn end(&self) -> u32 {
        self.next
    }

    /// Returns the text, or `None` when there is no term.
    pub(super) fn into_text(self) -> Option<String> {
        (!self.text.is_empty()).then_some(self.text)
    }
}

/// Reads what [`Terms`] wrote.
#[derive(Clone, Default)]
pub(super) struct ReadyTokenizer;

impl Tokenizer for ReadyTokenizer {
    type TokenStream<'a> = ReadyStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> ReadyStream<'a> {
        ReadyStream { rest: text, lines: 0, token: Token::default() }
    }
}

/// The terms of one field.
pub(super) struct ReadyStream<'a> {
    rest: &'a str,
    lines: usize,
    token: Token,
}

impl TokenStream for ReadyStream<'_> {
    fn advance(&mut self) -> bool {
        let marks = self.rest.bytes().take_while(|byte| matches!(byte, b'\n' | b'\t')).count();
        let (before, rest) = self.rest.split_at(marks);
        self.lines += before.bytes().filter(|byte| *byte == b'\n').count();
        if rest.is_empty() {
            self.rest = rest;
            return false;
        }
        let end = rest.find(['\n', '\t']).unwrap_or(rest.len());
        self.token.text.clear();
        self.token.text.push_str(&rest[..end]);
        self.token.position = self.lines.saturating_sub(1);
        self.rest = &rest[end..];
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_back_with_their_positions() {
        let mut terms = Terms::default();
        for (term, position) in [("maxtoken", 0), ("max", 0), ("token", 1), ("later", 4)] {
            terms.push(term, position);
        }
        assert_eq!(terms.end(), 5);
        let text = terms.into_text().unwrap();
        let mut tokenizer = ReadyTokenizer;
        let mut stream = tokenizer.token_stream(&text);
        let mut read = Vec::new();
        while stream.advance() {
            read.push((stream.token().text.clone(), stream.token().position));
        }
        let expected = [("maxtoken", 0), ("max", 0), ("token", 1), ("later", 4)];
        assert_eq!(read, expected.map(|(term, position)| (term.to_owned(), position)));
        assert_eq!(Terms::default().into_text(), None);
    }
}
