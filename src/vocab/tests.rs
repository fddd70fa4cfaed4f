//! Holds `ontology/` equal to the constants here and to the words of the domain types.

use super::{SG, prov, rdf, sg};
use crate::model::{
    Criticality, EntityKind, EventKind, EventStatus, PROPERTIES, Precision, Reason, ValueKind,
};
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::{
    Graph, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, Term, TermRef, Triple, TripleRef,
};
use std::collections::BTreeSet;

const CORE: &str = include_str!("../../ontology/core.ttl");
const SHAPES: &str = include_str!("../../ontology/shapes.ttl");
const PREFIXES: &str = include_str!("../../ontology/prefixes.ttl");

const RDF_NS: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const SHACL: &str = "http://www.w3.org/ns/shacl#";
const SCHEMA: &str = "https://schema.org/";
const SHAPE: &str = "https://w3id.org/stratagate/shapes#";

fn parse(turtle: &str) -> Graph {
    RdfParser::from_format(RdfFormat::Turtle)
        .for_slice(turtle)
        .map(|quad| Triple::from(quad.expect("the file is Turtle")))
        .collect()
}

fn iri(base: &str, local: &str) -> NamedNode {
    NamedNode::new(format!("{base}{local}")).expect("the term is an IRI")
}

/// The IRIs that have one of these types.
fn with_type(graph: &Graph, types: &[NamedNode]) -> BTreeSet<String> {
    let rdf_type = iri(rdf::TYPE, "");
    types
        .iter()
        .flat_map(|class| graph.subjects_for_predicate_object(&rdf_type, class.as_ref()))
        .filter_map(|subject| match subject {
            NamedOrBlankNodeRef::NamedNode(node) => Some(node.as_str().to_owned()),
            NamedOrBlankNodeRef::BlankNode(_) => None,
        })
        .collect()
}

/// The literals of a property, as `(value, language)`.
fn literals(graph: &Graph, subject: &str, predicate: &NamedNode) -> Vec<(String, String)> {
    let subject = iri(subject, "");
    graph
        .objects_for_subject_predicate(&subject, predicate)
        .filter_map(|object| match object {
            TermRef::Literal(literal) => {
                Some((literal.value().to_owned(), literal.language().unwrap_or("").to_owned()))
            }
            _ => None,
        })
        .collect()
}

/// The members of an RDF list.
fn list(graph: &Graph, head: TermRef<'_>) -> Vec<Term> {
    let (first, rest) = (iri(RDF_NS, "first"), iri(RDF_NS, "rest"));
    let mut members = Vec::new();
    let mut node = head.into_owned();
    while let Term::BlankNode(cell) = &node {
        let value = graph.object_for_subject_predicate(cell, &first).expect("a list has members");
        members.push(value.into_owned());
        node =
            graph.object_for_subject_predicate(cell, &rest).expect("a list goes on").into_owned();
    }
    members
}

fn difference<'a>(left: &'a BTreeSet<String>, right: &'a BTreeSet<String>) -> Vec<&'a String> {
    left.symmetric_difference(right).collect()
}

fn expected_property_iris() -> BTreeSet<String> {
    PROPERTIES.iter().map(|property| format!("{SG}{}", property.local_name())).collect()
}

/// Each concept scheme with the stem of its concepts and the words that the types know.
fn schemes() -> [(&'static str, &'static str, Vec<&'static str>); 5] {
    [
        ("types", "type", EventKind::ALL.iter().map(|kind| kind.as_str()).collect()),
        ("statuses", "status", EventStatus::ALL.iter().map(|status| status.as_str()).collect()),
        ("precisions", "precision", Precision::ALL.iter().map(|(_, word)| *word).collect()),
        ("criticalities", "criticality", Criticality::ALL.iter().map(|c| c.as_str()).collect()),
        ("reasons", "reason", Reason::ALL.iter().map(|(_, word)| *word).collect()),
    ]
}

#[test]
fn every_constant_is_a_term_of_the_ontology_and_the_other_way_round() {
    let core = parse(CORE);
    let kinds = ["Class", "ObjectProperty", "DatatypeProperty"].map(|kind| iri(OWL, kind));
    let mut terms = with_type(&core, &kinds);
    // `sg:value` takes entities and literals, so it is neither an object nor a datatype property.
    terms.extend(with_type(&core, &[iri(RDF_NS, "Property")]));
    let facts = with_type(&core, &[iri(sg::FACT_PROPERTY, "")]);
    let terms: BTreeSet<String> = terms.difference(&facts).cloned().collect();
    let constants: BTreeSet<String> = sg::ALL.iter().map(|term| (*term).to_owned()).collect();
    assert_eq!(constants.len(), sg::ALL.len(), "two constants share an IRI");
    assert_eq!(difference(&terms, &constants), Vec::<&String>::new());
    let feature = iri("http://www.w3.org/ns/sparql-service-description#Feature", "");
    let features = with_type(&core, &[feature]);
    assert_eq!(features, BTreeSet::from([super::SEARCH_SERVICE.to_owned()]));
}

#[test]
fn no_fact_property_shares_an_iri_with_another_term() {
    for iri in expected_property_iris() {
        assert!(!sg::ALL.contains(&iri.as_str()), "{iri} has two meanings");
    }
}

#[test]
fn every_term_says_what_it_is() {
    let core = parse(CORE);
    let subjects: BTreeSet<String> = core
        .iter()
        .filter_map(|triple| match triple.subject {
            NamedOrBlankNodeRef::NamedNode(node) => Some(node.as_str().to_owned()),
            NamedOrBlankNodeRef::BlankNode(_) => None,
        })
        .filter(|subject| subject != SG)
        .collect();
    assert!(subjects.len() > 200);
    for subject in subjects {
        assert!(subject.starts_with(SG), "{subject} is not ours to define");
        for property in ["label", "comment"] {
            let texts = literals(&core, &subject, &iri(RDFS, property));
            assert!(
                texts.iter().any(|(_, language)| language == "en"),
                "{subject} has no {property}"
            );
        }
        let defined = core
            .object_for_subject_predicate(&iri(&subject, ""), &iri(RDFS, "isDefinedBy"))
            .map(|term| term.to_string());
        assert_eq!(defined, Some(format!("<{SG}>")), "{subject}");
    }
}

#[test]
fn the_ontology_names_its_version_and_licence() {
    let core = parse(CORE);
    let version = format!("https://w3id.org/stratagate/ns/{}", env!("CARGO_PKG_VERSION"));
    let ontology = iri(SG, "");
    assert!(core.contains(TripleRef::new(&ontology, &iri(OWL, "versionIRI"), &iri(&version, ""))));
    let licence = iri("http://purl.org/dc/terms/license", "");
    assert!(core.object_for_subject_predicate(&ontology, &licence).is_some());
}

#[test]
fn fact_properties_agree_with_the_types() {
    let core = parse(CORE);
    let found = with_type(&core, &[iri(sg::FACT_PROPERTY, "")]);
    assert_eq!(difference(&found, &expected_property_iris()), Vec::<&String>::new());
    for property in PROPERTIES {
        let subject = format!("{SG}{}", property.local_name());
        let flags = literals(&core, &subject, &iri(sg::FUNCTIONAL, ""));
        assert_eq!(flags, [(property.functional.to_string(), String::new())], "{subject}");
        let labels: BTreeSet<_> =
            literals(&core, &subject, &iri(RDFS, "label")).into_iter().collect();
        let expected = [(property.label_en, "en"), (property.label_zh, "zh")]
            .map(|(label, language)| (label.to_owned(), language.to_owned()));
        assert_eq!(labels, BTreeSet::from(expected), "{subject}");
        let ranges: BTreeSet<String> = core
            .objects_for_subject_predicate(&iri(&subject, ""), &iri(SCHEMA, "rangeIncludes"))
            .map(|range| range.to_string())
            .collect();
        let (entity, text) = (format!("<{}>", sg::ENTITY), format!("<{}>", super::xsd::STRING));
        let expected = match property.values {
            ValueKind::Entity => BTreeSet::from([entity]),
            ValueKind::Text => BTreeSet::from([text]),
            ValueKind::Date => BTreeSet::from([format!("<{}>", super::xsd::DATE)]),
            ValueKind::Either => BTreeSet::from([entity, text]),
        };
        assert_eq!(ranges, expected, "{subject}");
    }
}

/// The properties that a Slot shape lists under `sh:in`.
fn properties_listed_by(shapes: &Graph, shape: &str) -> BTreeSet<String> {
    let shape = iri(SHAPE, shape);
    let (property, within, path) = (iri(SHACL, "property"), iri(SHACL, "in"), iri(SHACL, "path"));
    let mut listed = BTreeSet::new();
    for constraint in shapes.objects_for_subject_predicate(&shape, &property) {
        let TermRef::BlankNode(constraint) = constraint else { continue };
        let on = shapes.object_for_subject_predicate(constraint, &path);
        if on != Some(NamedNodeRef::new_unchecked(sg::PROPERTY).into()) {
            continue;
        }
        if let Some(head) = shapes.object_for_subject_predicate(constraint, &within) {
            for member in list(shapes, head) {
                let Term::NamedNode(member) = member else { panic!("{member} is no property") };
                assert!(listed.insert(member.as_str().to_owned()), "{member} is listed twice");
            }
        }
    }
    listed
}

#[test]
fn the_shapes_say_the_same_about_what_can_replace_what() {
    let shapes = parse(SHAPES);
    for (shape, functional) in [("OneValueSlot", true), ("ManyValueSlot", false)] {
        let expected: BTreeSet<String> = PROPERTIES
            .iter()
            .filter(|property| property.functional == functional)
            .map(|property| format!("{SG}{}", property.local_name()))
            .collect();
        let listed = properties_listed_by(&shapes, shape);
        assert_eq!(difference(&listed, &expected), Vec::<&String>::new(), "{shape}");
    }
    let at_most_one = shapes
        .objects_for_subject_predicate(&iri(SHAPE, "OneValueSlot"), &iri(SHACL, "property"))
        .filter_map(|constraint| match constraint {
            TermRef::BlankNode(node) => {
                shapes.object_for_subject_predicate(node, &iri(SHACL, "maxCount"))
            }
            _ => None,
        })
        .map(|term| term.to_string())
        .collect::<Vec<_>>();
    assert!(at_most_one.len() == 1 && at_most_one[0].starts_with("\"1\""), "{at_most_one:?}");
}

#[test]
fn every_fact_property_has_a_shape_for_its_plain_statements() {
    let shapes = parse(SHAPES);
    let target = iri(SHACL, "targetSubjectsOf");
    let targets: BTreeSet<String> = shapes
        .triples_for_predicate(&target)
        .filter_map(|triple| match triple.object {
            TermRef::NamedNode(node) => Some(node.as_str().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(difference(&targets, &expected_property_iris()), Vec::<&String>::new());
}

#[test]
fn the_shapes_use_only_terms_that_exist() {
    let core = parse(CORE);
    for triple in &parse(SHAPES) {
        for term in [triple.object, triple.subject.into()] {
            let TermRef::NamedNode(node) = term else { continue };
            if node.as_str().starts_with(SG) {
                assert!(core.triples_for_subject(node).next().is_some(), "{node} is not defined");
            }
        }
    }
}

#[test]
fn concepts_agree_with_the_words_of_the_types() {
    let core = parse(CORE);
    let found_schemes = with_type(&core, &[iri(SKOS, "ConceptScheme")]);
    let mut expected_schemes = BTreeSet::new();
    let mut expected_concepts = BTreeSet::new();
    for (scheme, stem, words) in schemes() {
        expected_schemes.insert(format!("{SG}{scheme}"));
        for word in words {
            let concept = format!("{SG}{stem}-{word}");
            let notation = literals(&core, &concept, &iri(SKOS, "notation"));
            assert_eq!(notation, [(word.to_owned(), String::new())], "{concept}");
            let within =
                core.object_for_subject_predicate(&iri(&concept, ""), &iri(SKOS, "inScheme"));
            assert_eq!(within, Some(iri(SG, scheme).as_ref().into()), "{concept}");
            expected_concepts.insert(concept);
        }
    }
    assert_eq!(difference(&found_schemes, &expected_schemes), Vec::<&String>::new());
    let found = with_type(&core, &[iri(SKOS, "Concept")]);
    assert_eq!(difference(&found, &expected_concepts), Vec::<&String>::new());
}

#[test]
fn the_shapes_list_exactly_the_words_of_the_types() {
    let shapes = parse(SHAPES);
    let within = iri(SHACL, "in");
    for (_, stem, words) in schemes() {
        let prefix = format!("{SG}{stem}-");
        let expected: BTreeSet<String> =
            words.iter().map(|word| format!("{prefix}{word}")).collect();
        let mut seen = 0;
        for triple in shapes.triples_for_predicate(&within) {
            let members: BTreeSet<String> = list(&shapes, triple.object)
                .into_iter()
                .filter_map(|member| match member {
                    Term::NamedNode(node) => Some(node.as_str().to_owned()),
                    _ => None,
                })
                .collect();
            if members.iter().any(|member| member.starts_with(&prefix)) {
                assert_eq!(difference(&members, &expected), Vec::<&String>::new());
                seen += 1;
            }
        }
        assert!(seen > 0, "no shape lists the concepts of {stem}");
    }
}

#[test]
fn every_kind_of_entity_is_a_class() {
    let core = parse(CORE);
    let subclass = iri(RDFS, "subClassOf");
    for (_, word) in EntityKind::ALL {
        let class = format!("{SG}{}{}", word[..1].to_uppercase(), &word[1..]);
        assert!(sg::ALL.contains(&class.as_str()), "{class}");
        let parents: Vec<String> = core
            .objects_for_subject_predicate(&iri(&class, ""), &subclass)
            .map(|parent| parent.to_string())
            .collect();
        let entity = format!("<{}>", sg::ENTITY);
        assert!(parents.contains(&entity), "{class} is no subclass of {entity}");
    }
}

#[test]
fn the_prefixes_bind_our_names_and_those_we_reuse() {
    let mut parser = RdfParser::from_format(RdfFormat::Turtle).for_slice(PREFIXES);
    assert!(parser.next().is_none(), "prefixes.ttl holds prefixes only");
    let prefixes: Vec<(String, String)> =
        parser.prefixes().map(|(name, iri)| (name.to_owned(), iri.to_owned())).collect();
    for (name, base) in [("sg", SG), ("skos", SKOS), ("schema", SCHEMA), ("sh", SHACL)] {
        assert!(prefixes.contains(&(name.to_owned(), base.to_owned())), "{name}");
    }
    let prov = prefixes.iter().find(|(name, _)| name == "prov").expect("prov is bound");
    assert!(prov::ALL.iter().all(|term| term.starts_with(&prov.1)));
}
