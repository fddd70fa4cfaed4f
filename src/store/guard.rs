//! What a query must be before the parser sees it, and before it runs.
//!
//! Deep nesting overflows the parser's stack and aborts the process, and nested RDF collections
//! take super-cubic time, so both are refused by a scan over the characters. The algebra is then
//! walked for what may not run here or cannot be stopped once it runs.

use super::QueryError;
use spargebra::Query;
use spargebra::algebra::{Expression, GraphPattern, PropertyPathExpression};
use spargebra::term::{NamedNodePattern, TermPattern, Variable};
use std::collections::BTreeSet;

/// Longest query text, in bytes.
pub const MAX_QUERY_BYTES: usize = 64 * 1024;
/// Deepest nesting of `{`, `(` and `[` together. A 64 MiB stack survives 3,200 of each; real
/// queries stay below 20.
const MAX_DEPTH: usize = 64;
/// Deepest nesting of `(` directly inside `(`, where RDF collections take super-cubic time.
const MAX_COLLECTION_DEPTH: usize = 32;
/// Most of each of `UNION`, `OPTIONAL`, `||`, `&&` and path operators.
const MAX_REPEATS: usize = 400;
/// Most rows of the product of inline data blocks: such a product never notices its cancellation.
const MAX_VALUES_PRODUCT: u64 = 100_000;

/// Scans a query's characters, before any parser.
///
/// # Errors
/// Says which limit it passes.
pub fn scan(query: &str) -> Result<(), QueryError> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(QueryError::Refused(format!(
            "it has {} bytes; at most {MAX_QUERY_BYTES} are allowed",
            query.len()
        )));
    }
    let bytes = query.as_bytes();
    let (mut depth, mut parens, mut repeats) = (0usize, 0usize, 0usize);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'#' => at = line_end(bytes, at),
            b'<' => at = iri_end(bytes, at),
            b'"' | b'\'' => at = string_end(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                parens = 0;
                at += 1;
            }
            b'(' => {
                depth += 1;
                parens += 1;
                at += 1;
            }
            b'}' | b']' | b')' => {
                depth = depth.saturating_sub(1);
                parens = parens.saturating_sub(1);
                at += 1;
            }
            b'|' | b'&' | b'/' | b'^' | b'!' | b'*' | b'+' => {
                repeats += 1;
                at += 1;
            }
            byte if byte.is_ascii_alphabetic() => {
                let end = word_end(bytes, at);
                let word = &query[at..end];
                let counted = ["UNION", "OPTIONAL", "MINUS", "EXISTS", "SELECT", "BIND", "IN"];
                if counted.iter().any(|keyword| word.eq_ignore_ascii_case(keyword)) {
                    repeats += 1;
                }
                at = end;
            }
            _ => at += 1,
        }
        if depth > MAX_DEPTH || parens > MAX_COLLECTION_DEPTH {
            return Err(QueryError::Refused(format!(
                "it nests deeper than {MAX_DEPTH} levels; flatten it"
            )));
        }
        if repeats > MAX_REPEATS {
            return Err(QueryError::Refused(format!(
                "it has more than {MAX_REPEATS} operators and alternatives; use VALUES or split it"
            )));
        }
    }
    Ok(())
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| from + n + 1)
}

/// An IRI has no white space and no quotes; anything else after `<` is a comparison.
fn iri_end(bytes: &[u8], from: usize) -> usize {
    for (at, byte) in bytes.iter().enumerate().skip(from + 1) {
        match byte {
            b'>' => return at + 1,
            b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'{' | b'}' | b'<' => break,
            _ => {}
        }
    }
    from + 1
}

fn string_end(bytes: &[u8], from: usize) -> usize {
    let quote = bytes[from];
    let long = bytes[from..].starts_with(&[quote, quote, quote]);
    let mut at = if long { from + 3 } else { from + 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote && long && bytes[at..].starts_with(&[quote, quote, quote]) => {
                return at + 3;
            }
            byte if byte == quote && !long => return at + 1,
            // A short string ends with its line: what follows is scanned as query text again.
            b'\n' if !long => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .position(|b| !b.is_ascii_alphanumeric() && *b != b'_')
        .map_or(bytes.len(), |n| from + n)
}

/// Walks a parsed query for what may not run here.
///
/// # Errors
/// Names what is refused.
pub fn check(query: &Query) -> Result<(), QueryError> {
    let pattern = match query {
        Query::Select { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }
        | Query::Ask { pattern, .. } => pattern,
    };
    if let Some((left, right)) = cross_product(pattern) {
        return Err(QueryError::Refused(format!(
            "the patterns with {left} and with {right} share no variable, so every row of one is \
             paired with every row of the other; join them"
        )));
    }
    check_paths(pattern)?;
    let rows = walk(pattern)?;
    if rows > MAX_VALUES_PRODUCT {
        return Err(QueryError::Refused(format!(
            "its VALUES blocks multiply to {rows} rows; at most {MAX_VALUES_PRODUCT} are allowed"
        )));
    }
    Ok(())
}

/// Finds two parts of a join that share no variable, directly or through a third: their product
/// grows without bound and cannot be stopped in time. Returns a variable of each.
fn cross_product(pattern: &GraphPattern) -> Option<(Variable, Variable)> {
    use GraphPattern as P;
    match pattern {
        P::Join { .. } | P::Bgp { .. } | P::Path { .. } | P::Graph { .. } => {
            let mut parts: Vec<BTreeSet<Variable>> = Vec::new();
            let mut nested = None;
            join_parts(pattern, &mut parts, &mut nested);
            nested.or_else(|| disconnected(parts))
        }
        P::LeftJoin { left, right, .. }
        | P::Lateral { left, right }
        | P::Union { left, right }
        | P::Minus { left, right } => cross_product(left).or_else(|| cross_product(right)),
        P::Filter { inner, .. }
        | P::Extend { inner, .. }
        | P::OrderBy { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Slice { inner, .. }
        | P::Group { inner, .. } => cross_product(inner),
        P::Values { .. } | P::Service { .. } => None,
    }
}

/// Takes a join apart. Inline data joins nothing by itself but is small, so it is left out.
fn join_parts(
    pattern: &GraphPattern,
    parts: &mut Vec<BTreeSet<Variable>>,
    nested: &mut Option<(Variable, Variable)>,
) {
    use GraphPattern as P;
    match pattern {
        P::Join { left, right } => {
            join_parts(left, parts, nested);
            join_parts(right, parts, nested);
        }
        P::Bgp { patterns } => {
            for triple in patterns {
                let mut variables = BTreeSet::new();
                for term in [&triple.subject, &triple.object] {
                    match term {
                        TermPattern::Variable(variable) => {
                            variables.insert(variable.clone());
                        }
                        // A blank node joins like a variable that has no name.
                        TermPattern::BlankNode(node) => {
                            variables
                                .insert(Variable::new_unchecked(format!("_{}", node.as_str())));
                        }
                        _ => {}
                    }
                }
                if let NamedNodePattern::Variable(variable) = &triple.predicate {
                    variables.insert(variable.clone());
                }
                parts.push(variables);
            }
        }
        P::Path { subject, object, .. } => {
            let variables = [subject, object]
                .into_iter()
                .filter_map(|term| match term {
                    TermPattern::Variable(variable) => Some(variable.clone()),
                    TermPattern::BlankNode(node) => {
                        Some(Variable::new_unchecked(format!("_{}", node.as_str())))
                    }
                    _ => None,
                })
                .collect();
            parts.push(variables);
        }
        P::Graph { name, inner } => {
            let before = parts.len();
            join_parts(inner, parts, nested);
            if let NamedNodePattern::Variable(variable) = name {
                for part in &mut parts[before..] {
                    part.insert(variable.clone());
                }
            }
        }
        P::Values { .. } => {}
        other => {
            if nested.is_none() {
                *nested = cross_product(other);
            }
            let mut variables = BTreeSet::new();
            other.on_in_scope_variable(|variable| {
                variables.insert(variable.clone());
            });
            parts.push(variables);
        }
    }
}

/// Joins parts that share variables until none do; more than one left is a product.
fn disconnected(parts: Vec<BTreeSet<Variable>>) -> Option<(Variable, Variable)> {
    let mut groups: Vec<BTreeSet<Variable>> = Vec::new();
    for mut part in parts.into_iter().filter(|part| !part.is_empty()) {
        let mut apart = Vec::new();
        for group in groups {
            if group.is_disjoint(&part) {
                apart.push(group);
            } else {
                part.extend(group);
            }
        }
        apart.push(part);
        groups = apart;
    }
    match groups.as_slice() {
        [first, second, ..] => Some((first.first()?.clone(), second.first()?.clone())),
        _ => None,
    }
}

fn is_closure(path: &PropertyPathExpression) -> bool {
    use PropertyPathExpression as E;
    match path {
        E::ZeroOrMore(_) | E::OneOrMore(_) => true,
        E::NamedNode(_) | E::NegatedPropertySet(_) => false,
        E::Reverse(a) | E::ZeroOrOne(a) => is_closure(a),
        E::Sequence(a, b) | E::Alternative(a, b) => is_closure(a) || is_closure(b),
    }
}

/// Whether a `*` or `+` goes over any property at all, or over another `*` or `+`.
fn is_boundless(path: &PropertyPathExpression, inside: bool) -> bool {
    use PropertyPathExpression as E;
    match path {
        E::NamedNode(_) => false,
        E::NegatedPropertySet(_) => inside,
        E::ZeroOrMore(a) | E::OneOrMore(a) => inside || is_boundless(a, true),
        E::Reverse(a) | E::ZeroOrOne(a) => is_boundless(a, inside),
        E::Sequence(a, b) | E::Alternative(a, b) => {
            is_boundless(a, inside) || is_boundless(b, inside)
        }
    }
}

/// Refuses paths whose evaluation walks the whole graph again and again without looking up: it
/// cannot be stopped at its deadline.
fn check_paths(pattern: &GraphPattern) -> Result<(), QueryError> {
    let mut group = PathGroup::default();
    group.collect(pattern)?;
    group.check()
}

/// The paths of one join, and the variables that its other parts bind.
#[derive(Default)]
struct PathGroup {
    free: Vec<(Variable, Variable, String)>,
    bound: BTreeSet<Variable>,
}

impl PathGroup {
    fn check(&self) -> Result<(), QueryError> {
        for (from, to, path) in &self.free {
            if !self.bound.contains(from) && !self.bound.contains(to) {
                return Err(QueryError::Refused(format!(
                    "the path {path} from {from} to {to} starts and ends anywhere; bind one end by \
                     an IRI or by another pattern"
                )));
            }
        }
        Ok(())
    }

    fn collect(&mut self, pattern: &GraphPattern) -> Result<(), QueryError> {
        use GraphPattern as P;
        match pattern {
            // What is optional or taken away starts from what stands before it.
            P::Join { left, right }
            | P::Lateral { left, right }
            | P::LeftJoin { left, right, .. }
            | P::Minus { left, right } => {
                self.collect(left)?;
                self.collect(right)
            }
            P::Graph { inner, .. } | P::Filter { inner, .. } | P::Extend { inner, .. } => {
                self.collect(inner)
            }
            P::Path { subject, path, object } => {
                if is_boundless(path, false) {
                    return Err(QueryError::Refused(format!(
                        "the path {path} repeats over any property or over a repetition; name the \
                         properties and repeat once"
                    )));
                }
                match (subject, object) {
                    (TermPattern::Variable(from), TermPattern::Variable(to))
                        if is_closure(path) =>
                    {
                        self.free.push((from.clone(), to.clone(), path.to_string()));
                    }
                    (from, to) => {
                        for end in [from, to] {
                            if let TermPattern::Variable(variable) = end {
                                self.bound.insert(variable.clone());
                            }
                        }
                    }
                }
                Ok(())
            }
            P::Bgp { .. } | P::Values { .. } | P::Service { .. } => {
                pattern.on_in_scope_variable(|variable| {
                    self.bound.insert(variable.clone());
                });
                Ok(())
            }
            P::Union { left, right } => {
                check_paths(left)?;
                check_paths(right)?;
                pattern.on_in_scope_variable(|variable| {
                    self.bound.insert(variable.clone());
                });
                Ok(())
            }
            P::OrderBy { inner, .. }
            | P::Project { inner, .. }
            | P::Distinct { inner }
            | P::Reduced { inner }
            | P::Slice { inner, .. }
            | P::Group { inner, .. } => {
                check_paths(inner)?;
                pattern.on_in_scope_variable(|variable| {
                    self.bound.insert(variable.clone());
                });
                Ok(())
            }
        }
    }
}

/// Returns an upper bound of the rows that inline data alone can multiply to.
fn walk(pattern: &GraphPattern) -> Result<u64, QueryError> {
    use GraphPattern as P;
    Ok(match pattern {
        P::Values { bindings, .. } => bindings.len().max(1) as u64,
        // A call is replaced by its hits, or refused, before the query runs.
        P::Bgp { .. } | P::Path { .. } | P::Service { .. } => 1,
        P::Join { left, right } | P::LeftJoin { left, right, expression: None } => {
            walk(left)?.saturating_mul(walk(right)?)
        }
        P::LeftJoin { left, right, expression: Some(expression) } => {
            walk_expression(expression)?;
            walk(left)?.saturating_mul(walk(right)?)
        }
        P::Lateral { left, right } => walk(left)?.saturating_mul(walk(right)?),
        P::Union { left, right } => walk(left)?.saturating_add(walk(right)?),
        P::Minus { left, right } => walk(left)?.max(walk(right)?),
        P::Filter { expr, inner } => {
            walk_expression(expr)?;
            walk(inner)?
        }
        P::Extend { inner, expression, .. } => {
            walk_expression(expression)?;
            walk(inner)?
        }
        P::Graph { inner, .. }
        | P::OrderBy { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Slice { inner, .. }
        | P::Group { inner, .. } => walk(inner)?,
    })
}

fn walk_expression(expression: &Expression) -> Result<(), QueryError> {
    use Expression as E;
    match expression {
        E::Exists(pattern) => {
            walk(pattern)?;
        }
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
            walk_expression(a)?;
            walk_expression(b)?;
        }
        E::In(a, list) => {
            walk_expression(a)?;
            list.iter().try_for_each(walk_expression)?;
        }
        E::UnaryPlus(a) | E::UnaryMinus(a) | E::Not(a) => walk_expression(a)?,
        E::If(a, b, c) => {
            walk_expression(a)?;
            walk_expression(b)?;
            walk_expression(c)?;
        }
        E::Coalesce(list) | E::FunctionCall(_, list) => {
            list.iter().try_for_each(walk_expression)?;
        }
        E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Query {
        spargebra::SparqlParser::new().parse_query(query).expect("a valid query")
    }

    #[test]
    fn deep_nesting_never_reaches_the_parser() {
        for open in ["{", "(", "[", "{(["] {
            assert!(scan(&open.repeat(20_000)).is_err());
        }
        assert!(scan(&format!("SELECT * {{ VALUES ?x {{ {} }} }}", "(".repeat(40))).is_err());
        assert!(scan(&"{ ?s ?p ?o } UNION ".repeat(500)).is_err());
    }

    #[test]
    fn braces_in_strings_comments_and_iris_do_not_count() {
        let text = "{".repeat(200);
        assert!(scan(&format!("SELECT * {{ ?s ?p \"{text}\" }} # {text}")).is_ok());
        assert!(scan(&format!("SELECT * {{ ?s ?p '''{text}\n''' }}")).is_ok());
        assert!(scan("SELECT * { ?s ?p ?o FILTER(?o < 3 && ?o > 1) }").is_ok());
        // A quote that never closes must not hide what follows on the next line.
        assert!(scan(&format!("SELECT '\n{text}")).is_err());
    }

    #[test]
    fn products_of_patterns_without_a_shared_variable_are_refused() {
        for query in [
            "SELECT * { ?a ?b ?c . ?d ?e ?f }",
            "SELECT * { GRAPH ?g { ?a ?b ?c } GRAPH ?h { ?d ?e ?f } } ORDER BY ?c ?f",
            "SELECT (COUNT(*) AS ?n) { { SELECT ?a { ?a ?b ?c } } ?d ?e ?f }",
            "SELECT * { OPTIONAL { ?a ?b ?c . ?d ?e ?f } }",
        ] {
            assert!(check(&parse(query)).is_err(), "{query}");
        }
        for query in [
            "SELECT * { ?a ?b ?c . ?c ?d ?e }",
            "SELECT * { GRAPH ?g { ?a ?b ?c } ?a ?d ?e . <urn:x> <urn:y> <urn:z> }",
            "SELECT * { ?a <urn:p> [ <urn:q> ?v ] . ?a <urn:r>/<urn:s> ?w }",
            "SELECT * { ?x <urn:p> ?a . ?y <urn:p> ?b . ?x <urn:q> ?y }",
            "SELECT * { VALUES ?x { 1 } ?s ?p ?o FILTER NOT EXISTS { ?s <urn:p> ?x } }",
        ] {
            assert!(check(&parse(query)).is_ok(), "{query}");
        }
    }

    #[test]
    fn paths_that_walk_everything_are_refused() {
        for query in [
            "SELECT (COUNT(*) AS ?c) { GRAPH ?g { ?s (!<urn:x>)* ?o } }",
            "SELECT * { GRAPH <urn:g> { ?s ((((!<urn:x>|^!<urn:z>)*)*)*)* ?o } }",
            "SELECT * { <urn:a> (!<urn:x>)+ ?o }",
            "SELECT * { <urn:a> (<urn:p>*/<urn:q>)* ?o }",
            "SELECT * { ?s <urn:p>* ?o }",
            "SELECT * { ?s <urn:q> ?t . OPTIONAL { ?x <urn:p>+ ?y } }",
            "ASK { { SELECT ?s { ?s (<urn:p>|<urn:q>)+ ?o } } }",
        ] {
            assert!(check(&parse(query)).is_err(), "{query}");
        }
        for query in [
            "SELECT * { <urn:a> <urn:p>* ?o }",
            "SELECT * { ?s <urn:q> 1 . ?s <urn:p>+ ?o }",
            "SELECT * { ?s <urn:q> ?t . OPTIONAL { ?s <urn:p>+/<urn:r> ?y } }",
            "SELECT * { VALUES ?s { <urn:a> } ?s <urn:p>* ?o }",
            "SELECT * { ?s <urn:p>/<urn:q>|^<urn:r> ?o . ?s !<urn:t> ?x }",
        ] {
            assert!(check(&parse(query)).is_ok(), "{query}");
        }
    }

    #[test]
    fn value_products_are_refused() {
        let block = |v: &str| format!("VALUES ?{v} {{ {} }}", "1 ".repeat(20));
        let product =
            format!("SELECT * {{ {} {} {} {} }}", block("a"), block("b"), block("c"), block("d"));
        assert!(check(&parse(&product)).is_err());
        assert!(check(&parse("SELECT * { VALUES ?x { 1 2 3 } ?s ?p ?x }")).is_ok());
    }
}
