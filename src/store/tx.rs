//! Reading and writing quads inside one transaction.

use super::{Names, StoreError};
use crate::model::{EntityId, FactId};
use crate::vocab::xsd;
use chrono::{DateTime, NaiveDate, Utc};
use oxigraph::model::{
    GraphNameRef, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, Quad,
    QuadRef, Term, TermRef,
};
use oxigraph::store::Transaction;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

/// One transaction on a namespace's store: a stable snapshot for reads, one atomic write.
pub struct Tx<'a> {
    inner: Transaction<'a>,
    /// The namespace's IRIs.
    pub names: &'a Names,
    /// Facts written in this transaction: their copies are made when it commits.
    pub(super) changed_facts: BTreeSet<FactId>,
    /// Labels read so far: an entity's never changes, and one answer shows it many times.
    pub(super) labels: RefCell<HashMap<EntityId, String>>,
    /// Blocks read last, by any transaction.
    pub(super) blocks: Option<&'a super::BlockCache>,
    /// Counts what was committed.
    commits: Option<&'a AtomicU64>,
}

/// Spells one of our predicates.
pub fn pred(iri: &'static str) -> NamedNodeRef<'static> {
    NamedNodeRef::new_unchecked(iri)
}

/// Spells an instant; always in UTC with `Z`.
pub fn instant(at: DateTime<Utc>) -> Literal {
    Literal::new_typed_literal(
        crate::model::to_rfc3339(at),
        NamedNode::new_unchecked(xsd::DATE_TIME),
    )
}

/// Spells a calendar date.
pub fn date(day: NaiveDate) -> Literal {
    Literal::new_typed_literal(day.to_string(), NamedNode::new_unchecked(xsd::DATE))
}

impl<'a> Tx<'a> {
    pub(super) fn new(inner: Transaction<'a>, names: &'a Names) -> Self {
        Self {
            inner,
            names,
            changed_facts: BTreeSet::new(),
            labels: RefCell::default(),
            blocks: None,
            commits: None,
        }
    }

    pub(super) fn keeping(self, blocks: &'a super::BlockCache, commits: &'a AtomicU64) -> Self {
        Self { blocks: Some(blocks), commits: Some(commits), ..self }
    }

    /// Adds a quad.
    pub fn add(
        &mut self,
        subject: &NamedNode,
        predicate: &'static str,
        object: impl Into<Term>,
        graph: &NamedNode,
    ) {
        let object = object.into();
        self.inner.insert(QuadRef::new(subject, pred(predicate), &object, graph));
    }

    /// Adds a quad where there is a value.
    pub fn add_some(
        &mut self,
        subject: &NamedNode,
        predicate: &'static str,
        object: Option<impl Into<Term>>,
        graph: &NamedNode,
    ) {
        if let Some(object) = object {
            self.add(subject, predicate, object, graph);
        }
    }

    /// Adds a quad with a predicate made at run time.
    pub fn add_with(&mut self, s: &NamedNode, p: &NamedNode, o: &Term, graph: &NamedNode) {
        self.inner.insert(QuadRef::new(s, p, o, graph));
    }

    /// Removes a quad with a predicate made at run time.
    pub fn remove_with(&mut self, s: &NamedNode, p: &NamedNode, o: &Term, graph: &NamedNode) {
        self.inner.remove(QuadRef::new(s, p, o, graph));
    }

    /// Removes a quad.
    pub fn remove(
        &mut self,
        subject: &NamedNode,
        predicate: &'static str,
        object: impl Into<Term>,
        graph: &NamedNode,
    ) {
        let object = object.into();
        self.inner.remove(QuadRef::new(subject, pred(predicate), &object, graph));
    }

    /// Replaces all values of a predicate by one, or by none.
    pub fn set(
        &mut self,
        subject: &NamedNode,
        predicate: &'static str,
        object: Option<impl Into<Term>>,
        graph: &NamedNode,
    ) -> Result<(), StoreError> {
        let object = object.map(Into::into);
        for old in self.objects(subject, predicate, graph)? {
            if Some(&old) != object.as_ref() {
                self.inner.remove(QuadRef::new(subject, pred(predicate), &old, graph));
            }
        }
        if let Some(object) = object {
            self.inner.insert(QuadRef::new(subject, pred(predicate), &object, graph));
        }
        Ok(())
    }

    /// Returns the objects of a predicate.
    pub fn objects(
        &self,
        subject: &NamedNode,
        predicate: &'static str,
        graph: &NamedNode,
    ) -> Result<Vec<Term>, StoreError> {
        self.quads(Some(subject), Some(pred(predicate)), None, graph)
            .map(|quad| Ok(quad?.object))
            .collect()
    }

    /// Returns the first object of a predicate.
    pub fn object(
        &self,
        subject: &NamedNode,
        predicate: &'static str,
        graph: &NamedNode,
    ) -> Result<Option<Term>, StoreError> {
        self.quads(Some(subject), Some(pred(predicate)), None, graph)
            .next()
            .map(|quad| Ok(quad?.object))
            .transpose()
    }

    /// Returns the subjects that have this object.
    pub fn subjects<'t>(
        &self,
        predicate: &'static str,
        object: impl Into<TermRef<'t>>,
        graph: &NamedNode,
    ) -> Result<Vec<NamedNode>, StoreError> {
        self.quads(None, Some(pred(predicate)), Some(object.into()), graph)
            .filter_map(|quad| match quad {
                Ok(quad) => match quad.subject {
                    NamedOrBlankNode::NamedNode(node) => Some(Ok(node)),
                    NamedOrBlankNode::BlankNode(_) => None,
                },
                Err(error) => Some(Err(error)),
            })
            .collect()
    }

    /// Returns all pairs of subject and object of a predicate: one index scan.
    pub fn pairs(
        &self,
        predicate: &'static str,
        graph: &NamedNode,
    ) -> Result<Vec<(NamedNode, Term)>, StoreError> {
        self.quads(None, Some(pred(predicate)), None, graph)
            .filter_map(|quad| match quad {
                Ok(quad) => match quad.subject {
                    NamedOrBlankNode::NamedNode(node) => Some(Ok((node, quad.object))),
                    NamedOrBlankNode::BlankNode(_) => None,
                },
                Err(error) => Some(Err(error)),
            })
            .collect()
    }

    /// Says whether a quad is there.
    pub fn holds(
        &self,
        subject: &NamedNode,
        predicate: &'static str,
        object: &Term,
        graph: &NamedNode,
    ) -> Result<bool, StoreError> {
        let found = self.quads(Some(subject), Some(pred(predicate)), Some(object.as_ref()), graph);
        Ok(found.take(1).next().transpose()?.is_some())
    }

    /// Says whether the subject has the predicate.
    pub fn has(
        &self,
        subject: &NamedNode,
        predicate: &'static str,
        graph: &NamedNode,
    ) -> Result<bool, StoreError> {
        Ok(self.object(subject, predicate, graph)?.is_some())
    }

    /// Loads everything that a graph says about a subject.
    pub fn node(&self, subject: &NamedNode, graph: &NamedNode) -> Result<Node, StoreError> {
        let mut properties: HashMap<String, Vec<Term>> = HashMap::new();
        for quad in self.quads(Some(subject), None, None, graph) {
            let quad = quad?;
            properties.entry(quad.predicate.into_string()).or_default().push(quad.object);
        }
        Ok(Node { iri: subject.as_str().to_owned(), properties })
    }

    /// Matches a pattern in one graph.
    pub fn quads(
        &self,
        subject: Option<&NamedNode>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
        graph: &NamedNode,
    ) -> impl Iterator<Item = Result<Quad, StoreError>> + '_ {
        let subject = subject.map(|s| NamedOrBlankNodeRef::from(s.as_ref()));
        self.inner
            .quads_for_pattern(subject, predicate, object, Some(GraphNameRef::from(graph)))
            .map(|quad| quad.map_err(StoreError::from))
    }

    /// Removes everything a graph holds.
    pub fn clear_graph(&mut self, graph: &NamedNode) -> Result<(), StoreError> {
        self.inner.remove_named_graph(graph)?;
        Ok(())
    }

    /// Returns the transaction itself, for queries.
    pub fn raw(&self) -> &Transaction<'a> {
        &self.inner
    }

    /// Makes everything visible at once.
    pub fn commit(mut self) -> Result<(), StoreError> {
        self.copy_changed_facts()?;
        self.inner.commit()?;
        if let Some(commits) = self.commits {
            commits.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }
}

/// What one graph says about one subject.
#[derive(Debug, Clone)]
pub struct Node {
    /// The subject.
    pub iri: String,
    properties: HashMap<String, Vec<Term>>,
}

impl Node {
    /// Says whether the graph knows the subject at all.
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Returns all values of a predicate.
    pub fn all(&self, predicate: &str) -> &[Term] {
        self.properties.get(predicate).map_or(&[], Vec::as_slice)
    }

    /// Returns the text of a literal value.
    pub fn text(&self, predicate: &str) -> Option<&str> {
        self.all(predicate).iter().find_map(|term| match term {
            Term::Literal(literal) => Some(literal.value()),
            _ => None,
        })
    }

    /// Returns the texts of all literal values, sorted.
    pub fn texts(&self, predicate: &str) -> Vec<String> {
        let mut texts: Vec<String> = self
            .all(predicate)
            .iter()
            .filter_map(|term| match term {
                Term::Literal(literal) => Some(literal.value().to_owned()),
                _ => None,
            })
            .collect();
        texts.sort();
        texts
    }

    /// Returns an IRI value.
    pub fn iri(&self, predicate: &str) -> Option<&str> {
        self.all(predicate).iter().find_map(|term| match term {
            Term::NamedNode(node) => Some(node.as_str()),
            _ => None,
        })
    }

    /// Returns all IRI values, sorted.
    pub fn iris(&self, predicate: &str) -> Vec<&str> {
        let mut iris: Vec<&str> = self
            .all(predicate)
            .iter()
            .filter_map(|term| match term {
                Term::NamedNode(node) => Some(node.as_str()),
                _ => None,
            })
            .collect();
        iris.sort_unstable();
        iris
    }

    /// Returns the word of a concept: what follows `prefix` in its local name.
    pub fn concept(&self, predicate: &str, prefix: &str) -> Option<&str> {
        self.iri(predicate)?.strip_prefix(crate::vocab::SG)?.strip_prefix(prefix)
    }

    /// Returns a whole number.
    pub fn integer<T: std::str::FromStr>(&self, predicate: &str) -> Option<T> {
        self.text(predicate)?.parse().ok()
    }

    /// Returns a truth value; absent counts as false.
    pub fn flag(&self, predicate: &str) -> bool {
        matches!(self.text(predicate), Some("true" | "1"))
    }

    /// Returns an instant.
    pub fn instant(&self, predicate: &str) -> Option<DateTime<Utc>> {
        parse_utc(self.text(predicate)?)
    }

    /// Returns a calendar date.
    pub fn date(&self, predicate: &str) -> Option<NaiveDate> {
        self.text(predicate)?.parse().ok()
    }

    /// Returns a text that must be there.
    ///
    /// # Errors
    /// Names subject and predicate when it is missing.
    pub fn need_text(&self, predicate: &str) -> Result<&str, StoreError> {
        self.text(predicate).ok_or_else(|| self.missing(predicate))
    }

    /// Returns an instant that must be there.
    ///
    /// # Errors
    /// Names subject and predicate when it is missing.
    pub fn need_instant(&self, predicate: &str) -> Result<DateTime<Utc>, StoreError> {
        self.instant(predicate).ok_or_else(|| self.missing(predicate))
    }

    /// Returns an IRI that must be there.
    ///
    /// # Errors
    /// Names subject and predicate when it is missing.
    pub fn need_iri(&self, predicate: &str) -> Result<&str, StoreError> {
        self.iri(predicate).ok_or_else(|| self.missing(predicate))
    }

    /// Says that a value that must be there is not.
    pub fn missing(&self, predicate: &str) -> StoreError {
        StoreError::Corrupt(format!("{} has no usable {predicate}", self.iri))
    }
}

/// Reads a stored instant.
pub fn parse_utc(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&Utc))
}

/// Returns the text of a literal term.
pub fn literal_text(term: &Term) -> Option<&str> {
    match term {
        Term::Literal(literal) => Some(literal.value()),
        _ => None,
    }
}
