//! `stratagate eval locomo`: retrieval on LoCoMo conversations.

mod conversation;

use super::retrieval::{Scores, cutoffs, request};
use crate::cli::args::Global;
use crate::cli::measure::{Folder, Samples, new_namespace, rounded, settle};
use crate::cli::output::{self, Progress, add, count, table};
use crate::memory::{HitKind, Memory};
use crate::model::ThreadId;
use anyhow::Context;
use conversation::{CATEGORIES, Conversation, category_name};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each session becomes a thread, sealed at its end; two messages make a turn; every message keeps its
dia_id as id and its speaker, at the session's time (as UTC) plus 20 seconds a message. The caption
of a shared image is added to the text as a line of its own, \"[shares an image: ...]\", unless
--no-captions is given. Questions of categories 1 to 4 are asked; category 5 has no answer in the
text.

R@k is the share of a question's evidence messages that the first k hits cover, averaged over
questions; MRR the mean of one over the place of the first hit that covers one. An event, fact or
block covers the messages it rests on.

Examples:
  stratagate eval locomo conv-26.json conv-30.json
  stratagate eval locomo conv-26.json --in messages,events --k 10 --json")]
pub struct Args {
    /// LoCoMo conversations, one JSON object a file
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Hits asked for
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=100))]
    k: u16,
    /// What to search: events, facts, messages, blocks
    #[arg(long = "in", value_name = "KINDS", value_delimiter = ',', default_value = "messages")]
    kinds: Vec<String>,
    /// Leave the captions of shared images out
    #[arg(long)]
    no_captions: bool,
}

/// The outcome for one conversation.
struct Outcome {
    name: String,
    messages: usize,
    sessions: usize,
    unusable: usize,
    capture_s: f64,
    settle_s: f64,
    categories: BTreeMap<u64, Scores>,
    queries: Samples,
}

pub fn run(global: &Global, args: &Args) -> anyhow::Result<()> {
    let kinds = super::kinds(&args.kinds)?;
    // All files are read first: a bad one is told before anything is measured.
    let mut conversations = Vec::new();
    for path in &args.files {
        let read = Conversation::parse(&super::read(path)?, !args.no_captions)
            .with_context(|| format!("{} is no LoCoMo conversation", path.display()))?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        conversations.push((stem.unwrap_or_else(|| "conversation".to_owned()), read));
    }
    let folder = Folder::choose(global, "stratagate-eval-")?;
    let memory = folder.open()?;
    let mut outcomes = Vec::new();
    let mut progress = Progress::new();
    for (place, (name, conversation)) in conversations.into_iter().enumerate() {
        progress.show(&format!("{name}, {} of {}", place + 1, args.files.len()));
        let namespace = format!("locomo-{}-{name}", place + 1);
        outcomes.push(measure(
            &memory,
            &namespace,
            name,
            conversation,
            &kinds,
            usize::from(args.k),
        )?);
    }
    drop(progress);
    memory.close();
    if global.json {
        return output::json(&as_json(&outcomes, args));
    }
    output::text(&as_text(&outcomes, args))
}

fn measure(
    memory: &Memory,
    namespace: &str,
    name: String,
    conversation: Conversation,
    kinds: &[HitKind],
    k: usize,
) -> anyhow::Result<Outcome> {
    let ns = new_namespace(memory, namespace)?;
    let known = conversation.message_ids();
    let (messages, sessions) = (known.len(), conversation.sessions.len());
    let started = Instant::now();
    for session in conversation.sessions {
        memory.record(&ns, session.turns)?;
        memory.seal(&ns, Some(&ThreadId(session.thread)))?;
    }
    let capture_s = started.elapsed().as_secs_f64();
    let settle_s = settle(memory, &ns)?.as_secs_f64();
    let cutoffs = cutoffs(k);
    let mut categories: BTreeMap<u64, Scores> = BTreeMap::new();
    let mut queries = Samples::default();
    let mut unusable = 0;
    for question in &conversation.questions {
        if !CATEGORIES.contains(&question.category) {
            continue;
        }
        let evidence: BTreeSet<String> = question.evidence.intersection(&known).cloned().collect();
        if evidence.is_empty() {
            unusable += 1;
            continue;
        }
        let request = request(&question.words, kinds, k);
        let answer = queries.time(|| memory.search(&ns, &request))?;
        categories
            .entry(question.category)
            .or_insert_with(|| Scores::new(&cutoffs))
            .add(&evidence, &answer.hits);
    }
    Ok(Outcome { name, messages, sessions, unusable, capture_s, settle_s, categories, queries })
}

/// Sums over conversations: all questions, and by category.
fn sums(outcomes: &[Outcome], k: usize) -> (Scores, BTreeMap<u64, Scores>, Samples) {
    let cutoffs = cutoffs(k);
    let mut all = Scores::new(&cutoffs);
    let mut categories: BTreeMap<u64, Scores> = BTreeMap::new();
    let mut queries = Samples::default();
    for outcome in outcomes {
        queries.extend(&outcome.queries);
        for (category, scores) in &outcome.categories {
            all.merge(scores);
            categories.entry(*category).or_insert_with(|| Scores::new(&cutoffs)).merge(scores);
        }
    }
    (all, categories, queries)
}

fn as_text(outcomes: &[Outcome], args: &Args) -> String {
    let (all, categories, queries) = sums(outcomes, usize::from(args.k));
    let titled = |title: String, scores: &Scores| {
        let mut row = vec![title];
        row.extend(scores.row());
        row
    };
    let mut rows: Vec<Vec<String>> = categories
        .iter()
        .map(|(category, scores)| {
            titled(format!("{category} {}", category_name(*category)), scores)
        })
        .collect();
    rows.push(titled("all".to_owned(), &all));
    for outcome in outcomes {
        let mut scores = Scores::new(&cutoffs(usize::from(args.k)));
        outcome.categories.values().for_each(|category| scores.merge(category));
        rows.push(titled(outcome.name.clone(), &scores));
    }
    let mut header = vec!["category".to_owned()];
    header.extend(all.header());
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut text = table(&header, &rows);
    let unusable = outcomes.iter().map(|outcome| outcome.unusable).sum();
    add!(text, "\n{} without usable evidence left out\n", count(unusable, "question"));
    add!(
        text,
        "searched: {}; a query took {:.1} ms (p50), {:.1} ms (p99)\n",
        args.kinds.join(", "),
        queries.percentile_ms(0.5),
        queries.percentile_ms(0.99)
    );
    for outcome in outcomes {
        add!(
            text,
            "{}: {} in {}, captured in {:.2} s, blocks, events, facts and index done {:.2} s later\n",
            outcome.name,
            count(outcome.messages, "message"),
            count(outcome.sessions, "session"),
            outcome.capture_s,
            outcome.settle_s
        );
    }
    text
}

fn as_json(outcomes: &[Outcome], args: &Args) -> serde_json::Value {
    let (all, categories, queries) = sums(outcomes, usize::from(args.k));
    let files: Vec<serde_json::Value> = outcomes
        .iter()
        .map(|outcome| {
            let mut scores = Scores::new(&cutoffs(usize::from(args.k)));
            outcome.categories.values().for_each(|category| scores.merge(category));
            json!({
                "name": outcome.name,
                "messages": outcome.messages,
                "sessions": outcome.sessions,
                "questions_without_usable_evidence": outcome.unusable,
                "capture_s": rounded(outcome.capture_s),
                "settle_s": rounded(outcome.settle_s),
                "scores": scores.json(),
            })
        })
        .collect();
    let categories: serde_json::Map<String, serde_json::Value> =
        categories.iter().map(|(number, scores)| (number.to_string(), scores.json())).collect();
    json!({
        "k": args.k,
        "in": args.kinds,
        "captions": !args.no_captions,
        "overall": all.json(),
        "categories": categories,
        "query": queries.json(),
        "files": files,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{
      "conversation": {
        "session_1_date_time": "8:00 am on 2 April, 2024",
        "session_1": [
          {"speaker": "Ada", "dia_id": "D1:1", "text": "The kite shop in the harbour closes in May."},
          {"speaker": "Ben", "dia_id": "D1:2", "text": "A pity, I liked their lanterns."}
        ],
        "session_2_date_time": "8:00 pm on 9 April, 2024",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "I bought a rowing boat."}]
      },
      "qa": [
        {"question": "What did Ben buy, a rowing boat?", "evidence": ["D2:1"], "category": 4},
        {"question": "When does the kite shop close?", "evidence": ["D1:1"], "category": 2},
        {"question": "Which lamp?", "evidence": ["D7:7"], "category": 1},
        {"question": "Which train?", "evidence": ["D1:1"], "category": 5}
      ]
    }"#;

    #[test]
    fn a_conversation_is_recorded_asked_and_scored() {
        let kept = tempfile::tempdir().unwrap();
        let memory = Folder::Given(kept.path().to_owned()).open().unwrap();
        let read = Conversation::parse(FILE.as_bytes(), true).unwrap();
        let kinds = [HitKind::Message];
        let outcome = measure(&memory, "ns", "own".to_owned(), read, &kinds, 10).unwrap();
        assert_eq!((outcome.messages, outcome.sessions, outcome.unusable), (3, 2, 1));
        let (all, categories, queries) = sums(&[outcome], 10);
        assert_eq!(all.row(), ["2", "1.000", "1.000", "1.000", "1.000"]);
        assert_eq!(categories.keys().copied().collect::<Vec<_>>(), [2, 4]);
        assert_eq!(queries.len(), 2);
        let again = Conversation::parse(FILE.as_bytes(), true).unwrap();
        let error = measure(&memory, "ns", "own".to_owned(), again, &kinds, 10);
        assert!(error.err().unwrap().to_string().contains("has a namespace ns already"));
    }
}
