//! `stratagate eval gold`: the built-in engine against dialogues whose Events are known, and
//! retrieval and abstention end to end.

use super::retrieval::{Scores, cutoffs, request};
use crate::cli::args::Global;
use crate::cli::measure::{Folder, Samples, new_namespace, rounded, settle};
use crate::cli::output::{self, add, indent, table};
use crate::extract::Rules;
use crate::extract::gold::{Counts, GoldFile, Score, score};
use crate::memory::{HitKind, Memory, NewMessage, NewTurn};
use crate::model::Role;
use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
First each dialogue is given to the built-in engine as one Block, and its Events and claims are
compared with the gold ones. Then each is recorded in a namespace of its own, a turn from each user
message on, with times and offsets as given, sealed and worked off, and its questions are searched
for: recall at k of the evidence, and whether a question that cannot be answered finds nothing.

Examples:
  stratagate eval gold dialogues/*.json
  stratagate eval gold dialogues/trip.json --notes
  stratagate eval gold dialogues/*.json --in messages,events --json")]
pub struct Args {
    /// Gold dialogues, one JSON object a file
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Hits asked for
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    k: u16,
    /// What to search: events, facts, messages, blocks
    #[arg(long = "in", value_name = "KINDS", value_delimiter = ',', default_value = "messages")]
    kinds: Vec<String>,
    /// Also say what was missed, what was made up, and which times are wrong
    #[arg(long)]
    notes: bool,
}

#[derive(Deserialize)]
struct Asked {
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    id: String,
    #[serde(rename = "question")]
    words: String,
    answerable: bool,
    #[serde(default)]
    evidence: BTreeSet<String>,
}

/// How often the memory kept silent.
#[derive(Debug, Clone, Copy, Default)]
struct Silence {
    /// Questions that cannot be answered, and those of them that found nothing.
    unanswerable: (usize, usize),
    /// Questions that can be answered, and those of them that found nothing.
    answerable: (usize, usize),
}

/// The outcome for one dialogue.
struct Outcome {
    name: String,
    score: Score,
    retrieval: Scores,
    silence: Silence,
    notes: Vec<String>,
    queries: Samples,
}

pub fn run(global: &Global, args: &Args) -> anyhow::Result<()> {
    let kinds = super::kinds(&args.kinds)?;
    let mut dialogues = Vec::new();
    for path in &args.files {
        let bytes = super::read(path)?;
        let shape = || format!("{} is no gold dialogue", path.display());
        let file: GoldFile = from_json(&bytes).with_context(shape)?;
        let asked: Asked = from_json(&bytes).with_context(shape)?;
        dialogues.push((file, asked.questions));
    }
    let folder = Folder::choose(global, "stratagate-eval-")?;
    let memory = folder.open()?;
    let mut outcomes = Vec::new();
    for (place, (file, questions)) in dialogues.iter().enumerate() {
        let namespace = format!("gold-{}-{}", place + 1, file.id);
        outcomes.push(measure(&memory, &namespace, file, questions, &kinds, usize::from(args.k))?);
    }
    memory.close();
    let total = total(&outcomes, usize::from(args.k));
    if global.json {
        return output::json(&as_json(&outcomes, &total, args));
    }
    output::text(&as_text(&outcomes, &total, args))
}

fn from_json<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> anyhow::Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    Ok(serde_path_to_error::deserialize(&mut reader)?)
}

fn measure(
    memory: &Memory,
    namespace: &str,
    file: &GoldFile,
    questions: &[Question],
    kinds: &[HitKind],
    k: usize,
) -> anyhow::Result<Outcome> {
    let mut score = score(file, &Rules)?;
    let mut notes = std::mem::take(&mut score.notes);
    let ns = new_namespace(memory, namespace)?;
    memory.record(&ns, turns(file))?;
    memory.seal(&ns, None)?;
    settle(memory, &ns)?;
    let mut retrieval = Scores::new(&cutoffs(k));
    let mut silence = Silence::default();
    let mut queries = Samples::default();
    for question in questions {
        let request = request(&question.words, kinds, k);
        let answer = queries.time(|| memory.search(&ns, &request))?;
        let silent = answer.hits.is_empty();
        let counts =
            if question.answerable { &mut silence.answerable } else { &mut silence.unanswerable };
        counts.0 += 1;
        counts.1 += usize::from(silent);
        if question.answerable && !question.evidence.is_empty() {
            retrieval.add(&question.evidence, &answer.hits);
        }
        match answer.hits.first() {
            None if question.answerable => {
                notes
                    .push(format!("{} {} found nothing: {}", file.id, question.id, question.words));
            }
            Some(hit) if !question.answerable => notes.push(format!(
                "{} {} cannot be answered, found {}: {}",
                file.id, question.id, hit.id, question.words
            )),
            _ => {}
        }
    }
    Ok(Outcome { name: file.id.clone(), score, retrieval, silence, notes, queries })
}

/// Cuts a dialogue into turns: each begins with what the user says.
fn turns(file: &GoldFile) -> Vec<NewTurn> {
    let mut turns: Vec<NewTurn> = Vec::new();
    for message in &file.messages {
        if turns.is_empty() || message.role == "user" {
            turns.push(NewTurn {
                turn_id: format!("{}/{}", file.id, turns.len() + 1),
                thread: Some(file.id.clone()),
                messages: Vec::new(),
            });
        }
        let new = NewMessage {
            id: Some(message.id.clone()),
            role: Role::from(message.role.clone()),
            speaker: message.speaker.clone(),
            content: message.content.clone(),
            at: Some(message.time.to_rfc3339()),
            name: message.name.clone(),
            tool_calls: message.tool_calls.clone(),
            tool_call_id: message.tool_call_id.clone(),
        };
        if let Some(turn) = turns.last_mut() {
            turn.messages.push(new);
        }
    }
    turns
}

fn total(outcomes: &[Outcome], k: usize) -> Outcome {
    let mut total = Outcome {
        name: "all".to_owned(),
        score: Score::default(),
        retrieval: Scores::new(&cutoffs(k)),
        silence: Silence::default(),
        notes: Vec::new(),
        queries: Samples::default(),
    };
    for outcome in outcomes {
        total.score.add(&outcome.score);
        total.retrieval.merge(&outcome.retrieval);
        total.queries.extend(&outcome.queries);
        let (sum, more) = (&mut total.silence, outcome.silence);
        sum.unanswerable.0 += more.unanswerable.0;
        sum.unanswerable.1 += more.unanswerable.1;
        sum.answerable.0 += more.answerable.0;
        sum.answerable.1 += more.answerable.1;
    }
    total
}

fn as_text(outcomes: &[Outcome], total: &Outcome, args: &Args) -> String {
    let all: Vec<&Outcome> = outcomes.iter().chain(std::iter::once(total)).collect();
    let share = |(part, whole): (usize, usize)| format!("{part} of {whole}");
    let events: Vec<Vec<String>> = all
        .iter()
        .map(|outcome| {
            let counts = &outcome.score.all;
            vec![
                outcome.name.clone(),
                counts.gold.to_string(),
                counts.made.to_string(),
                counts.found.to_string(),
                format!("{:.3}", counts.precision()),
                format!("{:.3}", counts.recall()),
                format!("{:.3}", counts.f1()),
                format!("{:.3}", counts.time_accuracy()),
                share((outcome.score.facts.1, outcome.score.facts.0)),
            ]
        })
        .collect();
    let mut text = "Events by the built-in engine\n".to_owned();
    let header =
        ["dialogue", "gold", "made", "found", "precision", "recall", "f1", "time", "facts stated"];
    text.push_str(&table(&header, &events));
    text.push_str("\nBy type class\n");
    text.push_str(&total.score.to_string());
    let found: Vec<Vec<String>> = all
        .iter()
        .map(|outcome| {
            let mut row = vec![outcome.name.clone()];
            row.extend(outcome.retrieval.row());
            let (asked, silent) = outcome.silence.unanswerable;
            row.push(share((silent, asked)));
            let (asked, silent) = outcome.silence.answerable;
            row.push(share((silent, asked)));
            row
        })
        .collect();
    let mut header = vec!["dialogue".to_owned()];
    header.extend(total.retrieval.header());
    header.extend(["abstained".to_owned(), "wrongly silent".to_owned()]);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    add!(text, "\nQuestions, searching {}\n{}", args.kinds.join(", "), table(&header, &found));
    add!(
        text,
        "a query took {:.1} ms (p50), {:.1} ms (p99)\n",
        total.queries.percentile_ms(0.5),
        total.queries.percentile_ms(0.99)
    );
    if args.notes {
        text.push_str("\nNotes\n");
        for note in outcomes.iter().flat_map(|outcome| &outcome.notes) {
            text.push_str(&indent(note, 2));
            text.push('\n');
        }
    }
    text
}

fn as_json(outcomes: &[Outcome], total: &Outcome, args: &Args) -> Value {
    let counts = |counts: &Counts| {
        json!({
            "gold": counts.gold,
            "made": counts.made,
            "found": counts.found,
            "dated": counts.dated,
            "precision": rounded(counts.precision()),
            "recall": rounded(counts.recall()),
            "f1": rounded(counts.f1()),
            "time_accuracy": rounded(counts.time_accuracy()),
        })
    };
    let one = |outcome: &Outcome| {
        let classes: serde_json::Map<String, Value> = outcome
            .score
            .classes
            .iter()
            .map(|(class, of)| ((*class).to_owned(), counts(of)))
            .collect();
        json!({
            "name": outcome.name,
            "events": counts(&outcome.score.all),
            "classes": classes,
            "facts": {"gold": outcome.score.facts.0, "stated": outcome.score.facts.1},
            "retrieval": outcome.retrieval.json(),
            "unanswerable": {
                "questions": outcome.silence.unanswerable.0,
                "abstained": outcome.silence.unanswerable.1,
            },
            "answerable": {
                "questions": outcome.silence.answerable.0,
                "wrongly_silent": outcome.silence.answerable.1,
            },
            "query": outcome.queries.json(),
            "notes": outcome.notes,
        })
    };
    json!({
        "k": args.k,
        "in": args.kinds,
        "overall": one(total),
        "dialogues": outcomes.iter().map(one).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_with_the_user_and_keeps_what_follows() {
        let file: GoldFile = serde_json::from_str(
            r#"{"id": "d", "lang": "en", "events": [], "messages": [
                {"id": "m0", "time": "2026-03-02T09:59:00+01:00", "role": "system", "content": "Be kind."},
                {"id": "m1", "time": "2026-03-02T10:00:00+01:00", "role": "user", "content": "Hi"},
                {"id": "m2", "time": "2026-03-02T10:00:10+01:00", "role": "assistant", "content": "Hello"},
                {"id": "m3", "time": "2026-03-02T10:01:00+01:00", "role": "user", "content": "Bye"}
            ]}"#,
        )
        .unwrap();
        let turns = turns(&file);
        let ids: Vec<Vec<&str>> = turns
            .iter()
            .map(|turn| turn.messages.iter().filter_map(|m| m.id.as_deref()).collect())
            .collect();
        assert_eq!(ids, [vec!["m0"], vec!["m1", "m2"], vec!["m3"]]);
        assert_eq!(turns[2].messages[0].at.as_deref(), Some("2026-03-02T10:01:00+01:00"));
    }
}
