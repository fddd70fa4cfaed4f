//! Putting terms in the place of variables in a parsed query.
//!
//! A parameter means the same everywhere in a query: it is replaced in sub-selects and inside
//! `EXISTS` too, where SPARQL's own scoping would hide an outer binding. So a pattern starts from
//! the bound node wherever it stands, which is what makes the views fast. Where a replaced variable
//! is projected or grouped by, it is bound there to its term, so that columns stay as they are.

use oxigraph::model::vocab::xsd;
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{
    GroundTerm, Literal, NamedNodePattern, TermPattern, TriplePattern, Variable,
};
use std::collections::HashMap;

/// The part of the rows that is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slice {
    /// At most this many; `None` = as the query says.
    pub limit: Option<usize>,
    /// Rows to leave out first.
    pub offset: usize,
}

/// Replaces variables in a query and sets the slice of its outermost SELECT.
pub(super) fn query(query: Query, terms: &HashMap<&str, GroundTerm>, slice: Slice) -> Query {
    let by = Substitution(terms);
    match query {
        Query::Select { dataset, pattern, base_iri } => {
            let pattern = cut(by.pattern(pattern), slice);
            Query::Select { dataset, pattern, base_iri }
        }
        Query::Construct { template, dataset, pattern, base_iri } => Query::Construct {
            template: template.into_iter().map(|triple| by.triple(triple)).collect(),
            dataset,
            pattern: by.pattern(pattern),
            base_iri,
        },
        Query::Describe { dataset, pattern, base_iri } => {
            Query::Describe { dataset, pattern: by.pattern(pattern), base_iri }
        }
        Query::Ask { dataset, pattern, base_iri } => {
            Query::Ask { dataset, pattern: by.pattern(pattern), base_iri }
        }
    }
}

fn cut(pattern: GraphPattern, slice: Slice) -> GraphPattern {
    let (inner, start, length) = match pattern {
        GraphPattern::Slice { inner, start, length } => (inner, start, length),
        other => (Box::new(other), 0, None),
    };
    let (start, length) = (start + slice.offset, slice.limit.or(length));
    if start == 0 && length.is_none() {
        return *inner;
    }
    GraphPattern::Slice { inner, start, length }
}

struct Substitution<'a>(&'a HashMap<&'a str, GroundTerm>);

impl Substitution<'_> {
    fn term(&self, variable: &Variable) -> Option<&GroundTerm> {
        self.0.get(variable.as_str())
    }

    fn pattern(&self, pattern: GraphPattern) -> GraphPattern {
        let boxed = |inner: Box<GraphPattern>| Box::new(self.pattern(*inner));
        match pattern {
            GraphPattern::Bgp { patterns } => GraphPattern::Bgp {
                patterns: patterns.into_iter().map(|triple| self.triple(triple)).collect(),
            },
            GraphPattern::Path { subject, path, object } => {
                GraphPattern::Path { subject: self.node(subject), path, object: self.node(object) }
            }
            GraphPattern::Join { left, right } => {
                GraphPattern::Join { left: boxed(left), right: boxed(right) }
            }
            GraphPattern::LeftJoin { left, right, expression } => GraphPattern::LeftJoin {
                left: boxed(left),
                right: boxed(right),
                expression: expression.map(|expression| self.expression(expression)),
            },
            GraphPattern::Lateral { left, right } => {
                GraphPattern::Lateral { left: boxed(left), right: boxed(right) }
            }
            GraphPattern::Filter { expr, inner } => {
                let expr = self.expression(expr);
                if is_never(&expr) {
                    return GraphPattern::Values { variables: Vec::new(), bindings: Vec::new() };
                }
                GraphPattern::Filter { expr, inner: boxed(inner) }
            }
            GraphPattern::Union { left, right } => {
                GraphPattern::Union { left: boxed(left), right: boxed(right) }
            }
            GraphPattern::Graph { name, inner } => {
                GraphPattern::Graph { name: self.name(name), inner: boxed(inner) }
            }
            GraphPattern::Extend { inner, variable, expression } => GraphPattern::Extend {
                inner: boxed(inner),
                variable,
                expression: self.expression(expression),
            },
            GraphPattern::Minus { left, right } => {
                GraphPattern::Minus { left: boxed(left), right: boxed(right) }
            }
            GraphPattern::Values { .. } => pattern,
            GraphPattern::OrderBy { inner, expression } => GraphPattern::OrderBy {
                inner: boxed(inner),
                expression: expression.into_iter().map(|by| self.order(by)).collect(),
            },
            GraphPattern::Project { inner, variables } => {
                let inner = self.bind_missing(self.pattern(*inner), &variables);
                GraphPattern::Project { inner: Box::new(inner), variables }
            }
            GraphPattern::Distinct { inner } => GraphPattern::Distinct { inner: boxed(inner) },
            GraphPattern::Reduced { inner } => GraphPattern::Reduced { inner: boxed(inner) },
            GraphPattern::Slice { inner, start, length } => {
                GraphPattern::Slice { inner: boxed(inner), start, length }
            }
            GraphPattern::Group { inner, variables, aggregates } => {
                let inner = self.bind_missing(self.pattern(*inner), &variables);
                let aggregates = aggregates
                    .into_iter()
                    .map(|(variable, aggregate)| (variable, self.aggregate(aggregate)))
                    .collect();
                GraphPattern::Group { inner: Box::new(inner), variables, aggregates }
            }
            GraphPattern::Service { name, inner, silent } => {
                GraphPattern::Service { name: self.name(name), inner: boxed(inner), silent }
            }
        }
    }

    /// Binds those of the variables that were replaced, unless a sub-select has bound them already.
    fn bind_missing(&self, pattern: GraphPattern, variables: &[Variable]) -> GraphPattern {
        let mut bound = Vec::new();
        pattern.on_in_scope_variable(|variable| bound.push(variable.clone()));
        let mut pattern = pattern;
        for variable in variables.iter().filter(|variable| !bound.contains(variable)) {
            if let Some(term) = self.term(variable) {
                pattern = GraphPattern::Extend {
                    inner: Box::new(pattern),
                    variable: variable.clone(),
                    expression: constant(term),
                };
            }
        }
        pattern
    }

    fn triple(&self, triple: TriplePattern) -> TriplePattern {
        TriplePattern {
            subject: self.node(triple.subject),
            predicate: self.name(triple.predicate),
            object: self.node(triple.object),
        }
    }

    fn node(&self, node: TermPattern) -> TermPattern {
        let TermPattern::Variable(variable) = &node else { return node };
        match self.term(variable) {
            Some(GroundTerm::NamedNode(iri)) => TermPattern::NamedNode(iri.clone()),
            Some(GroundTerm::Literal(literal)) => TermPattern::Literal(literal.clone()),
            _ => node,
        }
    }

    fn name(&self, name: NamedNodePattern) -> NamedNodePattern {
        let NamedNodePattern::Variable(variable) = &name else { return name };
        match self.term(variable) {
            Some(GroundTerm::NamedNode(iri)) => NamedNodePattern::NamedNode(iri.clone()),
            _ => name,
        }
    }

    fn order(&self, by: OrderExpression) -> OrderExpression {
        match by {
            OrderExpression::Asc(expression) => OrderExpression::Asc(self.expression(expression)),
            OrderExpression::Desc(expression) => OrderExpression::Desc(self.expression(expression)),
        }
    }

    fn aggregate(&self, aggregate: AggregateExpression) -> AggregateExpression {
        match aggregate {
            AggregateExpression::CountSolutions { .. } => aggregate,
            AggregateExpression::FunctionCall { name, expr, distinct } => {
                AggregateExpression::FunctionCall { name, expr: self.expression(expr), distinct }
            }
        }
    }

    fn expression(&self, expression: Expression) -> Expression {
        use Expression as E;
        let one = |inner: Box<E>| Box::new(self.expression(*inner));
        let many = |inner: Vec<E>| inner.into_iter().map(|each| self.expression(each)).collect();
        match expression {
            E::Variable(variable) => match self.term(&variable) {
                Some(term) => constant(term),
                None => E::Variable(variable),
            },
            E::Bound(variable) => match self.term(&variable) {
                Some(_) => E::Literal(Literal::from(true)),
                None => E::Bound(variable),
            },
            E::NamedNode(_) | E::Literal(_) => expression,
            E::Or(a, b) => E::Or(one(a), one(b)),
            E::And(a, b) => E::And(one(a), one(b)),
            E::Equal(a, b) => E::Equal(one(a), one(b)),
            E::SameTerm(a, b) => E::SameTerm(one(a), one(b)),
            E::Greater(a, b) => E::Greater(one(a), one(b)),
            E::GreaterOrEqual(a, b) => E::GreaterOrEqual(one(a), one(b)),
            E::Less(a, b) => E::Less(one(a), one(b)),
            E::LessOrEqual(a, b) => E::LessOrEqual(one(a), one(b)),
            E::In(a, list) => E::In(one(a), many(list)),
            E::Add(a, b) => E::Add(one(a), one(b)),
            E::Subtract(a, b) => E::Subtract(one(a), one(b)),
            E::Multiply(a, b) => E::Multiply(one(a), one(b)),
            E::Divide(a, b) => E::Divide(one(a), one(b)),
            E::UnaryPlus(a) => E::UnaryPlus(one(a)),
            E::UnaryMinus(a) => E::UnaryMinus(one(a)),
            E::Not(a) => E::Not(one(a)),
            E::Exists(pattern) => E::Exists(Box::new(self.pattern(*pattern))),
            E::If(a, b, c) => E::If(one(a), one(b), one(c)),
            E::Coalesce(list) => E::Coalesce(many(list)),
            E::FunctionCall(function, list) => E::FunctionCall(function, many(list)),
        }
    }
}

/// Whether a condition compares two different words, as `FILTER(?clock = "valid")` does in the
/// branches that were not asked for. The engine would read everything in them first.
fn is_never(expression: &Expression) -> bool {
    match expression {
        Expression::Equal(left, right) => match (&**left, &**right) {
            (Expression::Literal(left), Expression::Literal(right)) => {
                left.datatype() == xsd::STRING && right.datatype() == xsd::STRING && left != right
            }
            _ => false,
        },
        Expression::And(left, right) => is_never(left) || is_never(right),
        _ => false,
    }
}

fn constant(term: &GroundTerm) -> Expression {
    match term {
        GroundTerm::NamedNode(iri) => Expression::NamedNode(iri.clone()),
        GroundTerm::Literal(literal) => Expression::Literal(literal.clone()),
    }
}
