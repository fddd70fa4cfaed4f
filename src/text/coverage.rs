//! How much of a question some texts hold.

use super::dates::find_dates;
use super::error::TextError;
use super::index::TextIndex;
use super::lexer::{Lexeme, fold, lex};
use super::query::{Question, Role, read_question};
use super::rank::Ranking;
use super::schema::{Part, grams};
use super::stem::stem;
use std::collections::HashSet;
use unicode_normalization::UnicodeNormalization;

/// How much of a question some texts hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Coverage {
    /// The share of the content words found, weighed by rarity; 1 when there is none to find.
    pub share: f32,
    /// The content words found, as asked.
    pub found: Vec<String>,
    /// The content words that no text holds.
    pub missing: Vec<String>,
}

impl TextIndex {
    /// Says how much of a question's content the given texts hold, all taken together. Put the
    /// speaker and the date among the texts where they count.
    ///
    /// # Errors
    /// Fails when the index, whose word statistics set the rarities, cannot be read.
    pub fn query_coverage(&self, query: &str, texts: &[&str]) -> Result<Coverage, TextError> {
        let (searcher, _) = self.snapshot()?;
        let question = read_question(query, &searcher, &self.fields, self.ranking())?;
        let held: HashSet<(Part, String)> = texts.iter().flat_map(|text| terms_of(text)).collect();
        let mut own = 0;
        for unit in question.units.iter().filter(|unit| unit.credit > 0) {
            let is_held = unit.lookups.iter().any(|(part, term)| {
                // Texts have no fields: what is not an exact form or a date key is a stem.
                let part = match part {
                    Part::Exact | Part::Date => *part,
                    _ => Part::Body,
                };
                held.contains(&(part, term.clone()))
            });
            own |= if is_held { unit.credit } else { 0 };
        }
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for unit in question.units.iter().filter(|unit| unit.role != Role::Whole) {
            if unit.credit & own != 0 {
                found.push(unit.label.as_str());
            } else if unit.credit != 0 {
                missing.push(unit.label.as_str());
            }
        }
        Ok(Coverage {
            share: question.share_of(own),
            found: as_asked(query, &found),
            missing: as_asked(query, &missing),
        })
    }
}

/// Says looked-up terms in the words of the question: not a word's stem but the word, and not the
/// pairs of characters of an unspaced script but the run they make.
fn as_asked(query: &str, terms: &[&str]) -> Vec<String> {
    let mut left: Vec<&str> = terms.to_vec();
    let mut take = |term: &str| {
        let before = left.len();
        left.retain(|one| *one != term);
        left.len() < before
    };
    let mut words = Vec::new();
    for lexeme in lex(query) {
        match lexeme {
            Lexeme::Word { parts, .. } => {
                for part in parts {
                    let (by_stem, exact) = (take(&stem(&part)), take(&part));
                    words.extend((by_stem || exact).then_some(part));
                }
            }
            Lexeme::Run { chars, .. } => {
                let mut end = 0;
                for (at, gram) in grams(&chars).into_iter().enumerate() {
                    if !take(&gram) {
                        continue;
                    }
                    let upto = (at + gram.chars().count()).min(chars.len());
                    let new = chars[at.max(end).min(upto)..upto].iter();
                    match words.last_mut() {
                        Some(run) if at < end => run.extend(new),
                        _ => words.push(chars[at..upto].iter().collect()),
                    }
                    end = upto;
                }
            }
            Lexeme::Emoji { text, .. } => words.extend(take(&text).then_some(text)),
        }
    }
    // A date is no single word.
    words.extend(left.into_iter().map(str::to_owned));
    words
}

/// The terms a text would be indexed under.
fn terms_of(text: &str) -> Vec<(Part, String)> {
    let mut terms = Vec::new();
    for lexeme in lex(text) {
        match lexeme {
            Lexeme::Word { parts, wholes, .. } => {
                terms.extend(parts.iter().map(|part| (Part::Body, stem(part))));
                terms.extend(parts.into_iter().map(|part| (Part::Exact, part)));
                terms.extend(wholes.into_iter().map(|whole| (Part::Body, stem(&whole.text))));
            }
            Lexeme::Run { chars, .. } => {
                terms.extend(grams(&chars).into_iter().map(|gram| (Part::Body, gram)));
                terms.extend(chars.iter().map(|c| (Part::Exact, fold(&c.to_string()))));
            }
            Lexeme::Emoji { text, .. } => terms.push((Part::Body, text)),
        }
    }
    let normal: String = text.nfkc().collect();
    for (_, key) in find_dates(&normal) {
        terms.extend(key.implied().into_iter().map(|key| (Part::Date, key.term())));
    }
    terms
}

impl Question {
    /// Returns the idf-weighted share of the content bits.
    pub(super) fn share_of(&self, bits: u64) -> f32 {
        let total: f32 = self.bit_idf.iter().sum();
        if total <= 0.0 { 1.0 } else { self.weight_of(bits) / total }
    }

    /// Decides whether a document holds enough of what the question is about.
    pub(super) fn is_hit(&self, own: u64, beside: u64, ranking: &Ranking) -> bool {
        let total: f32 = self.bit_idf.iter().sum();
        if own & self.days != 0 {
            return true;
        }
        let held = self.weight_of(own) + ranking.context_credit * self.weight_of(beside & !own);
        held >= self.least_share(ranking) * total
    }

    /// Returns the share of the content that a hit must hold.
    fn least_share(&self, ranking: &Ranking) -> f32 {
        let mostly = ((self.share_of(self.unknown) - ranking.unknown_from) / 0.15).clamp(0.0, 1.0);
        ranking.min_coverage + ranking.unknown_rise * mostly
    }

    /// Returns the content bits of which a document must hold at least one to be a hit: all but the
    /// most common ones that stay below the least coverage even together.
    pub(super) fn match_makers(&self, ranking: &Ranking) -> u64 {
        let mut bits: Vec<usize> = (0..self.bit_idf.len()).collect();
        bits.sort_by(|a, b| self.bit_idf[*a].total_cmp(&self.bit_idf[*b]));
        let least = self.least_share(ranking) * self.bit_idf.iter().sum::<f32>();
        let mut makers = self.days;
        let mut held = 0.0;
        for bit in bits {
            held += self.bit_idf[bit];
            // A hair of room, because sums in another order round differently.
            if held >= least * 0.999 {
                makers |= 1 << bit;
            }
        }
        makers
    }

    fn weight_of(&self, mut bits: u64) -> f32 {
        let mut weight = 0.0;
        while bits != 0 {
            weight += self.bit_idf.get(bits.trailing_zeros() as usize).copied().unwrap_or(0.0);
            bits &= bits - 1;
        }
        weight
    }
}
