//! Whole graphs out: canonical N-Quads, TriG, single graphs.

use super::query::serializer;
use super::{GraphFormat, NamespaceStore, StoreError, Tx};
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::{GraphNameRef, NamedNode, Quad, TripleRef};
use std::io::Write;

/// A graph that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphName {
    /// The SPARQL default graph: the current state.
    Default,
    /// A graph by its IRI.
    Named(String),
}

/// Writes a Turtle document in another form.
///
/// # Errors
/// When it is no Turtle.
pub fn turtle_as(document: &str, format: GraphFormat) -> Result<Vec<u8>, StoreError> {
    let mut writer = serializer(format).for_writer(Vec::new());
    for quad in RdfParser::from_format(RdfFormat::Turtle).for_slice(document) {
        let quad = quad.map_err(|error| StoreError::Corrupt(error.to_string()))?;
        writer.serialize_triple(TripleRef::new(&quad.subject, &quad.predicate, &quad.object))?;
    }
    Ok(writer.finish()?)
}

impl NamespaceStore {
    /// Writes every quad but the store's own bookkeeping, one a line and sorted, so that equal
    /// stores give equal bytes. There are no blank nodes, so sorting makes it canonical.
    ///
    /// # Errors
    /// When the engine or the writer fails.
    pub fn write_nquads(&self, out: &mut dyn Write) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let mut lines = Vec::new();
        for quad in tx.raw() {
            let quad = quad?;
            if is_system(&tx, &quad) {
                continue;
            }
            lines.push(format!("{quad} .\n"));
        }
        lines.sort_unstable();
        for line in lines {
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// Writes the same as TriG.
    ///
    /// # Errors
    /// When the engine or the writer fails.
    pub fn write_trig(&self, out: &mut dyn Write) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let mut quads = Vec::new();
        for quad in tx.raw() {
            let quad = quad?;
            if !is_system(&tx, &quad) {
                quads.push(quad);
            }
        }
        quads.sort_by_cached_key(|quad| {
            (quad.graph_name.to_string(), quad.subject.to_string(), quad.predicate.to_string())
        });
        let mut writer = serializer(GraphFormat::TriG).for_writer(out);
        for quad in &quads {
            writer.serialize_quad(quad)?;
        }
        writer.finish()?;
        Ok(())
    }

    /// Returns one graph; `None` when it holds nothing.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn graph(
        &self,
        graph: &GraphName,
        format: GraphFormat,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let tx = self.begin()?;
        let graph = match graph {
            GraphName::Default => self.names.current.clone(),
            GraphName::Named(iri) => NamedNode::new_unchecked(iri),
        };
        let mut writer = serializer(format).for_writer(Vec::new());
        let mut found = graph == self.names.current;
        for quad in tx.quads(None, None, None, &graph) {
            let quad = quad?;
            found = true;
            writer.serialize_triple(TripleRef::new(
                &quad.subject,
                &quad.predicate,
                &quad.object,
            ))?;
        }
        let bytes = writer.finish()?;
        Ok(found.then_some(bytes))
    }

    /// Returns an Event as TriG in the shape of a nanopublication: assertion, provenance,
    /// publication info.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn event_trig(&self, event: &crate::model::EventId) -> Result<Vec<u8>, StoreError> {
        use crate::vocab::{prov, rdf, sg};
        const NP: &str = "http://www.nanopub.org/nschema#";
        let tx = self.begin()?;
        let iri = self.names.event(event);
        let part = |suffix: &str| NamedNode::new_unchecked(format!("{}/{suffix}", iri.as_str()));
        let (head, provenance, publication) = (part("head"), part("provenance"), part("pubinfo"));
        let nanopub = part("nanopub");
        let np = |local: &str| NamedNode::new_unchecked(format!("{NP}{local}"));
        let mut quads = vec![
            Quad::new(
                nanopub.clone(),
                NamedNode::new_unchecked(rdf::TYPE),
                np("Nanopublication"),
                head.clone(),
            ),
            Quad::new(nanopub.clone(), np("hasAssertion"), iri.clone(), head.clone()),
            Quad::new(nanopub.clone(), np("hasProvenance"), provenance.clone(), head.clone()),
            Quad::new(nanopub, np("hasPublicationInfo"), publication.clone(), head),
        ];
        for quad in tx.quads(None, None, None, &iri) {
            quads.push(quad?);
        }
        for quad in tx.quads(Some(&iri), None, None, &self.names.meta) {
            let quad = quad?;
            let about_record = [
                sg::REVISION,
                sg::RECORDED_AT,
                sg::RETRACTED_AT,
                sg::EXTRACTOR,
                prov::WAS_GENERATED_BY,
            ]
            .contains(&quad.predicate.as_str());
            let graph = if about_record { &publication } else { &provenance };
            if quad.predicate.as_str() == sg::HAS_QUOTE
                && let oxigraph::model::Term::NamedNode(quote) = &quad.object
            {
                for detail in tx.quads(Some(quote), None, None, &self.names.meta) {
                    quads.push(in_graph(detail?, &provenance));
                }
            }
            quads.push(in_graph(quad, graph));
        }
        let mut writer = serializer(GraphFormat::TriG).for_writer(Vec::new());
        for quad in &quads {
            writer.serialize_quad(quad)?;
        }
        Ok(writer.finish()?)
    }
}

fn in_graph(mut quad: Quad, graph: &NamedNode) -> Quad {
    quad.graph_name = graph.clone().into();
    quad
}

fn is_system(tx: &Tx<'_>, quad: &Quad) -> bool {
    quad.graph_name.as_ref() == GraphNameRef::from(&tx.names.system)
}
