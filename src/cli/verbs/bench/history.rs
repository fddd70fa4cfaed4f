//! `stratagate bench history`: questions about the past, at sizes that only the bulk path reaches.
//!
//! Every conversation is a day. Nine of ten days speak of a project of their own with ten Slots
//! (who owns which of its parts), every tenth of ten Slots more of one project that therefore holds
//! a tenth of all Facts. Each Slot changes hands a hundred times in its day; a message says four
//! such changes. So a million Facts are 10,000 Slots in a thousand days.

use super::corpus::Random;
use super::report::{Figure, Operation, Report, Stage};
use super::{baseline, machine};
use crate::cli::args::Global;
use crate::cli::measure::{Folder, Samples};
use crate::cli::output::{self, Progress};
use crate::clock::Clock;
use crate::extract::{BlockInput, Engine, EngineError, Extraction};
use crate::memory::{
    AsOf, BulkConversation, BulkTurn, DiffClock, EntityView, Memory, MemoryOptions, NewMessage,
    NewTurn, PageRequest, REPLACED_LINKS, SettingsPatch, WhyQuestion,
};
use crate::model::{
    BlockId, BlockSummary, Claim, ClaimOp, ClaimValue, Criticality, EntityKind, EntityRef, Event,
    EventKind, EventStatus, Extractor, FactId, MessageId, NamespaceName, Occurrence, Quote, Role,
    Scope, Stamp, ThreadId, TxTime, ValidTime, to_rfc3339,
};
use crate::store::QueryOptions;
use crate::store::reader::ReaderProgram;
use anyhow::{Context, bail};
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Slots of one conversation, versions of each, and changes that one message tells.
const SLOTS: usize = 10;
const VERSIONS: usize = 100;
const TOLD: usize = 4;
/// Facts of one conversation.
const FACTS: usize = SLOTS * VERSIONS;
/// Turns of a Block: each conversation gives ten.
const BLOCK_TURNS: u32 = 25;
/// One conversation of so many is about the project that all know.
const HOT: usize = 10;
const HOT_NAME: &str = "harbour";
/// People who can own something.
const PEOPLE: usize = 500;
/// When a day's conversation is recorded, after it began.
const EVENING: TimeDelta = TimeDelta::hours(12);
/// Slots on a page of an entity's state, and entries on one of its timeline.
const PAGE: usize = 5;
const ENTRIES: usize = 50;
/// Longest time that one operation may take in all, and fewest samples.
const PATIENCE: Duration = Duration::from_secs(20);
const LEAST: usize = 3;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
The namespaces stay in the folder, so a second run with the same --data measures at once.
A million facts take about 20 GB of disk while they are loaded.

Examples:
  stratagate bench history --data /srv/bench --facts 100000,1000000 --versions 10000
  stratagate bench history --facts 10000 --versions 1000 --json > history.json")]
pub struct Args {
    /// Numbers of facts at which everything is measured; whole thousands
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "100000")]
    facts: Vec<usize>,
    /// Versions of the one Slot that is measured by itself; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    versions: usize,
    /// Samples of each operation; fewer where it takes long
    #[arg(long, value_name = "N", default_value_t = 300)]
    samples: usize,
}

/// A Slot that can be asked about.
#[derive(Clone)]
struct Asked {
    entity: String,
    part: String,
    /// Its first instant and its last.
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    /// When about half of it was known.
    known: DateTime<Utc>,
}

struct Bench<'a> {
    memory: &'a Memory,
    ns: NamespaceName,
    samples: usize,
    random: Random,
}

/// Fills and measures.
pub fn measure(global: &Global, args: &Args) -> anyhow::Result<()> {
    if args.samples == 0 || args.facts.iter().any(|facts| *facts < FACTS || facts % FACTS != 0) {
        bail!("--facts are whole thousands and --samples at least 1");
    }
    let folder = Folder::choose(global, "stratagate-bench-")?;
    let mut stages = Vec::new();
    for facts in &args.facts {
        stages.push(stage(&folder, *facts, args.samples)?);
    }
    if args.versions > 0 {
        stages.push(one_slot(&folder, args.versions, args.samples)?);
    }
    let report = Report {
        load: machine::load(),
        processors: machine::processors(),
        seed: 0,
        stages,
        optimised: Vec::new(),
    };
    if global.json { output::json(&report.json()) } else { output::text(&report.text()) }
}

fn begin() -> anyhow::Result<DateTime<Utc>> {
    Utc.with_ymd_and_hms(2022, 3, 1, 6, 0, 0).single().context("the start of the conversations")
}

/// Fills a namespace where the folder has none of that name, and says how fast.
fn filled(
    folder: &Folder,
    ns: &NamespaceName,
    conversations: impl Iterator<Item = BulkConversation>,
    facts: usize,
    stage: &mut Stage,
) -> anyhow::Result<()> {
    let memory = Memory::open(MemoryOptions {
        data: folder.path().to_owned(),
        // What was known when follows the conversations.
        clock: Clock::messages(),
        readers: ReaderProgram::this(None),
    })?;
    if memory.names()?.contains(ns) {
        let held = memory.namespace(ns)?.counts.facts as usize;
        memory.close();
        if held < facts {
            bail!("{ns} was not filled to its end; remove it and run again");
        }
        return Ok(());
    }
    eprintln!("bench: filling {ns} with {facts} facts");
    let started = Instant::now();
    let patch = SettingsPatch { block_turns: Some(BLOCK_TURNS), ..SettingsPatch::default() };
    memory.configure(ns, &patch)?;
    let mut progress = Progress::new();
    let mut told = 0;
    memory.get(ns)?.fill(conversations.inspect(|conversation| {
        told += conversation.turns.len() * TOLD;
        progress.show(&format!("{told} of {facts} facts"));
    }))?;
    memory.close();
    let rate = facts as f64 / started.elapsed().as_secs_f64().max(1e-9);
    stage.figure(Figure::new("filled by the bulk path", rate, "facts/s"));
    Ok(())
}

fn stage(folder: &Folder, facts: usize, samples: usize) -> anyhow::Result<Stage> {
    let ns = NamespaceName::new(format!("history-{facts}"))?;
    let mut stage = Stage::default();
    let days = facts / FACTS;
    let start = begin()?;
    let conversations = (0..days).map(|day| conversation(start, day));
    filled(folder, &ns, conversations, facts, &mut stage)?;
    let memory = opened(folder, &ns, &mut stage)?;
    let mut bench = Bench { memory: &memory, ns, samples, random: Random::new(7) };
    let cold: Vec<usize> = (0..days).filter(|day| !is_hot(*day)).collect();
    let hot: Vec<usize> = (0..days).filter(|day| is_hot(*day)).collect();
    for (days, names) in [(&cold, COLD_NAMES), (&hot, HOT_NAMES)] {
        if days.is_empty() {
            continue;
        }
        let slots: Vec<Asked> = (0..samples)
            .map(|_| asked(start, *bench.random.one(days), bench.random.below(SLOTS)))
            .collect();
        bench.questions(&slots, names, &mut stage)?;
    }
    bench.whole(start, days, &mut stage)?;
    let floor = baseline::plain_oxigraph(folder.path(), facts.min(200_000), samples)?;
    stage.operation(Operation::new("plain Oxigraph, ten quads", floor));
    let info = memory.namespace(&bench.ns)?;
    stage.messages = info.counts.messages;
    stage.figure(Figure::new("facts", info.counts.facts as f64, ""));
    stage.figure(Figure::new("slots", (days * SLOTS) as f64, ""));
    memory.close();
    Ok(stage)
}

/// One Slot with a long history, by itself.
fn one_slot(folder: &Folder, versions: usize, samples: usize) -> anyhow::Result<Stage> {
    let ns = NamespaceName::new(format!("versions-{versions}"))?;
    let mut stage = Stage::default();
    let start = begin()?;
    let whole = versions - versions % BLOCK_TURNS as usize;
    let turns = (0..whole).map(|version| {
        let at = start + TimeDelta::minutes(version as i64);
        turn(&ns.to_string(), version, at, &[(HOT_NAME.to_owned(), "gate".to_owned(), version)])
    });
    let conversation = BulkConversation { at: start, turns: turns.collect() };
    filled(folder, &ns, std::iter::once(conversation), whole, &mut stage)?;
    let memory = opened(folder, &ns, &mut stage)?;
    let to = start + TimeDelta::minutes(whole as i64);
    let known = start + TimeDelta::minutes((whole / BLOCK_TURNS as usize / 2) as i64);
    let asked =
        Asked { entity: entity_id(HOT_NAME), part: "gate".to_owned(), from: start, to, known };
    let mut bench = Bench { memory: &memory, ns, samples, random: Random::new(7) };
    bench.questions(&vec![asked; samples], SLOT_NAMES, &mut stage)?;
    let info = memory.namespace(&bench.ns)?;
    stage.messages = info.counts.messages;
    stage.figure(Figure::new("versions of the one slot", info.counts.facts as f64, ""));
    memory.close();
    Ok(stage)
}

fn opened(folder: &Folder, ns: &NamespaceName, stage: &mut Stage) -> anyhow::Result<Memory> {
    let started = Instant::now();
    let memory = folder.open()?;
    memory.namespace(ns)?;
    stage.figure(Figure::new("open", started.elapsed().as_secs_f64(), "s").at_most(0.5));
    Ok(memory)
}

/// What the operations are called, for three kinds of Slots.
type Names = [&'static str; 7];
const COLD_NAMES: Names = [
    "current",
    "current, one page",
    "as of, valid time",
    "as of, both clocks",
    "why",
    "timeline, one page",
    "supersede",
];
const HOT_NAMES: Names = [
    "hot entity: current",
    "hot entity: current, one page",
    "hot entity: as of, valid time, one page",
    "hot entity: as of, both clocks, one page",
    "hot entity: why",
    "hot entity: timeline, one page",
    "hot entity: supersede",
];
const SLOT_NAMES: Names = [
    "one long slot: current",
    "one long slot: current, one page",
    "one long slot: as of, valid time",
    "one long slot: as of, both clocks",
    "one long slot: why",
    "one long slot: timeline, one page",
    "one long slot: supersede",
];

impl Bench<'_> {
    /// Takes samples until there are enough or it has taken long.
    fn take(
        &self,
        name: &str,
        slots: &[Asked],
        mut run: impl FnMut(&Asked) -> anyhow::Result<()>,
    ) -> anyhow::Result<Samples> {
        eprintln!("bench: {name}");
        let started = Instant::now();
        let mut samples = Samples::default();
        for slot in slots.iter().take(self.samples) {
            samples.time(|| run(slot))?;
            if started.elapsed() > PATIENCE && samples.len() >= LEAST {
                break;
            }
        }
        Ok(samples)
    }

    fn questions(
        &mut self,
        slots: &[Asked],
        names: Names,
        stage: &mut Stage,
    ) -> anyhow::Result<()> {
        let (memory, ns) = (self.memory, self.ns.clone());
        // Early enough to be among the half that was known.
        let early = |slot: &Asked| slot.from + (slot.to - slot.from) / 4;
        let now = EntityView { present_only: true, ..EntityView::default() };
        let page = EntityView { slots: Some(PAGE), ..now.clone() };
        let past = EntityView { slots: Some(PAGE), ..EntityView::default() };
        let mut add =
            |name, samples| stage.operation(Operation::new(name, samples).target_p99(10.0));
        let state = |slot: &Asked, as_of, view: &EntityView| {
            let state = memory.entity(&ns, &slot.entity, as_of, view)?;
            let said = state.current.len() + state.superseded.len() + state.planned.len();
            anyhow::ensure!(said > 0, "{} says nothing", slot.entity);
            Ok(())
        };
        add(names[0], self.take(names[0], slots, |slot| state(slot, AsOf::default(), &now))?);
        add(names[1], self.take(names[1], slots, |slot| state(slot, AsOf::default(), &page))?);
        let valid = self.take(names[2], slots, |slot| {
            state(slot, AsOf { valid_at: Some(ValidTime(early(slot))), known_at: None }, &past)
        })?;
        add(names[2], valid);
        let both = self.take(names[3], slots, |slot| {
            let (valid_at, known_at) = (Some(ValidTime(early(slot))), Some(TxTime(slot.known)));
            state(slot, AsOf { valid_at, known_at }, &past)
        })?;
        add(names[3], both);
        let mut facts: BTreeMap<String, Vec<FactId>> = BTreeMap::new();
        let mut whys = Vec::new();
        for slot in slots {
            if !facts.contains_key(&slot.entity) {
                let view = EntityView { present_only: true, ..EntityView::default() };
                let state = memory.entity(&ns, &slot.entity, AsOf::default(), &view)?;
                let ids = state.current.into_iter().map(|card| card.fact.id).collect();
                facts.insert(slot.entity.clone(), ids);
            }
            whys.push(self.random.one(&facts[&slot.entity]).clone());
        }
        let mut whys = whys.into_iter();
        let why = self.take(names[4], slots, |_| {
            let fact = whys.next().context("a fact for each sample")?;
            memory.why(&ns, &WhyQuestion::Fact(fact), REPLACED_LINKS)?;
            Ok(())
        })?;
        add(names[4], why);
        let entries = PageRequest { limit: Some(ENTRIES), cursor: None };
        let timeline = self.take(names[5], slots, |slot| {
            let (_, page) = memory.timeline(&ns, &slot.entity, AsOf::default(), &entries)?;
            anyhow::ensure!(!page.items.is_empty(), "{} has no history", slot.entity);
            Ok(())
        })?;
        add(names[5], timeline);
        let superseded = self.supersede(&slots[..slots.len().min(50)])?;
        add(names[6], superseded);
        Ok(())
    }

    /// The graph's part of a change: folding the Slot, journal and fsync, store.
    fn supersede(&self, slots: &[Asked]) -> anyhow::Result<Samples> {
        let namespace = self.memory.get(&self.ns)?;
        let mut samples = Samples::default();
        let run = Utc::now().timestamp_millis();
        for (place, slot) in slots.iter().enumerate() {
            let thread = format!("later-{run}-{place}");
            let name = slot.entity.trim_start_matches("project:").to_owned();
            let told = [(name, slot.part.clone(), PEOPLE + place)];
            let BulkTurn { turn, events } = turn(&thread, 0, Utc::now(), &told);
            self.memory.record(&self.ns, vec![turn])?;
            self.memory.seal(&self.ns, Some(&ThreadId::from(thread.as_str())))?;
            let engine = Known(events);
            while let Some(job) = namespace.next_job() {
                let started = Instant::now();
                namespace.run_job(&job, &engine)?;
                if job.kind == crate::store::JobKind::Project {
                    samples.push(started.elapsed());
                }
            }
        }
        Ok(samples)
    }

    /// What looks at the whole namespace.
    fn whole(&self, start: DateTime<Utc>, days: usize, stage: &mut Stage) -> anyhow::Result<()> {
        let (memory, ns) = (self.memory, &self.ns);
        let everywhere: Vec<Asked> =
            (0..self.samples).map(|place| asked(start, place % days, 0)).collect();
        for (name, clock) in [
            ("diff over a day, valid time", DiffClock::Valid),
            ("diff over a day, known", DiffClock::Known),
        ] {
            let samples = self.take(name, &everywhere, |slot| {
                let diff = memory.diff(ns, slot.from, slot.from + TimeDelta::days(1), clock)?;
                anyhow::ensure!(!diff.added.is_empty(), "nothing changed on a day");
                Ok(())
            })?;
            stage.operation(Operation::new(name, samples));
        }
        let samples = self.take("conflicts (view)", &everywhere, |_| {
            memory.named_query(ns, "conflicts", &BTreeMap::new(), &QueryOptions::default())?;
            Ok(())
        })?;
        stage.operation(Operation::new("conflicts (view)", samples).target_p99(10.0));
        Ok(())
    }
}

/// An engine that knows already what is to be found.
struct Known(Vec<Event>);

impl Engine for Known {
    fn name(&self) -> &'static str {
        "known"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn summarise(&self, _: &BlockInput<'_>) -> Result<BlockSummary, EngineError> {
        Ok(BlockSummary {
            title: "A change".to_owned(),
            tags: Vec::new(),
            short: "A change".to_owned(),
            key_facts: Vec::new(),
        })
    }

    fn extract(&self, input: &BlockInput<'_>) -> Result<Extraction, EngineError> {
        let event = |event: &Event| Event { block: input.block.clone(), ..event.clone() };
        Ok(Extraction { events: self.0.iter().map(event).collect(), rejected: Vec::new() })
    }
}

fn is_hot(day: usize) -> bool {
    day % HOT == HOT - 1
}

fn entity_id(name: &str) -> String {
    EntityRef::new(EntityKind::Project, name).id().0
}

/// The Slots of a day: entity and part.
fn slot(day: usize, place: usize) -> (String, String) {
    if is_hot(day) {
        (HOT_NAME.to_owned(), format!("dock {}", day * SLOTS + place))
    } else {
        (format!("site {day}"), format!("part {place}"))
    }
}

fn asked(start: DateTime<Utc>, day: usize, place: usize) -> Asked {
    let (name, part) = slot(day, place);
    let from = start + TimeDelta::days(day as i64);
    let turns = (FACTS / TOLD) as i64;
    // See `conversation`: Block by Block in the evening.
    let known = from + EVENING + TimeDelta::minutes(turns / i64::from(BLOCK_TURNS) / 2);
    Asked { entity: entity_id(&name), part, from, to: from + TimeDelta::minutes(turns), known }
}

/// A day of a namespace: the Slots change in turn.
fn conversation(start: DateTime<Utc>, day: usize) -> BulkConversation {
    let from = start + TimeDelta::days(day as i64);
    let thread = format!("day-{day}");
    let turns = (0..FACTS / TOLD).map(|number| {
        let told: Vec<(String, String, usize)> = (0..TOLD)
            .map(|place| {
                let change = number * TOLD + place;
                let (entity, part) = slot(day, change % SLOTS);
                (entity, part, change / SLOTS)
            })
            .collect();
        turn(&thread, number, from + TimeDelta::minutes(number as i64), &told)
    });
    // All of it is recorded in the evening.
    BulkConversation { turns: turns.collect(), at: from + EVENING }
}

/// A turn that tells who owns what from then on: entity, part, and which version it is.
fn turn(
    thread: &str,
    number: usize,
    at: DateTime<Utc>,
    told: &[(String, String, usize)],
) -> BulkTurn {
    let owner = |part: &str, version: usize| {
        let shift = part.bytes().map(usize::from).sum::<usize>();
        format!("Person {}", (shift * 7 + version) % PEOPLE)
    };
    let says: Vec<String> = told
        .iter()
        .map(|(entity, part, version)| format!("{} owns {part} of {entity}", owner(part, *version)))
        .collect();
    let text = format!("From now on {}.", says.join(", "));
    let id = MessageId::from(format!("{thread}-m{number}").as_str());
    let stamp = Stamp::given(at.fixed_offset());
    let claims = told.iter().map(|(entity, part, version)| Claim {
        subject: EntityRef::new(EntityKind::Project, entity.clone()),
        property: "owner".to_owned(),
        qualifier: Some(part.clone()),
        value: ClaimValue::Entity(EntityRef::new(EntityKind::Person, owner(part, *version))),
        op: ClaimOp::Assert,
        valid: None,
        planned: false,
        corrects: false,
    });
    let (kind, sources) = (EventKind::Change, vec![id.clone()]);
    let thread_id = ThreadId::from(thread);
    let event = Event {
        id: Event::id_for(&thread_id, &sources, kind, &text),
        title: format!("Owners of {}", told[0].0),
        summary: text.clone(),
        kind,
        status: EventStatus::Occurred,
        tags: Vec::new(),
        quotes: vec![Quote {
            message: id.clone(),
            start: 0,
            end: text.chars().count(),
            text: text.clone(),
        }],
        participants: Vec::new(),
        thread: thread_id,
        block: BlockId::from("b"),
        sources,
        mentioned_at: stamp,
        occurred: Occurrence::unknown(None),
        scope: Scope::Project,
        criticality: Criticality::Routine,
        relations: Vec::new(),
        speaker: "user".to_owned(),
        reason: None,
        extractor: Extractor { name: "bulk".to_owned(), version: "1".to_owned() },
        claims: claims.collect(),
    };
    let message = |id: String, role: &str, content: String, at: DateTime<Utc>| NewMessage {
        id: Some(id),
        role: Role::from(role.to_owned()),
        speaker: None,
        content: Some(content),
        at: Some(to_rfc3339(at)),
        name: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
    };
    let messages = vec![
        message(id.0, "user", text, at),
        message(
            format!("{thread}-a{number}"),
            "assistant",
            "Noted.".to_owned(),
            at + TimeDelta::seconds(20),
        ),
    ];
    let turn_id = format!("{thread}-{number}");
    BulkTurn {
        turn: NewTurn { turn_id, thread: Some(thread.to_owned()), messages },
        events: vec![event],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::ExportFormat;

    fn export(memory: &Memory, ns: &NamespaceName) -> Vec<String> {
        let mut out = Vec::new();
        memory.export(ns, ExportFormat::NQuads, &mut out).unwrap();
        let mut lines: Vec<String> =
            String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    #[test]
    fn what_the_bulk_path_fills_is_what_replaying_its_journal_gives() {
        let kept = tempfile::tempdir().unwrap();
        let folder = Folder::Given(kept.path().to_owned());
        let ns = NamespaceName::new("bulk").unwrap();
        // Two days of the project that all know, and one of another.
        let days = [HOT - 1, 3, 2 * HOT - 1];
        let start = begin().unwrap();
        let conversations = days.iter().enumerate().map(|(order, day)| {
            let at = start + TimeDelta::days(50 + order as i64);
            let mut conversation = BulkConversation { at, ..conversation(start, *day) };
            conversation.turns.truncate(2 * BLOCK_TURNS as usize);
            conversation
        });
        filled(&folder, &ns, conversations, 1, &mut Stage::default()).unwrap();
        let memory = folder.open().unwrap();
        let filled = export(&memory, &ns);
        let counts = memory.namespace(&ns).unwrap().counts;
        assert_eq!(counts.facts, 3 * 2 * u64::from(BLOCK_TURNS) * TOLD as u64);
        assert_eq!(memory.check(Some(&ns)).unwrap(), [(ns.clone(), Vec::new())]);
        memory.close();
        drop(memory);
        let store = std::fs::read_dir(kept.path().join("namespaces")).unwrap();
        for namespace in store {
            std::fs::remove_dir_all(namespace.unwrap().path().join("store")).unwrap();
        }
        let memory = folder.open().unwrap();
        let replayed = export(&memory, &ns);
        assert_eq!(memory.namespace(&ns).unwrap().counts, counts);
        memory.close();
        let missing: Vec<&String> =
            replayed.iter().filter(|line| !filled.contains(line)).take(9).collect();
        let more: Vec<&String> =
            filled.iter().filter(|line| !replayed.contains(line)).take(9).collect();
        assert_eq!((missing, more), (Vec::new(), Vec::new()));
        assert_eq!(filled.len(), replayed.len());
    }
}
