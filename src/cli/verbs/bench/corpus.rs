//! Made-up conversations from a seed: the same seed gives the same words on every machine.
//!
//! A turn is a user's message and an answer. The user's has a sentence of filler and two
//! statements that the built-in engine understands: which tool a project uses, who owns it, when
//! it is due, where a person moved or works. Values change all the time, so that every Slot gets
//! a history. The answer is filler. Filler words come from a made-up vocabulary in which a few
//! words are frequent and most are rare, as in speech. A conversation has 100 turns and a thread
//! of its own; a minute lies between turns.

use crate::memory::{NewMessage, NewTurn};
use crate::model::{Role, to_rfc3339};
use chrono::{DateTime, TimeDelta, Utc};

/// Turns of one conversation.
const TURNS_OF_THREAD: usize = 100;
/// Words that filler is made of.
const VOCABULARY: usize = 8_000;
/// Projects, each with six properties, and people, each with two: 2,000 Slots.
const PROJECTS: usize = 300;
const PEOPLE: usize = 100;
const SYLLABLES: [&str; 40] = [
    "ba", "be", "bi", "bo", "da", "de", "di", "do", "ka", "ke", "ki", "ko", "la", "le", "li", "lo",
    "ma", "me", "mi", "mo", "na", "ne", "ni", "no", "ra", "re", "ri", "ro", "sa", "se", "si", "so",
    "ta", "te", "ti", "to", "va", "ve", "vi", "vo",
];
const GLUE: [&str; 6] = ["the", "a", "of", "and", "in", "with"];
const KINDS: [&str; 4] = ["api", "web", "app", "core"];
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];
const DATABASES: [&str; 4] = ["PostgreSQL", "MySQL", "SQLite", "MongoDB"];
const FRAMEWORKS: [&str; 4] = ["React", "Vue", "Svelte", "Angular"];
const LANGUAGES: [&str; 4] = ["Kotlin", "Rust", "Go", "TypeScript"];
const MONTHS: [&str; 3] = ["May", "June", "July"];

/// A small, fast source of numbers (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a bound, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Returns one of several.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Returns a number below a bound; small ones are frequent.
    fn skewed(&mut self, bound: usize) -> usize {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((unit * unit * unit) * bound as f64) as usize
    }
}

/// The words that conversations are made of.
pub struct Corpus {
    words: Vec<String>,
    projects: Vec<String>,
    people: Vec<String>,
    places: Vec<String>,
}

/// An endless conversation.
pub struct Speaker<'a> {
    corpus: &'a Corpus,
    random: Random,
    turns: usize,
    start: DateTime<Utc>,
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl Corpus {
    /// Makes the words.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut seen = std::collections::HashSet::new();
        let mut fresh = |random: &mut Random, syllables: usize| loop {
            let word: String = (0..syllables).map(|_| *random.one(&SYLLABLES)).collect();
            if seen.insert(word.clone()) {
                return word;
            }
        };
        let projects = (0..PROJECTS)
            .map(|place| format!("{}-{}", fresh(&mut random, 3), KINDS[place % KINDS.len()]))
            .collect();
        let people = (0..PEOPLE).map(|_| capital(&fresh(&mut random, 3))).collect();
        let places = (0..PEOPLE).map(|_| capital(&fresh(&mut random, 4))).collect();
        let words = (0..VOCABULARY).map(|place| fresh(&mut random, 3 + place % 2)).collect();
        Self { words, projects, people, places }
    }

    /// Begins to speak.
    pub fn speaker(&self, seed: u64, start: DateTime<Utc>) -> Speaker<'_> {
        Speaker { corpus: self, random: Random::new(seed ^ 0x5eed), turns: 0, start }
    }

    /// Returns an entity's id with a property that statements give it.
    pub fn slot(&self, random: &mut Random) -> (String, &'static str) {
        if random.below(4) == 0 {
            let person = random.one(&self.people).to_lowercase();
            (format!("person:{person}"), *random.one(&["home_city", "employer"]))
        } else {
            let properties =
                ["package_manager", "database", "framework", "language", "owner", "deadline"];
            (format!("project:{}", random.one(&self.projects)), *random.one(&properties))
        }
    }

    /// Asks something: about a project, a person, or with words of filler.
    pub fn question(&self, random: &mut Random) -> String {
        match random.below(5) {
            0 => format!("Which package manager does {} use?", random.one(&self.projects)),
            1 => format!("Which database did we choose for {}?", random.one(&self.projects)),
            2 => format!("Where does {} work?", random.one(&self.people)),
            3 => format!("Who owns {} and when is it due?", random.one(&self.projects)),
            _ => {
                let mut word = || self.words[random.skewed(self.words.len())].clone();
                format!("What was said about {} {} and {}?", word(), word(), word())
            }
        }
    }

    fn filler(&self, random: &mut Random, words: usize) -> String {
        let words: Vec<&str> = (0..words)
            .map(|_| {
                if random.below(10) < 3 {
                    *random.one(&GLUE)
                } else {
                    self.words[random.skewed(self.words.len())].as_str()
                }
            })
            .collect();
        format!("{}.", capital(&words.join(" ")))
    }

    fn statement(&self, random: &mut Random) -> String {
        let project = random.one(&self.projects);
        match random.below(8) {
            0 => format!("Let's use {} for {project}.", random.one(&MANAGERS)),
            1 => format!("Let's use {} for {project}.", random.one(&DATABASES)),
            2 => format!("Let's use {} for {project}.", random.one(&FRAMEWORKS)),
            3 => format!("We decided to use {} for {project}.", random.one(&LANGUAGES)),
            4 => format!("{} owns {project} now.", random.one(&self.people)),
            5 => {
                let day = 1 + random.below(28);
                format!("The deadline for {project} is {day} {} 2031.", random.one(&MONTHS))
            }
            6 => format!("{} moved to {}.", random.one(&self.people), random.one(&self.places)),
            _ => {
                let (person, place) = (random.one(&self.people), random.one(&self.places));
                format!("{person} works at {place} Labs now.")
            }
        }
    }
}

impl Speaker<'_> {
    /// Says so many turns more.
    pub fn turns(&mut self, count: usize) -> Vec<NewTurn> {
        (0..count).map(|_| self.turn()).collect()
    }

    fn turn(&mut self) -> NewTurn {
        let (corpus, random) = (self.corpus, &mut self.random);
        let filler = corpus.filler(random, 8);
        let (one, two) = (corpus.statement(random), corpus.statement(random));
        let answer = corpus.filler(random, 25);
        let at = self.start + TimeDelta::minutes(self.turns as i64);
        let thread = format!("conversation-{}", self.turns / TURNS_OF_THREAD);
        let turn = NewTurn {
            turn_id: format!("turn-{}", self.turns),
            thread: Some(thread),
            messages: vec![
                message("user", format!("{filler} {one} {two}"), at),
                message("assistant", answer, at + TimeDelta::seconds(20)),
            ],
        };
        self.turns += 1;
        turn
    }
}

fn message(role: &str, content: String, at: DateTime<Utc>) -> NewMessage {
    NewMessage {
        id: None,
        role: Role::from(role.to_owned()),
        speaker: None,
        content: Some(content),
        at: Some(to_rfc3339(at)),
        name: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{BlockInput, Engine, Rules};
    use crate::model::{BlockId, Message, MessageId, Stamp, ThreadId};

    #[test]
    fn the_same_seed_says_the_same() {
        let (one, two, three) = (Corpus::new(3), Corpus::new(3), Corpus::new(4));
        let start = DateTime::UNIX_EPOCH;
        let turns = one.speaker(3, start).turns(5);
        assert_eq!(turns, two.speaker(3, start).turns(5));
        assert_ne!(turns, three.speaker(4, start).turns(5));
    }

    #[test]
    fn the_built_in_engine_finds_events_and_claims_in_most_statements() {
        let corpus = Corpus::new(1);
        let turns = corpus.speaker(1, DateTime::UNIX_EPOCH).turns(50);
        let messages: Vec<Message> = turns
            .iter()
            .flat_map(|turn| &turn.messages)
            .enumerate()
            .map(|(place, new)| Message {
                id: MessageId::from(format!("m{place}").as_str()),
                role: new.role.clone(),
                speaker: None,
                content: new.content.clone(),
                at: Stamp::given(DateTime::parse_from_rfc3339(new.at.as_deref().unwrap()).unwrap()),
                name: None,
                tool_calls: Vec::new(),
                tool_call_id: None,
            })
            .collect();
        let (thread, block) = (ThreadId::from("t"), BlockId::from("b"));
        let input = BlockInput {
            thread: &thread,
            block: &block,
            messages: &messages,
            before: &[],
            entities: &[],
            events: &[],
        };
        let made = Rules.extract(&input).unwrap();
        let claims: usize = made.events.iter().map(|event| event.claims.len()).sum();
        assert!(made.events.len() >= 80 && claims >= 75, "{} {claims}", made.events.len());
    }
}
