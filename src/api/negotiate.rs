//! Choosing a media type by `Accept`, with q-values.

use super::{ApiError, Code};
use crate::store::{GraphFormat, ResultsFormat};
use axum::http::{HeaderMap, header};

/// Media types of solutions and truth values, in our order of preference.
pub const RESULTS: &[(&str, ResultsFormat)] = &[
    ("application/sparql-results+json", ResultsFormat::Json),
    ("application/json", ResultsFormat::Json),
    ("application/sparql-results+xml", ResultsFormat::Xml),
    ("application/xml", ResultsFormat::Xml),
    ("text/xml", ResultsFormat::Xml),
    ("text/csv", ResultsFormat::Csv),
    ("text/tab-separated-values", ResultsFormat::Tsv),
];

/// Media types of graphs, in our order of preference.
pub const GRAPHS: &[(&str, GraphFormat)] = &[
    ("text/turtle", GraphFormat::Turtle),
    ("application/n-triples", GraphFormat::NTriples),
    ("application/rdf+xml", GraphFormat::RdfXml),
    ("application/ld+json", GraphFormat::JsonLd),
    ("application/trig", GraphFormat::TriG),
    ("application/n-quads", GraphFormat::NQuads),
];

/// One range of an `Accept` header.
struct Range<'a> {
    kind: &'a str,
    q: f32,
    place: usize,
}

/// Returns the text of all `Accept` headers; none counts as `*/*`.
pub fn accept(headers: &HeaderMap) -> String {
    let all: Vec<&str> =
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let all = all.join(",");
    if all.trim().is_empty() { "*/*".to_owned() } else { all }
}

fn ranges(accept: &str) -> Vec<Range<'_>> {
    let mut ranges = Vec::new();
    for (place, part) in accept.split(',').enumerate() {
        let mut pieces = part.split(';');
        let kind = pieces.next().unwrap_or("").trim();
        let q = pieces
            .find_map(|piece| {
                let (name, value) = piece.split_once('=')?;
                name.trim().eq_ignore_ascii_case("q").then(|| value.trim().parse().unwrap_or(0.0))
            })
            .unwrap_or(1.0);
        if !kind.is_empty() {
            ranges.push(Range { kind, q, place });
        }
    }
    ranges
}

/// How closely a range names a media type: 3 exactly, 2 by its type, 1 by `*/*`.
fn closeness(range: &str, offer: &str) -> u8 {
    if range.eq_ignore_ascii_case(offer) {
        return 3;
    }
    if range == "*/*" || range == "*" {
        return 1;
    }
    let main = range.strip_suffix("/*");
    let offered = offer.split('/').next().unwrap_or("");
    if main.is_some_and(|main| main.eq_ignore_ascii_case(offered)) { 2 } else { 0 }
}

/// Returns the best acceptable offer: highest q, then the closest range, then the order in which
/// the caller named them, then our own.
pub fn choose<T: Copy>(accept: &str, offers: &[(&str, T)]) -> Option<T> {
    let ranges = ranges(accept);
    let mut best: Option<(f32, u8, usize, T)> = None;
    for (offer, value) in offers {
        // The closest range decides an offer's q, so that `text/csv;q=0, */*` excludes CSV.
        let Some((closeness, range)) = ranges
            .iter()
            .map(|range| (closeness(range.kind, offer), range))
            .filter(|(closeness, _)| *closeness > 0)
            .max_by_key(|(closeness, range)| (*closeness, usize::MAX - range.place))
        else {
            continue;
        };
        if range.q <= 0.0 {
            continue;
        }
        let better = best.is_none_or(|(q, close, place, _)| {
            range.q > q
                || (range.q >= q
                    && (closeness > close || (closeness == close && range.place < place)))
        });
        if better {
            best = Some((range.q, closeness, range.place, *value));
        }
    }
    best.map(|(.., value)| value)
}

/// Says which media types can be given.
pub fn not_acceptable<'a>(offers: impl IntoIterator<Item = &'a str>) -> ApiError {
    let offers: Vec<&str> = offers.into_iter().collect();
    ApiError::new(Code::NotAcceptable, format!("acceptable are {}", offers.join(", ")))
}

/// Returns a `Content-Type` value for a media type.
pub fn content_type(media_type: &str) -> String {
    if media_type.starts_with("text/") && !media_type.contains(';') {
        format!("{media_type}; charset=utf-8")
    } else {
        media_type.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q_values_and_exclusions_decide() {
        let pick = |accept| choose(accept, RESULTS);
        assert_eq!(pick("*/*"), Some(ResultsFormat::Json));
        assert_eq!(pick("text/csv"), Some(ResultsFormat::Csv));
        assert_eq!(
            pick("text/csv;q=0.5, application/sparql-results+xml"),
            Some(ResultsFormat::Xml)
        );
        assert_eq!(pick("text/tab-separated-values, text/csv"), Some(ResultsFormat::Tsv));
        assert_eq!(pick("text/*"), Some(ResultsFormat::Xml));
        assert_eq!(pick("text/html, */*;q=0.1"), Some(ResultsFormat::Json));
        assert_eq!(pick("image/png"), None);
        assert_eq!(pick("text/csv;q=0"), None);
        assert_eq!(
            pick("APPLICATION/SPARQL-RESULTS+JSON; charset=utf-8"),
            Some(ResultsFormat::Json)
        );
    }

    #[test]
    fn graphs_are_turtle_unless_asked_otherwise() {
        assert_eq!(choose("*/*", GRAPHS), Some(GraphFormat::Turtle));
        assert_eq!(
            choose("application/n-quads;q=0.9,text/turtle;q=0.8", GRAPHS),
            Some(GraphFormat::NQuads)
        );
        assert_eq!(choose("application/json", GRAPHS), None);
    }
}
