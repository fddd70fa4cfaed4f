//! The fields of the index, and a document as their terms.

use super::cues;
use super::dates::find_dates;
use super::doc::Doc;
use super::lexer::{Lexeme, fold, lex};
use super::ready::{READY, Terms};
use super::stem::stem;
use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use unicode_normalization::UnicodeNormalization;

/// The version of the fields and of what is put into them; a change makes old indexes rebuild.
pub const SCHEMA_VERSION: u32 = 2;

/// A searched field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The title.
    Title,
    /// The text itself, by stems.
    Body,
    /// Title, text and tags by exact form, and single characters of unspaced scripts.
    Exact,
    /// Tags.
    Tags,
    /// Names of entities.
    Names,
    /// The speaker's name.
    Speaker,
    /// The day in words and keys, and the days the text speaks of.
    Date,
    /// The words right beside it.
    Context,
    /// The words further around it.
    Around,
}

impl Part {
    /// All searched fields.
    pub const ALL: [Self; 9] = [
        Self::Title,
        Self::Body,
        Self::Exact,
        Self::Tags,
        Self::Names,
        Self::Speaker,
        Self::Date,
        Self::Context,
        Self::Around,
    ];

    /// Returns the field's name.
    pub fn as_str(self) -> &'static str {
        ["title", "body", "exact", "tags", "names", "speaker", "date", "context", "around"]
            [self as usize]
    }
}

/// Handles of all fields.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub parts: [Field; 9],
    pub key: Field,
    pub id: Field,
    pub thread: Field,
    pub kind: Field,
    pub status: Field,
    pub entity: Field,
    pub at: Field,
    pub cues: Field,
    pub schema: Schema,
}

impl Fields {
    pub(super) fn part(&self, part: Part) -> Field {
        self.parts[part as usize]
    }
}

/// Builds the schema.
pub(super) fn fields() -> Fields {
    let mut builder = Schema::builder();
    let parts = Part::ALL.map(|part| {
        let record = match part {
            Part::Body => IndexRecordOption::WithFreqsAndPositions,
            Part::Speaker | Part::Date => IndexRecordOption::Basic,
            _ => IndexRecordOption::WithFreqs,
        };
        let indexing = TextFieldIndexing::default().set_tokenizer(READY).set_index_option(record);
        builder.add_text_field(part.as_str(), TextOptions::default().set_indexing_options(indexing))
    });
    let key = builder.add_text_field("key", STRING);
    let id = builder.add_text_field("id", STORED);
    let thread = builder.add_text_field("thread", STRING | STORED);
    let kind = builder.add_u64_field("kind", FAST | STORED);
    let status = builder.add_text_field("status", STRING);
    let entity = builder.add_text_field("entity", STRING);
    let at = builder.add_i64_field("at", FAST);
    let cues = builder.add_u64_field("cues", FAST);
    let schema = builder.build();
    Fields { parts, key, id, thread, kind, status, entity, at, cues, schema }
}

/// Adds the stems, longer forms, bigrams and pictures of a text.
fn add_stems(terms: &mut Terms, lexemes: &[Lexeme]) {
    for lexeme in lexemes {
        match lexeme {
            Lexeme::Word { parts, wholes, position } => {
                for (index, part) in parts.iter().enumerate() {
                    let at = position + index as u32;
                    for whole in wholes.iter().filter(|whole| whole.first as usize == index) {
                        terms.push(&stem(&whole.text), at);
                    }
                    terms.push(&stem(part), at);
                }
            }
            Lexeme::Run { chars, position } => {
                for (index, gram) in grams(chars).into_iter().enumerate() {
                    terms.push(&gram, position + index as u32);
                }
            }
            Lexeme::Emoji { text, position } => terms.push(text, *position),
        }
    }
}

/// Adds the unstemmed words and the single characters of unspaced scripts.
fn add_exact(terms: &mut Terms, lexemes: &[Lexeme]) {
    let mut at = terms.end();
    for lexeme in lexemes {
        match lexeme {
            Lexeme::Word { parts, .. } => {
                for part in parts {
                    terms.push(part, at);
                    at += 1;
                }
            }
            Lexeme::Run { chars, .. } => {
                for c in chars {
                    terms.push(&fold(&c.to_string()), at);
                    at += 1;
                }
            }
            Lexeme::Emoji { .. } => {}
        }
    }
}

/// Overlapping pairs; a run of one character stands alone.
pub(super) fn grams(chars: &[char]) -> Vec<String> {
    if chars.len() == 1 {
        return vec![chars.iter().collect()];
    }
    chars.windows(2).map(|pair| pair.iter().collect()).collect()
}

/// Turns a document into the engine's form.
pub(super) fn to_engine(fields: &Fields, doc: &Doc) -> TantivyDocument {
    let mut out = TantivyDocument::new();
    let mut add = |part: Part, terms: Terms| {
        if let Some(text) = terms.into_text() {
            out.add_text(fields.part(part), text);
        }
    };
    let stems_of = |text: &str| {
        let mut terms = Terms::default();
        add_stems(&mut terms, &lex(text));
        terms
    };
    let (title, body, tags) = (lex(&doc.title), lex(&doc.body), lex(&doc.tags.join("\n")));
    let mut exact = Terms::default();
    for lexemes in [&title, &body, &tags] {
        add_exact(&mut exact, lexemes);
    }
    let mut body_stems = Terms::default();
    add_stems(&mut body_stems, &body);
    let (dates, speaks_of_a_date) = date_terms(doc);
    add(Part::Title, stems_of(&doc.title));
    add(Part::Body, body_stems);
    add(Part::Exact, exact);
    add(Part::Tags, stems_of(&doc.tags.join("\n")));
    add(Part::Names, stems_of(&doc.names.join("\n")));
    add(Part::Speaker, stems_of(&doc.speaker));
    add(Part::Date, dates);
    add(Part::Context, stems_of(&doc.context));
    add(Part::Around, stems_of(&doc.around));

    out.add_text(fields.key, doc.key.term());
    out.add_text(fields.id, &doc.key.id);
    out.add_text(fields.thread, &doc.key.thread);
    out.add_u64(fields.kind, doc.key.kind.code());
    out.add_text(fields.status, &doc.status);
    for entity in &doc.entities {
        out.add_text(fields.entity, entity);
    }
    out.add_i64(fields.at, doc.at.timestamp_micros());
    out.add_u64(fields.cues, cues::of_text(&doc.body, &body, speaks_of_a_date));
    out
}

/// The day in words, and keys of that day and of every date the title and text speak of.
fn date_terms(doc: &Doc) -> (Terms, bool) {
    let mut terms = Terms::default();
    add_stems(&mut terms, &lex(&doc.date_text));
    let own: String = doc.date_text.nfkc().collect();
    let said: String = doc.title.chars().chain(['\n']).chain(doc.body.chars()).nfkc().collect();
    let said_keys = find_dates(&said);
    let mut keys: Vec<String> = find_dates(&own)
        .iter()
        .chain(&said_keys)
        .flat_map(|(_, key)| key.implied())
        .map(super::dates::DateKey::term)
        .collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let at = terms.end();
        terms.push(&key, at);
    }
    (terms, !said_keys.is_empty())
}
