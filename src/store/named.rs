//! The named views in `queries/`: their headers, their parameters, and binding values to them.
//!
//! A view is a SPARQL file whose header says what it is for, what goes in and what comes out. The
//! same files answer the product's own questions and those of people who run them by name. Values
//! never enter a query as text: [`NamedQuery::bind`] checks each against its kind and puts it into
//! the parsed query as a term, wherever its variable stands (see [`substitute`]).
//!
//! - A parameter that is not given leaves its variable free. In a pattern that means "any", in
//!   `FILTER(!BOUND(?thread) || …)` "do not filter".
//! - `limit` and `offset` set the slice of the outermost SELECT; its own `LIMIT` is the default.
//! - Graphs are written as relative IRIs (`<graph/meta>`), resolved against the namespace's base.

mod header;
mod substitute;
#[cfg(test)]
mod tests;

use super::names::encode_segment;
use crate::model::{EntityKind, normalise_name, parse_instant, property, to_rfc3339};
use crate::vocab::{SG, xsd};
use chrono::{DateTime, FixedOffset, Utc};
use oxigraph::model::{Literal, NamedNode};
use spargebra::term::GroundTerm;
use spargebra::{Query, SparqlParser};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// What a parameter that is an IRI names. An id stands for the IRI of that kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the words of the graph")]
pub enum Refers {
    Entity,
    Event,
    Fact,
    Slot,
    Message,
    Block,
    Thread,
    /// A fact property, by its contract name.
    Property,
    /// A class of entities, by the word for the kind.
    Class,
}

impl Refers {
    const ALL: [(Self, &'static str); 9] = [
        (Self::Entity, "entity"),
        (Self::Event, "event"),
        (Self::Fact, "fact"),
        (Self::Slot, "slot"),
        (Self::Message, "message"),
        (Self::Block, "block"),
        (Self::Thread, "thread"),
        (Self::Property, "property"),
        (Self::Class, "class"),
    ];

    /// Returns the word, which is also the segment of the thing's IRI.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(refers, _)| *refers == self).map_or("thing", |(_, word)| word)
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, w)| *w == word).map(|(refers, _)| *refers)
    }
}

/// The kind of value a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// A full IRI, or the id of the thing it names.
    Iri(Refers),
    /// Words.
    Text,
    /// One of these words, separated by bars.
    OneOf(&'static str),
    /// A date-time; without an offset it counts as UTC, a date as its first instant.
    DateTime,
    /// A whole number.
    Integer,
}

impl ParamKind {
    /// Returns the word of the header: `iri`, `string`, `dateTime` or `integer`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Iri(_) => "iri",
            Self::Text | Self::OneOf(_) => "string",
            Self::DateTime => "dateTime",
            Self::Integer => "integer",
        }
    }

    fn parse(word: &'static str) -> Option<Self> {
        match word {
            "string" => Some(Self::Text),
            "dateTime" => Some(Self::DateTime),
            "integer" => Some(Self::Integer),
            _ if word.contains('|') => Some(Self::OneOf(word)),
            _ => word.strip_prefix("iri:").and_then(Refers::parse).map(Self::Iri),
        }
    }
}

/// One parameter of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// The variable's name, without the question mark.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParamKind,
    /// Whether it may be left out.
    pub optional: bool,
    /// What it means.
    pub meaning: &'static str,
}

/// One column of a view's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The variable's name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// One file of `queries/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedQuery {
    /// The file's name without its ending.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// The question it answers, in a sentence.
    pub purpose: &'static str,
    /// What goes in.
    pub params: Vec<Param>,
    /// What comes out; empty for a view that gives a graph.
    pub columns: Vec<Column>,
    /// How the rows are ordered.
    pub order: &'static str,
    /// The fixture in `tests/queries/` that shows it.
    pub example: &'static str,
    /// Whether users may run it by name.
    pub public: bool,
    /// The SPARQL text with its header.
    pub text: &'static str,
}

/// Why values cannot be bound to a view.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindError {
    /// A parameter that must be given is not.
    #[error("query {query} needs the parameter {param} ({kind}): {meaning}")]
    Missing {
        /// The view.
        query: &'static str,
        /// The parameter.
        param: &'static str,
        /// Its kind.
        kind: &'static str,
        /// What it means.
        meaning: &'static str,
    },
    /// The view has no parameter of that name.
    #[error("query {query} has no parameter {param}; it takes {known}")]
    Unknown {
        /// The view.
        query: &'static str,
        /// The name that was given.
        param: String,
        /// The names it takes.
        known: String,
    },
    /// A value is not of the parameter's kind.
    #[error("parameter {param}: {reason}")]
    Invalid {
        /// The parameter.
        param: &'static str,
        /// What was expected.
        reason: String,
    },
    /// The base IRI of the namespace cannot be used.
    #[error("{base:?} is no base IRI: {reason}")]
    Base {
        /// The base that was given.
        base: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file does not parse; a test keeps this from happening.
    #[error("query {query} does not parse: {reason}")]
    Syntax {
        /// The view.
        query: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../queries/", $name, ".rq")))),+]
    };
}

const FILES: &[(&str, &str)] = files![
    "blast_radius",
    "conflicts",
    "current_state",
    "diff",
    "entities",
    "facts_of_message",
    "integrity",
    "integrity_pairs",
    "plans_open",
    "possibly_stale",
    "state_as_of",
    "states_changed_often",
    "superseded_history",
    "timeline",
    "why",
    "why_fact",
    "why_graph",
];

static ALL: LazyLock<Vec<NamedQuery>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|(name, text)| header::read(name, text).expect("a test reads every header"))
        .collect()
});

impl NamedQuery {
    /// Returns all views, by name.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// Finds a view by its name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|query| query.name == name)
    }

    /// Finds a parameter by its name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Puts `now` where the view looks at a clock and no time is given.
    pub fn with_clocks_at(&self, args: &mut BTreeMap<String, String>, now: DateTime<Utc>) {
        for clock in ["valid_at", "known_at"] {
            if self.param(clock).is_some() {
                args.entry(clock.to_owned()).or_insert_with(|| to_rfc3339(now));
            }
        }
    }

    /// Parses the view for a namespace (`base` ends in a slash) and binds values to its parameters.
    /// An empty value counts as not given.
    ///
    /// # Errors
    /// See [`BindError`]; each names the parameter.
    pub fn bind(&self, base: &str, args: &BTreeMap<String, String>) -> Result<Query, BindError> {
        if let Some(param) = args.keys().find(|name| self.param(name).is_none()) {
            let known: Vec<&str> = self.params.iter().map(|param| param.name).collect();
            return Err(BindError::Unknown {
                query: self.name,
                param: param.clone(),
                known: known.join(", "),
            });
        }
        let mut terms = HashMap::new();
        let mut slice = substitute::Slice::default();
        for param in &self.params {
            let Some(value) = args.get(param.name).filter(|value| !value.trim().is_empty()) else {
                if param.optional {
                    continue;
                }
                return Err(BindError::Missing {
                    query: self.name,
                    param: param.name,
                    kind: param.kind.as_str(),
                    meaning: param.meaning,
                });
            };
            let invalid = |reason| BindError::Invalid { param: param.name, reason };
            match param.name {
                "limit" => slice.limit = Some(count(value).map_err(invalid)?),
                "offset" => slice.offset = count(value).map_err(invalid)?,
                name => {
                    terms.insert(name, term(param.kind, base, value).map_err(invalid)?);
                }
            }
        }
        if reversed(args) {
            let reason = "lies before from".to_owned();
            return Err(BindError::Invalid { param: "to", reason });
        }
        let query = self.parse(base)?;
        Ok(substitute::query(query, &terms, slice))
    }

    fn parse(&self, base: &str) -> Result<Query, BindError> {
        SparqlParser::new()
            .with_base_iri(base)
            .map_err(|error| BindError::Base { base: base.to_owned(), reason: error.to_string() })?
            .parse_query(self.text)
            .map_err(|error| BindError::Syntax { query: self.name, reason: error.to_string() })
    }
}

/// Reads a value as the term it stands for.
fn term(kind: ParamKind, base: &str, value: &str) -> Result<GroundTerm, String> {
    match kind {
        ParamKind::Iri(refers) => iri(refers, base, value.trim()).map(GroundTerm::from),
        ParamKind::Text => Ok(GroundTerm::from(Literal::from(value))),
        ParamKind::OneOf(words) => words
            .split('|')
            .find(|word| *word == value.trim())
            .map(|word| GroundTerm::from(Literal::from(word)))
            .ok_or_else(|| format!("{value:?} is none of {}", words.replace('|', ", "))),
        ParamKind::DateTime => {
            let utc = FixedOffset::east_opt(0).expect("zero is a valid offset");
            let at = to_rfc3339(parse_instant(value, utc)?.utc);
            let datatype = NamedNode::new_unchecked(xsd::DATE_TIME);
            Ok(GroundTerm::from(Literal::new_typed_literal(at, datatype)))
        }
        ParamKind::Integer => value
            .trim()
            .parse::<i64>()
            .map(|number| GroundTerm::from(Literal::from(number)))
            .map_err(|_| format!("{value:?} is not a whole number")),
    }
}

/// Whether both ends of a range are given and stand the wrong way round.
fn reversed(args: &BTreeMap<String, String>) -> bool {
    let utc = FixedOffset::east_opt(0).expect("zero is a valid offset");
    let at = |name| args.get(name).and_then(|text| parse_instant(text, utc).ok());
    matches!((at("from"), at("to")), (Some(from), Some(to)) if from.utc > to.utc)
}

fn count(value: &str) -> Result<usize, String> {
    value.trim().parse().map_err(|_| format!("{value:?} is not a whole number from 0"))
}

/// Reads a full IRI, with or without angle brackets, or the id of a thing.
fn iri(refers: Refers, base: &str, value: &str) -> Result<NamedNode, String> {
    let bare = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let is_iri = ["http://", "https://", "urn:"].iter().any(|scheme| value.starts_with(scheme));
    if is_iri || bare.is_some() {
        let text = bare.unwrap_or(value);
        return NamedNode::new(text).map_err(|error| format!("{text:?} is not an IRI: {error}"));
    }
    let thing =
        |path: String| NamedNode::new_unchecked(format!("{base}{}/{path}", refers.as_str()));
    match refers {
        Refers::Property => property(value)
            .map(|property| term_iri(&property.local_name()))
            .ok_or_else(|| format!("no property is called {value:?}; one is package_manager")),
        Refers::Class => EntityKind::parse(value)
            .map(|kind| {
                let word = kind.as_str();
                term_iri(&format!("{}{}", word[..1].to_uppercase(), &word[1..]))
            })
            .ok_or_else(|| {
                let words: Vec<&str> = EntityKind::ALL.iter().map(|(_, word)| *word).collect();
                format!("no kind of entity is called {value:?}; use {}", words.join(", "))
            }),
        Refers::Entity => {
            let (kind, name) = value
                .split_once(':')
                .filter(|(kind, name)| EntityKind::parse(kind).is_some() && !name.is_empty())
                .ok_or_else(|| {
                    format!("{value:?} is no entity id; one looks like tool:pnpm, or is a full IRI")
                })?;
            Ok(thing(encode_segment(&format!("{kind}:{}", normalise_name(name)))))
        }
        Refers::Message => {
            let (thread, id) = value
                .split_once('/')
                .filter(|(thread, id)| !thread.is_empty() && !id.is_empty())
                .ok_or_else(|| {
                    format!("{value:?} is no message; name one as thread/id, or by its full IRI")
                })?;
            Ok(thing(format!("{}/{}", encode_segment(thread), encode_segment(id))))
        }
        _ => Ok(thing(encode_segment(value))),
    }
}

fn term_iri(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{SG}{local}"))
}
