//! Floors to compare with, measured in the same minute: what the disk, tantivy and Oxigraph do for
//! the same work with nothing of ours around them.

use super::corpus::{Corpus, Random};
use crate::cli::measure::Samples;
use anyhow::Context;
use oxigraph::model::{GraphName, Literal, NamedNode, NamedOrBlankNodeRef, Quad};
use oxigraph::store::Store;
use std::io::Write;
use std::path::Path;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, STORED, Schema, TEXT};
use tantivy::{Index, TantivyDocument, Term};

/// Appends records of one size to a file, with an fsync each.
pub fn plain_fsync(folder: &Path, bytes: usize, samples: usize) -> anyhow::Result<Samples> {
    let mut file = tempfile::tempfile_in(folder).context("cannot make a file")?;
    let record = vec![b'x'; bytes];
    let mut taken = Samples::default();
    for _ in 0..samples {
        taken.time(|| file.write_all(&record).and_then(|()| file.sync_data()))?;
    }
    Ok(taken)
}

/// Asks questions of a plain tantivy index over the same messages: any word may match, the best
/// 10, their texts read.
pub fn plain_tantivy(
    folder: &Path,
    texts: &[String],
    questions: &[String],
) -> anyhow::Result<Samples> {
    let folder = tempfile::tempdir_in(folder).context("cannot make a folder")?;
    let mut schema = Schema::builder();
    let body = schema.add_text_field("body", TEXT | STORED);
    let index = Index::create_in_dir(folder.path(), schema.build())?;
    let mut writer = index.writer_with_num_threads(1, 50_000_000)?;
    for text in texts {
        let mut document = TantivyDocument::default();
        document.add_text(body, text);
        writer.add_document(document)?;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    let reader = index.reader()?;
    let mut tokenizer = index.tokenizer_for_field(body)?;
    let mut taken = Samples::default();
    for question in questions {
        taken.time(|| -> anyhow::Result<usize> {
            let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
            let mut tokens = tokenizer.token_stream(question);
            while let Some(token) = tokens.next() {
                let term = Term::from_field_text(body, &token.text);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                clauses.push((Occur::Should, Box::new(query)));
            }
            let searcher = reader.searcher();
            let best = searcher
                .search(&BooleanQuery::new(clauses), &TopDocs::with_limit(10).order_by_score())?;
            for (_, address) in &best {
                searcher.doc::<TantivyDocument>(*address)?;
            }
            Ok(best.len())
        })?;
    }
    Ok(taken)
}

/// Reads all quads of a subject, ten each, from a plain Oxigraph store.
pub fn plain_oxigraph(folder: &Path, subjects: usize, samples: usize) -> anyhow::Result<Samples> {
    let folder = tempfile::tempdir_in(folder).context("cannot make a folder")?;
    let store = Store::open(folder.path())?;
    let node = |kind: &str, number: usize| {
        NamedNode::new_unchecked(format!("https://example.org/{kind}/{number}"))
    };
    let graph = GraphName::NamedNode(node("graph", 0));
    let mut loader = store.bulk_loader();
    loader.load_quads((0..subjects).flat_map(|subject| {
        let graph = graph.clone();
        (0..10).map(move |property| {
            let value = Literal::from(format!("value {property} of {subject}"));
            Quad::new(node("thing", subject), node("property", property), value, graph.clone())
        })
    }))?;
    loader.commit()?;
    let mut random = Random::new(11);
    let mut taken = Samples::default();
    for _ in 0..samples {
        let subject = node("thing", random.below(subjects));
        let subject = NamedOrBlankNodeRef::from(subject.as_ref());
        let found = taken.time(|| {
            store.quads_for_pattern(Some(subject), None, None, Some(graph.as_ref())).count()
        });
        anyhow::ensure!(found == 10, "the plain store lost quads: {found} of 10");
    }
    Ok(taken)
}

/// The texts that the plain index is filled with: those of the messages measured.
pub fn texts(corpus: &Corpus, seed: u64, messages: usize) -> Vec<String> {
    let mut speaker = corpus.speaker(seed, chrono::DateTime::UNIX_EPOCH);
    speaker
        .turns(messages / 2)
        .into_iter()
        .flat_map(|turn| turn.messages)
        .filter_map(|message| message.content)
        .collect()
}
