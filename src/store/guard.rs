//! What a query must be before the parser sees it, and before it runs.
//!
//! Deep nesting overflows the parser's stack and aborts the process, and nested RDF collections
//! take super-cubic time, so both are refused by a scan over the characters. The algebra is then
//! walked for what may not run here or cannot be stopped once it runs.

use super::QueryError;
use spargebra::Query;
use spargebra::algebra::{Expression, GraphPattern};

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
    let rows = walk(pattern)?;
    if rows > MAX_VALUES_PRODUCT {
        return Err(QueryError::Refused(format!(
            "its VALUES blocks multiply to {rows} rows; at most {MAX_VALUES_PRODUCT} are allowed"
        )));
    }
    Ok(())
}

/// Returns an upper bound of the rows that inline data alone can multiply to.
fn walk(pattern: &GraphPattern) -> Result<u64, QueryError> {
    use GraphPattern as P;
    Ok(match pattern {
        P::Service { name, .. } => {
            return Err(QueryError::Refused(format!(
                "SERVICE {name} is not available: no query reaches another server"
            )));
        }
        P::Values { bindings, .. } => bindings.len().max(1) as u64,
        P::Bgp { .. } | P::Path { .. } => 1,
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
        E::Coalesce(list) | E::FunctionCall(_, list) => list.iter().try_for_each(walk_expression)?,
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
    fn service_and_value_products_are_refused() {
        assert!(check(&parse("SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }")).is_err());
        assert!(check(&parse("ASK { FILTER EXISTS { SERVICE <urn:x> { ?s ?p ?o } } }")).is_err());
        let block = |v: &str| format!("VALUES ?{v} {{ {} }}", "1 ".repeat(20));
        let product = format!("SELECT * {{ {} {} {} {} }}", block("a"), block("b"), block("c"), block("d"));
        assert!(check(&parse(&product)).is_err());
        assert!(check(&parse("SELECT * { VALUES ?x { 1 2 3 } ?s ?p ?x }")).is_ok());
    }
}
