//! Reading the header of a query file: `# key: value` lines before the first line of SPARQL.

use super::{Column, NamedQuery, Param, ParamKind};

/// Reads the header of a file.
///
/// # Errors
/// Names the file and the line that cannot be read, or the key that is missing.
pub(super) fn read(name: &'static str, text: &'static str) -> Result<NamedQuery, String> {
    let fault = |what: &str| format!("queries/{name}.rq: {what}");
    let mut params = Vec::new();
    let mut columns = Vec::new();
    let (mut title, mut purpose, mut order, mut example, mut public) =
        (None, None, None, None, false);
    for line in text.lines().map_while(|line| line.strip_prefix('#')) {
        let (key, value) =
            line.split_once(':').ok_or_else(|| fault(&format!("no key in {line:?}")))?;
        let value = value.trim();
        match key.trim() {
            "title" => title = Some(value),
            "purpose" => purpose = Some(value),
            "in" => params.push(read_param(value).ok_or_else(|| fault(value))?),
            "out" => columns.push(read_column(value).ok_or_else(|| fault(value))?),
            "order" => order = Some(value),
            "example" => example = Some(value),
            "public" => public = value == "yes",
            other => return Err(fault(&format!("unknown key {other:?}"))),
        }
    }
    let need = |field: Option<&'static str>, key: &str| {
        field.filter(|value| !value.is_empty()).ok_or_else(|| fault(&format!("no {key}")))
    };
    Ok(NamedQuery {
        name,
        title: need(title, "title")?,
        purpose: need(purpose, "purpose")?,
        params,
        columns,
        order: need(order, "order")?,
        example: need(example, "example")?,
        public,
        text,
    })
}

/// Reads `name kind [optional]: meaning`; a kind such as `iri:entity` has a colon of its own.
fn read_param(value: &'static str) -> Option<Param> {
    let (left, meaning) = value.split_once(": ")?;
    let mut words = left.split_whitespace();
    let name = words.next()?;
    let kind = ParamKind::parse(words.next()?)?;
    let optional = match words.next() {
        None => false,
        Some("optional") => true,
        Some(_) => return None,
    };
    (words.next().is_none() && !meaning.is_empty()).then_some(Param {
        name,
        kind,
        optional,
        meaning,
    })
}

fn read_column(value: &'static str) -> Option<Column> {
    let (name, meaning) = value.split_once(": ")?;
    (!name.contains(' ') && !meaning.is_empty()).then_some(Column { name, meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# title: T\n# purpose: P.\n# in: who iri:entity optional: Whom.\n\
                        # out: a: An a.\n# order: a\n# example: story\n# public: yes\nSELECT * {}";

    #[test]
    fn a_header_says_what_goes_in_and_what_comes_out() {
        let query = read("q", GOOD).expect("the header is complete");
        assert!(query.public);
        assert_eq!(query.params[0].kind, ParamKind::Iri(super::super::Refers::Entity));
        assert!(query.params[0].optional);
        assert_eq!(query.columns[0].meaning, "An a.");
    }

    #[test]
    fn a_broken_header_is_named() {
        for (text, part) in [
            ("# title: T\n# purpose: P\n# order: a\nSELECT", "no example"),
            ("# title: T\n# in: who person: Whom.\nSELECT", "who person"),
            ("# title: T\n# in: who string maybe: Whom.\nSELECT", "maybe"),
            ("# titel: T\nSELECT", "titel"),
            ("# no key\nSELECT", "no key"),
        ] {
            let error = read("q", text).expect_err("the header is broken");
            assert!(error.contains("queries/q.rq") && error.contains(part), "{error}");
        }
    }
}
