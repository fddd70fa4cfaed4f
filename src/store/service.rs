//! Full-text search inside SPARQL: `SERVICE sg:search { ?hit sg:match "text" ; sg:score ?s }`.
//!
//! The searches of a query run before it does; each call is then a block of inline data that joins
//! like any other. That keeps one snapshot of the index for the whole query and lets the optimiser
//! see how many rows there are.

use super::QueryError;
use crate::vocab::{SEARCH_SERVICE, sg};
use oxigraph::model::{Literal, NamedNode};
use serde::{Deserialize, Serialize};
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern, Variable};

/// Hits of a call that names no limit.
const DEFAULT_LIMIT: usize = 20;
/// Most hits of one call.
pub const MAX_TEXT_LIMIT: usize = 1_000;
/// Most calls in one query.
const MAX_CALLS: usize = 16;
/// What can be searched, in the words of `POST …/search`.
const KINDS: [&str; 4] = ["events", "facts", "messages", "blocks"];

/// What one call asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextQuery {
    /// The words, never parsed as a grammar.
    pub text: String,
    /// `events`, `facts`, `messages`, `blocks`; empty = all.
    pub kinds: Vec<String>,
    /// At most this many hits.
    pub limit: usize,
}

/// One hit.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The found thing.
    pub thing: NamedNode,
    /// Its BM25F score; comparable within one call only.
    pub score: f64,
    /// A readable text of it.
    pub snippet: String,
}

/// Finds the hits of a call, best first.
pub type TextSearch = Box<dyn Fn(&TextQuery) -> Result<Vec<TextHit>, QueryError> + Send>;

/// A call as it stands in a query.
struct Call {
    query: TextQuery,
    subject: TermPattern,
    score: Option<Variable>,
    snippet: Option<Variable>,
}

fn refused(reason: impl std::fmt::Display) -> QueryError {
    QueryError::Refused(format!("SERVICE sg:search: {reason}"))
}

fn text_of(what: &str, object: &TermPattern) -> Result<String, QueryError> {
    match object {
        TermPattern::Literal(literal) => Ok(literal.value().to_owned()),
        TermPattern::Variable(variable) => Err(refused(format!(
            "{what} is given as {variable}; it must be written into the query, because the search \
             runs before anything is bound"
        ))),
        other => Err(refused(format!("{what} is {other}; it must be a literal"))),
    }
}

fn variable_of(what: &str, object: &TermPattern) -> Result<Variable, QueryError> {
    match object {
        TermPattern::Variable(variable) => Ok(variable.clone()),
        other => Err(refused(format!("{what} is {other}; it must be a variable"))),
    }
}

impl Call {
    fn read(patterns: &[TriplePattern]) -> Result<Self, QueryError> {
        let Some(first) = patterns.first() else {
            return Err(refused("it is empty; write { ?hit sg:match \"text\" }"));
        };
        let mut text = None;
        let mut call = Self {
            query: TextQuery { text: String::new(), kinds: Vec::new(), limit: DEFAULT_LIMIT },
            subject: first.subject.clone(),
            score: None,
            snippet: None,
        };
        for triple in patterns {
            if triple.subject != call.subject {
                return Err(refused(format!(
                    "it speaks of {} and of {}; one call finds one thing",
                    call.subject, triple.subject
                )));
            }
            let NamedNodePattern::NamedNode(predicate) = &triple.predicate else {
                return Err(refused(format!("its property is {}", triple.predicate)));
            };
            let object = &triple.object;
            match predicate.as_str() {
                sg::MATCH => {
                    if text.replace(text_of("sg:match", object)?).is_some() {
                        return Err(refused("sg:match is given twice"));
                    }
                }
                sg::IN => call.query.kinds.push(kind_of(&text_of("sg:in", object)?)?),
                sg::LIMIT => call.query.limit = limit_of(&text_of("sg:limit", object)?)?,
                sg::SCORE => call.score = Some(variable_of("sg:score", object)?),
                sg::SNIPPET => call.snippet = Some(variable_of("sg:snippet", object)?),
                other => {
                    return Err(refused(format!(
                        "<{other}> is not known there; it takes sg:match, sg:in, sg:limit, \
                         sg:score and sg:snippet"
                    )));
                }
            }
        }
        call.query.text = text.ok_or_else(|| refused("sg:match is missing"))?;
        if matches!(call.subject, TermPattern::Literal(_)) {
            return Err(refused("a literal cannot be found; use a variable or an IRI"));
        }
        Ok(call)
    }

    /// The hits as inline data.
    fn rows(self, hits: Vec<TextHit>) -> GraphPattern {
        let hit = match &self.subject {
            TermPattern::Variable(variable) => Some(variable.clone()),
            _ => None,
        };
        let only = match &self.subject {
            TermPattern::NamedNode(node) => Some(node.clone()),
            _ => None,
        };
        let wanted =
            hits.into_iter().filter(|found| only.as_ref().is_none_or(|o| *o == found.thing));
        let bindings = wanted
            .map(|found| {
                let mut row: Vec<Option<GroundTerm>> = Vec::with_capacity(3);
                if hit.is_some() {
                    row.push(Some(found.thing.into()));
                }
                if self.score.is_some() {
                    row.push(Some(Literal::from(found.score).into()));
                }
                if self.snippet.is_some() {
                    row.push(Some(Literal::from(found.snippet).into()));
                }
                row
            })
            .collect();
        let variables = [hit, self.score, self.snippet].into_iter().flatten().collect();
        GraphPattern::Values { variables, bindings }
    }
}

fn kind_of(word: &str) -> Result<String, QueryError> {
    if KINDS.contains(&word) {
        Ok(word.to_owned())
    } else {
        Err(refused(format!("sg:in is {word:?}; it is one of {}", KINDS.join(", "))))
    }
}

fn limit_of(word: &str) -> Result<usize, QueryError> {
    word.parse().ok().filter(|limit| (1..=MAX_TEXT_LIMIT).contains(limit)).ok_or_else(|| {
        refused(format!("sg:limit is {word:?}; it is a number from 1 to {MAX_TEXT_LIMIT}"))
    })
}

/// Runs the searches of a query and puts their hits in the place of the calls.
///
/// # Errors
/// Names what a call may not say, any other SERVICE, and a search that failed.
pub fn resolve(query: &mut Query, search: &TextSearch) -> Result<(), QueryError> {
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    Resolver { search, calls: 0 }.pattern(pattern)
}

struct Resolver<'a> {
    search: &'a TextSearch,
    calls: usize,
}

impl Resolver<'_> {
    fn pattern(&mut self, pattern: &mut GraphPattern) -> Result<(), QueryError> {
        use GraphPattern as P;
        match pattern {
            P::Service { name, inner, silent } => {
                if !is_search(name) {
                    return Err(QueryError::Refused(format!(
                        "SERVICE {name} is not available: no query reaches another server; \
                         sg:search is the one service here"
                    )));
                }
                *pattern = match self.call(inner) {
                    Ok(rows) => rows,
                    // The standard's meaning of SILENT: one solution that binds nothing.
                    Err(_) if *silent => {
                        P::Values { variables: Vec::new(), bindings: vec![Vec::new()] }
                    }
                    Err(error) => return Err(error),
                };
                Ok(())
            }
            P::Bgp { .. } | P::Path { .. } | P::Values { .. } => Ok(()),
            P::Join { left, right }
            | P::Lateral { left, right }
            | P::Union { left, right }
            | P::Minus { left, right } => {
                self.pattern(left)?;
                self.pattern(right)
            }
            P::LeftJoin { left, right, expression } => {
                self.pattern(left)?;
                self.pattern(right)?;
                expression.as_mut().map_or(Ok(()), |expression| self.expression(expression))
            }
            P::Filter { expr, inner } => {
                self.expression(expr)?;
                self.pattern(inner)
            }
            P::Extend { inner, expression, .. } => {
                self.expression(expression)?;
                self.pattern(inner)
            }
            P::OrderBy { inner, expression } => {
                for order in expression {
                    let (OrderExpression::Asc(by) | OrderExpression::Desc(by)) = order;
                    self.expression(by)?;
                }
                self.pattern(inner)
            }
            P::Group { inner, aggregates, .. } => {
                for (_, aggregate) in aggregates {
                    if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                        self.expression(expr)?;
                    }
                }
                self.pattern(inner)
            }
            P::Graph { inner, .. }
            | P::Project { inner, .. }
            | P::Distinct { inner }
            | P::Reduced { inner }
            | P::Slice { inner, .. } => self.pattern(inner),
        }
    }

    fn expression(&mut self, expression: &mut Expression) -> Result<(), QueryError> {
        use Expression as E;
        match expression {
            E::Exists(pattern) => self.pattern(pattern),
            E::Or(a, b)
            | E::And(a, b)
            | E::Equal(a, b)
            | E::SameTerm(a, b)
            | E::Greater(a, b)
            | E::GreaterOrEqual(a, b)
            | E::Less(a, b)
            | E::LessOrEqual(a, b)
            | E::Add(a, b)
            | E::Subtract(a, b)
            | E::Multiply(a, b)
            | E::Divide(a, b) => {
                self.expression(a)?;
                self.expression(b)
            }
            E::In(a, list) => {
                self.expression(a)?;
                list.iter_mut().try_for_each(|one| self.expression(one))
            }
            E::UnaryPlus(a) | E::UnaryMinus(a) | E::Not(a) => self.expression(a),
            E::If(a, b, c) => {
                self.expression(a)?;
                self.expression(b)?;
                self.expression(c)
            }
            E::Coalesce(list) | E::FunctionCall(_, list) => {
                list.iter_mut().try_for_each(|one| self.expression(one))
            }
            E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_) => Ok(()),
        }
    }

    /// What stands inside a call: its triples, under filters and bindings.
    fn call(&mut self, inner: &GraphPattern) -> Result<GraphPattern, QueryError> {
        use GraphPattern as P;
        match inner {
            P::Bgp { patterns } => {
                self.calls += 1;
                if self.calls > MAX_CALLS {
                    return Err(refused(format!("a query may search {MAX_CALLS} times")));
                }
                let call = Call::read(patterns)?;
                let hits = (self.search)(&call.query)?;
                Ok(call.rows(hits))
            }
            P::Filter { expr, inner } => {
                let mut expr = expr.clone();
                self.expression(&mut expr)?;
                Ok(P::Filter { expr, inner: Box::new(self.call(inner)?) })
            }
            P::Extend { inner, variable, expression } => {
                let mut expression = expression.clone();
                self.expression(&mut expression)?;
                let inner = Box::new(self.call(inner)?);
                Ok(P::Extend { inner, variable: variable.clone(), expression })
            }
            _ => Err(refused(
                "it takes triples with sg:match and filters only; put every other pattern beside it",
            )),
        }
    }
}

fn is_search(name: &NamedNodePattern) -> bool {
    matches!(name, NamedNodePattern::NamedNode(name) if name.as_str() == SEARCH_SERVICE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn resolved(text: &str) -> Result<(Query, Vec<TextQuery>), QueryError> {
        let parser = spargebra::SparqlParser::new().with_prefix("sg", crate::vocab::SG).unwrap();
        let mut query = parser.parse_query(text).expect("a valid query");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        let search: TextSearch = Box::new(move |query| {
            seen.lock().unwrap().push(query.clone());
            Ok((1..=3)
                .map(|n| TextHit {
                    thing: NamedNode::new_unchecked(format!("urn:hit:{n}")),
                    score: f64::from(4 - n),
                    snippet: format!("hit {n}"),
                })
                .collect())
        });
        resolve(&mut query, &search)?;
        drop(search);
        let asked = Arc::try_unwrap(asked).unwrap().into_inner().unwrap();
        Ok((query, asked))
    }

    #[test]
    fn a_call_becomes_rows_and_is_asked_once() {
        let (query, asked) = resolved(
            "SELECT * { SERVICE sg:search { ?hit sg:match \"build times\" ; sg:score ?s ; \
             sg:in \"messages\", \"facts\" ; sg:limit 7 . FILTER(?s > 1) } ?hit ?p ?o }",
        )
        .unwrap();
        assert_eq!(
            asked,
            [TextQuery {
                text: "build times".to_owned(),
                kinds: vec!["messages".to_owned(), "facts".to_owned()],
                limit: 7
            }]
        );
        let text = query.to_string();
        assert!(!text.contains("SERVICE"), "{text}");
        assert!(text.contains("<urn:hit:1>") && text.contains("<urn:hit:3>"), "{text}");
    }

    #[test]
    fn calls_are_found_wherever_a_pattern_may_stand() {
        for text in [
            "ASK { FILTER EXISTS { SERVICE sg:search { ?h sg:match \"x\" } } }",
            "SELECT * { ?h ?p ?o OPTIONAL { SERVICE sg:search { ?h sg:match \"x\" } } }",
            "SELECT * { { SELECT ?h { SERVICE sg:search { ?h sg:match \"x\" } } } UNION { ?h ?p 1 } }",
            "SELECT * { GRAPH <urn:g> { SERVICE sg:search { ?h sg:match \"x\" } ?h ?p ?o } }",
            "SELECT (SUM(IF(EXISTS { SERVICE sg:search { ?h sg:match \"x\" } }, 1, 0)) AS ?n) { ?h ?p ?o }",
        ] {
            let (query, asked) = resolved(text).unwrap();
            assert_eq!(asked.len(), 1, "{text}");
            assert!(!query.to_string().contains("SERVICE"), "{text}");
        }
    }

    #[test]
    fn what_a_call_may_not_say_is_named() {
        for (inner, reason) in [
            ("?h sg:match ?words", "?words"),
            ("?h sg:score ?s", "sg:match is missing"),
            ("?h sg:match \"x\" ; sg:in \"people\"", "people"),
            ("?h sg:match \"x\" ; sg:limit 0", "sg:limit"),
            ("?h sg:match \"x\" ; sg:limit ?n", "?n"),
            ("?h sg:match \"x\" ; sg:score 1", "must be a variable"),
            ("?h sg:match \"x\" ; sg:colour \"red\"", "colour"),
            ("?h sg:match \"x\" . ?i sg:match \"y\"", "?i"),
            ("?h sg:match \"x\" , \"y\"", "twice"),
            ("", "empty"),
            ("{ ?h sg:match \"x\" } UNION { ?h sg:match \"y\" }", "beside it"),
        ] {
            let error = resolved(&format!("SELECT * {{ SERVICE sg:search {{ {inner} }} }}"))
                .err()
                .unwrap_or_else(|| panic!("{inner} was taken"));
            assert!(error.to_string().contains(reason), "{inner}: {error}");
        }
        let elsewhere = resolved("SELECT * { SERVICE SILENT <http://127.0.0.1/> { ?s ?p ?o } }");
        assert!(elsewhere.is_err(), "no query reaches another server, silently or not");
        let silent = resolved("SELECT * { SERVICE SILENT sg:search { ?h sg:match ?w } }").unwrap();
        assert!(silent.1.is_empty());
    }

    #[test]
    fn a_named_thing_is_found_or_not() {
        let (query, _) = resolved(
            "SELECT ?s { SERVICE sg:search { <urn:hit:2> sg:match \"x\" ; sg:score ?s } }",
        )
        .unwrap();
        let text = query.to_string();
        assert!(text.contains('2') && !text.contains("urn:hit:1"), "{text}");
    }
}
