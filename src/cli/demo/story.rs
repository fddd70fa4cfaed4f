//! The sections of the demo, each made of calls that anyone can make over HTTP.

use super::NAMESPACE;
use crate::api::wire::{
    AdoptionAnswerBody, AssessAnswerBody, BlockBody, ContextBody, EntityBody, EntityStateBody,
    EventBody, FactBody, ListBody, NamespaceBody, OccurrenceBody, RecallAnswerBody, RecallItemBody,
    WhyBody,
};
use crate::cli::door::{Door, encode};
use crate::cli::output::{self, add, indent, interval, line, table, when};
use crate::cli::session::{namespace_path, with_params};
use crate::cli::verbs::render_why;
use anyhow::Context;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The property that the story follows.
const PROPERTY: &str = "package_manager";
/// After the first Block was sealed, before anyone spoke of pnpm.
const BEFORE: &str = "2026-05-07T12:00:00+08:00";
/// The day after the switch.
const AFTER: &str = "2026-05-09T12:00:00+08:00";
/// The question that recall, gate and adoption are about.
const QUESTION: &str = "Which package manager does the project use now?";
/// Events shown one by one.
const EVENTS_SHOWN: usize = 14;

/// The story as it is told.
pub struct Story<'a> {
    pub door: &'a Door,
    pub thread: String,
    project: String,
    json: bool,
    told: Map<String, Value>,
    number: usize,
}

/// What the gate let pass.
pub struct Decision {
    assessment: String,
    accepted: Vec<String>,
    event: String,
}

impl<'a> Story<'a> {
    /// Starts with nothing told.
    pub fn new(door: &'a Door, json: bool) -> Self {
        Self {
            door,
            thread: "main".to_owned(),
            project: String::new(),
            json,
            told: Map::new(),
            number: 0,
        }
    }

    /// Returns a path below the demo's namespace.
    pub fn path(rest: &str) -> String {
        namespace_path(NAMESPACE, rest)
    }

    /// Says whether the folder holds a demo already.
    pub async fn is_told_already(&self) -> anyhow::Result<bool> {
        let page: ListBody<NamespaceBody> = self.door.get("/v1/namespaces").await?.json()?;
        Ok(page.items.iter().any(|info| info.name == NAMESPACE))
    }

    /// Tells one section.
    pub fn section(&mut self, title: &str, answer: &Value, text: &str) -> anyhow::Result<()> {
        self.number += 1;
        if self.json {
            let key = title.to_lowercase().replace([' ', ','], "_");
            self.told.insert(key, answer.clone());
            return Ok(());
        }
        let head = format!("{}. {title}", self.number);
        let rule = "─".repeat(head.chars().count());
        let gap = if self.number == 1 { "" } else { "\n" };
        output::text(&format!("{gap}{head}\n{rule}\n{}", text.trim_end()))
    }

    /// Returns all that was told as one JSON object.
    pub fn into_json(self) -> Value {
        Value::Object(self.told)
    }

    /// Blocks at their levels, and one Block at all six.
    pub async fn blocks(&mut self) -> anyhow::Result<()> {
        let path = with_params(&Self::path("/context"), [("thread", Some(self.thread.as_str()))]);
        let context: ContextBody = self.door.get(&path).await?.json()?;
        let rows: Vec<Vec<String>> = context
            .blocks
            .iter()
            .map(|block| {
                vec![
                    block.seq.to_string(),
                    block.level.clone(),
                    format!("{:.2}", block.weight),
                    block.tokens.to_string(),
                    line(&block.text, 84),
                ]
            })
            .collect();
        let mut text = String::from(
            "What stands in for the history: old Blocks decay from the source (L5) to a title (L0).\n\n",
        );
        text.push_str(&table(&["block", "level", "weight", "tokens", "view"], &rows));
        add!(
            text,
            "tail   {} messages as they were said\n{} tokens in all\n",
            context.tail.len(),
            context.tokens
        );
        if let Some(first) = context.blocks.first() {
            text.push_str(
                "\nThe first Block at every level (nothing is lost, L5 is the source):\n",
            );
            for level in ["L0", "L1", "L2", "L3", "L4", "L5"] {
                let path = Self::path(&format!("/blocks/{}?level={level}", encode(&first.id)));
                let block: BlockBody = self.door.get(&path).await?.json()?;
                add!(text, "  {level} {:>4} tokens  {}\n", block.tokens, line(&block.text, 84));
            }
        }
        self.section("Blocks at their levels", &serde_json::to_value(&context)?, &text)
    }

    /// Events with their words.
    pub async fn events(&mut self) -> anyhow::Result<()> {
        let page: ListBody<EventBody> =
            self.door.get(&Self::path("/events?limit=1000")).await?.json()?;
        let mut text = String::from("Each Event names its sources; none is ever edited.\n\n");
        for event in page.items.iter().take(EVENTS_SHOWN) {
            text.push_str(&event_lines(event));
        }
        if page.items.len() > EVENTS_SHOWN {
            add!(text, "… and {} more\n", page.items.len() - EVENTS_SHOWN);
        }
        self.section("Events", &serde_json::to_value(&page)?, &text)
    }

    /// The project's state before and after the switch, on both clocks.
    pub async fn graph_before_and_after(&mut self) -> anyhow::Result<()> {
        self.project = self.find_project().await?;
        let project = self.project.clone();
        let now = self.state(&project, None, None).await?;
        let then = self.state(&project, Some(BEFORE), None).await?;
        let known = self.state(&project, Some(AFTER), Some(BEFORE)).await?;
        let mut text = format!(
            "Two clocks: when it held in the world, and when we came to know.\n\n{}\n",
            now.entity.label
        );
        add!(text, "  7 May            {}\n", values(&then.current));
        add!(text, "  now              {}\n", values(&now.current));
        add!(text, "  9 May, as known\n  on 7 May         {}\n", values(&known.current));
        text.push_str("\nwhat used to be true\n");
        for fact in &now.superseded {
            add!(text, "  {}\n", fact_line(fact));
        }
        let answer = json!({"before": then, "after": now, "after_as_known_before": known});
        self.section("The graph before and after", &answer, &text)
    }

    /// Finds the entity whose package manager is known, best one whose package manager changed.
    async fn find_project(&self) -> anyhow::Result<String> {
        let entities: ListBody<EntityBody> =
            self.door.get(&Self::path("/entities?limit=1000")).await?.json()?;
        let is_ours = |fact: &FactBody| fact.property == PROPERTY;
        let mut found = None;
        for entity in entities.items {
            let state = self.state(&entity.id, None, None).await?;
            if !state.current.iter().any(is_ours) {
                continue;
            }
            if state.superseded.iter().any(is_ours) {
                return Ok(entity.id);
            }
            found.get_or_insert(entity.id);
        }
        found.with_context(|| format!("the engine found no {PROPERTY} in the conversation"))
    }

    async fn state(
        &self,
        entity: &str,
        valid_at: Option<&str>,
        known_at: Option<&str>,
    ) -> anyhow::Result<EntityStateBody> {
        let path = Self::path(&format!("/entities/{}", encode(entity)));
        let params = [("valid_at", valid_at), ("known_at", known_at)];
        self.door.get(&with_params(&path, params)).await?.json()
    }

    /// A recall for the question. Returns it, for the gate.
    pub async fn recall(&mut self) -> anyhow::Result<RecallAnswerBody> {
        let answer: RecallAnswerBody =
            self.door.post(&Self::path("/recall"), &json!({"query": QUESTION})).await?.json()?;
        let mut text = format!("\"{QUESTION}\"\n\n{}\n\n", indent(answer.text.trim_end(), 2));
        add!(text, "{} tokens; reading it changed no weight.\n", answer.tokens);
        for signal in &answer.signals {
            add!(text, "signal {}: {}\n", signal.signal, signal.detail);
        }
        self.section("A recall", &serde_json::to_value(&answer)?, &text)?;
        Ok(answer)
    }

    /// Picks the recalled Event that the present value rests on, the opening one before others, or
    /// else the first.
    async fn evidence<'r>(
        &self,
        recalled: &'r RecallAnswerBody,
    ) -> anyhow::Result<&'r RecallItemBody> {
        let state = self.state(&self.project, None, None).await?;
        let fact = state.current.iter().find(|fact| fact.property == PROPERTY);
        let recalled_as = |id: &String| recalled.items.iter().find(|item| item.id == *id);
        fact.into_iter()
            .flat_map(|fact| &fact.events)
            .find_map(recalled_as)
            .or_else(|| recalled.items.iter().find(|item| item.kind == "event"))
            .context("the recall found no Event, so there is nothing to assess")
    }

    /// Two verdicts before the gate: one without evidence, one with.
    pub async fn gate(&mut self, recalled: &RecallAnswerBody) -> anyhow::Result<Decision> {
        let item = self.evidence(recalled).await?;
        let verdict = |refs: &[&str]| {
            json!({"batch": recalled.batch, "verdict": "sufficient", "evidence_refs": refs,
                "fit": "names the package manager and since when", "missing": "",
                "next_strategy": "answer"})
        };
        let path = Self::path("/assess");
        let foreign: AssessAnswerBody =
            self.door.post(&path, &verdict(&["from-another-batch"])).await?.json()?;
        let backed: AssessAnswerBody =
            self.door.post(&path, &verdict(&[&item.evidence_ref])).await?.json()?;
        let mut text = String::from("\"sufficient\" with a ref that is not of this batch:\n");
        add!(text, "  {} -> {}: {}\n", "sufficient", foreign.verdict, foreign.reason);
        for rejected in &foreign.rejected {
            add!(text, "  rejected {}: {}\n", rejected.evidence_ref, rejected.reason);
        }
        add!(text, "\n\"sufficient\" with [{}], {}:\n", item.evidence_ref, item.id);
        add!(text, "  {} -> {}: {}\n", "sufficient", backed.verdict, backed.reason);
        for signal in &backed.signals {
            add!(text, "  signal {}: {}\n", signal.signal, signal.detail);
        }
        let answer = json!({"foreign": foreign, "backed": backed});
        self.section("The evidence gate", &answer, &text)?;
        Ok(Decision {
            assessment: backed.assessment,
            accepted: backed.accepted,
            event: item.id.clone(),
        })
    }

    /// An adoption, its effect on the weight, and its repetition.
    pub async fn adoption(&mut self, decision: &Decision) -> anyhow::Result<()> {
        let event = Self::path(&format!("/events/{}", encode(&decision.event)));
        let before: EventBody = self.door.get(&event).await?.json()?;
        let receipt = json!({"receipt_id": "demo-answer-1", "assessment": decision.assessment,
            "evidence_refs": decision.accepted});
        let path = Self::path("/adoptions");
        let first: AdoptionAnswerBody = self.door.post(&path, &receipt).await?.json()?;
        let after: EventBody = self.door.get(&event).await?.json()?;
        let again: AdoptionAnswerBody = self.door.post(&path, &receipt).await?.json()?;
        let text = format!(
            "The Event was really used in an answer; only that reinforces.\n\n  {}\n  {}: weight {:.4} -> {:.4}, adoptions {} -> {}\n  the same receipt again: {}, weight unchanged\n",
            after.title,
            first.status,
            before.weight,
            after.weight,
            before.adoptions,
            after.adoptions,
            again.status,
        );
        let answer = json!({"before": before, "adoption": first, "after": after, "again": again});
        self.section("An adoption", &answer, &text)
    }

    /// From pnpm to the sentence, in one call.
    pub async fn why(&mut self) -> anyhow::Result<()> {
        let project = self.project.clone();
        let params = [("entity", Some(project.as_str())), ("property", Some(PROPERTY))];
        let why: WhyBody =
            self.door.get(&with_params(&Self::path("/why"), params)).await?.json()?;
        self.section("Why", &serde_json::to_value(&why)?, &render_why(&why))
    }

    /// What is only planned.
    pub async fn plans(&mut self) -> anyhow::Result<()> {
        let page: ListBody<EventBody> =
            self.door.get(&Self::path("/events?status=planned&limit=1000")).await?.json()?;
        let open: Vec<&EventBody> =
            page.items.iter().filter(|event| event.superseded_by.is_empty()).collect();
        let mut text = String::from(
            "A plan is not a fact: none of these became \"done\" by being said, or by its date passing.\n\n",
        );
        for event in &open {
            text.push_str(&event_lines(event));
        }
        self.section("Plans are still plans", &serde_json::to_value(&open)?, &text)
    }

    /// How to go on.
    pub fn what_next(&mut self, kept: Option<&Path>) -> anyhow::Result<()> {
        let Some(folder) = kept else {
            let text = "The demo's folder is removed now. Keep one and look around:\n\n  \
                stratagate demo --data ./demo-memory\n  \
                stratagate --data ./demo-memory serve --clock messages\n\n\
                Your own memory: `stratagate serve`, then POST turns to\n\
                http://127.0.0.1:7437/v1/namespaces/NAME/turns (docs: GET /openapi.json).";
            return self.section("What next", &Value::Null, text);
        };
        let data = format!("'{}'", folder.display().to_string().replace('\'', "'\\''"));
        let base = format!("http://127.0.0.1:7437/v1/namespaces/{NAMESPACE}");
        let text = format!(
            "The memory stays in {data}. Serve it:\n\n  \
             stratagate --data {data} serve --clock messages\n\n\
             and ask, in another terminal:\n\n  \
             curl '{base}/why?entity={}&property={PROPERTY}'\n  \
             curl '{base}/entities?type=project'\n  \
             curl '{base}/sparql' --data-urlencode 'query=SELECT ?s ?p ?o WHERE {{ ?s ?p ?o }} LIMIT 20'\n  \
             curl '{base}/export?format=trig' > demo.trig\n\n\
             or without a server:\n\n  \
             stratagate --data {data} -n {NAMESPACE} search pnpm\n  \
             stratagate --data {data} -n {NAMESPACE} query --list\n  \
             stratagate --data {data} check",
            encode(&self.project),
        );
        self.section("What next", &json!({"data": folder, "namespace": NAMESPACE}), &text)
    }
}

fn event_lines(event: &EventBody) -> String {
    let mut text = format!(
        "{}  {} / {}: {}\n",
        when(&event.mentioned_at),
        event.kind,
        event.status,
        line(&event.title, 90)
    );
    let time = occurrence(&event.occurred);
    if !time.is_empty() {
        add!(text, "    when: {time}\n");
    }
    if let Some(quote) = event.quotes.first() {
        add!(text, "    {} said: \"{}\"\n", event.speaker, line(&quote.text, 100));
    }
    text
}

fn occurrence(occurred: &OccurrenceBody) -> String {
    let days = match (&occurred.local_from, &occurred.local_to) {
        (Some(from), Some(to)) if from == to => from.clone(),
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (Some(from), None) => format!("from {from}"),
        (None, Some(to)) => format!("until {to}"),
        (None, None) => return occurred.expression.clone().unwrap_or_default(),
    };
    match &occurred.expression {
        Some(words) => format!("{days} ({}, \"{words}\")", occurred.precision),
        None => format!("{days} ({}, {})", occurred.precision, occurred.basis),
    }
}

fn values(facts: &[FactBody]) -> String {
    if facts.is_empty() {
        return "nothing known".to_owned();
    }
    let values: Vec<String> =
        facts.iter().map(|fact| format!("{} = {}", fact.property, fact.value)).collect();
    values.join(", ")
}

fn fact_line(fact: &FactBody) -> String {
    let period = interval(fact.valid_from.as_deref(), fact.valid_to.as_deref());
    let reason = fact.reason.as_deref().unwrap_or("ended");
    format!("{} = {}, {period}, {reason}", fact.property, fact.value)
}
