//! A question as weighted units. User text is cut by the lexer and never parsed as a grammar.

use super::cues;
use super::dates::{DateKey, find_dates};
use super::lexer::{Lexeme, fold, lex};
use super::rank::Ranking;
use super::schema::{Fields, Part, grams};
use super::stem::stem;
use super::words::{FunctionWords, content_stretches};
use std::collections::HashSet;
use tantivy::{Searcher, Term};
use unicode_normalization::UnicodeNormalization;

/// The most units a query is reduced to; the rarest stay. Also the width of the match masks.
pub(super) const MAX_UNITS: usize = 64;
/// How much of a query is read. What a person asks fits; a pasted file is cut.
const MAX_QUERY_CHARS: usize = 8_000;
/// Distinct units whose rarity is looked up before the cut to [`MAX_UNITS`].
const MAX_DRAFTS: usize = 400;

/// What a unit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Names what the query is about: makes a match.
    Content,
    /// Grammar: ranks what matched.
    Function,
    /// A longer form of content.
    Whole,
    /// The unstemmed form of content.
    Exact,
    /// A date.
    Date,
    /// The name of someone who speaks here.
    Speaker,
}

/// One unit of a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    pub label: String,
    pub role: Role,
    /// Where it is looked up.
    pub lookups: Vec<(Part, String)>,
    pub weight: f32,
    pub docs: u64,
    pub idf: f32,
    /// Whether it is a content pair of an unspaced stretch.
    pub is_pair: bool,
    /// Whether it is the key of a day.
    pub names_a_day: bool,
    /// The content bits that it credits a document with.
    pub credit: u64,
}

/// A question, ready to run on one snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Question {
    /// Content first, then the rest.
    pub units: Vec<Unit>,
    /// Importance by content bit.
    pub bit_idf: Vec<f32>,
    /// The content bits that no document holds.
    pub unknown: u64,
    /// The content bits of days: a document of or about the very day asked for is always a hit.
    pub days: u64,
    pub dates: Vec<DateKey>,
    pub asked: u64,
}

/// A unit before its rarity is known. `group` ties longer forms to their pieces.
struct Draft {
    label: String,
    role: Role,
    lookups: Vec<(Part, String)>,
    group: usize,
    is_pair: bool,
    names_a_day: bool,
}

/// Reads a question for one snapshot of the index.
pub(super) fn read_question(
    text: &str,
    searcher: &Searcher,
    fields: &Fields,
    ranking: &Ranking,
) -> tantivy::Result<Question> {
    let text: String = text.chars().take(MAX_QUERY_CHARS).nfkc().collect();
    let (drafts, dates) = draft_units(&text);
    let mut units = Vec::with_capacity(drafts.len());
    let docs = searcher.segment_readers().iter().map(|s| u64::from(s.max_doc())).sum();
    for draft in drafts {
        units.push((draft.group, weigh(draft, docs, searcher, fields, ranking)?));
    }
    let mut question = settle(units, docs);
    question.dates = dates;
    question.asked = cues::asked(&text);
    Ok(question)
}

/// Looks up how rare a unit is, and whether it names a speaker.
fn weigh(
    draft: Draft,
    docs: u64,
    searcher: &Searcher,
    fields: &Fields,
    ranking: &Ranking,
) -> tantivy::Result<Unit> {
    let mut holding = 0;
    let mut beside = 0;
    let mut speaks = false;
    for (part, term) in &draft.lookups {
        let count = searcher.doc_freq(&Term::from_field_text(fields.part(*part), term))?;
        match part {
            Part::Context | Part::Around => beside = count.max(beside),
            Part::Speaker => {
                speaks = count > 0;
                holding = holding.max(count);
            }
            _ => holding = holding.max(count),
        }
    }
    let role = if speaks && draft.role == Role::Content { Role::Speaker } else { draft.role };
    let holding = if holding == 0 { beside } else { holding };
    let weight = match role {
        Role::Content => 1.0,
        Role::Function => ranking.function_weight,
        Role::Whole => ranking.whole_weight,
        Role::Exact => ranking.exact_weight,
        Role::Date => ranking.date_weight,
        Role::Speaker => ranking.speaker_word_weight,
    };
    Ok(Unit {
        label: draft.label,
        role,
        lookups: draft.lookups,
        weight,
        docs: holding,
        idf: Ranking::idf(docs, holding),
        is_pair: draft.is_pair,
        names_a_day: draft.names_a_day,
        credit: 0,
    })
}

/// Decides what makes a match, cuts to the cap and hands out the content bits.
fn settle(mut units: Vec<(usize, Unit)>, docs: u64) -> Question {
    let is_matching = |role: Role| matches!(role, Role::Content | Role::Date);
    demote_seams(&mut units);
    // A longer form whose pieces are all grammar ("to-do") is content itself.
    let groups_with_content: HashSet<usize> =
        units.iter().filter(|(_, u)| is_matching(u.role)).map(|(group, _)| *group).collect();
    for (group, unit) in &mut units {
        if unit.role == Role::Whole && !groups_with_content.contains(group) {
            unit.role = Role::Content;
        }
    }
    // A query of names only asks for those; one of grammar only asks for just that.
    for fallback in [Role::Speaker, Role::Function] {
        if !units.iter().any(|(_, unit)| is_matching(unit.role)) {
            for (_, unit) in units.iter_mut().filter(|(_, unit)| unit.role == fallback) {
                if fallback == Role::Function {
                    unit.role = Role::Content;
                    unit.weight = 1.0;
                } else {
                    unit.credit = 1;
                }
            }
        }
        if units.iter().any(|(_, unit)| unit.credit > 0) {
            break;
        }
    }
    if units.len() > MAX_UNITS {
        let rank = |unit: &Unit| {
            let share = if is_matching(unit.role) || unit.credit > 0 { 1.0 } else { 0.5 };
            if unit.docs == 0 { 0.0 } else { unit.idf * share }
        };
        units.sort_by(|(_, a), (_, b)| rank(b).total_cmp(&rank(a)).then(a.label.cmp(&b.label)));
        units.truncate(MAX_UNITS);
    }
    let mut bit_idf = Vec::new();
    let mut unknown = 0;
    let mut days = 0;
    let mut group_bits: Vec<(usize, u64)> = Vec::new();
    for (group, unit) in &mut units {
        if is_matching(unit.role) || unit.credit > 0 {
            unit.credit = 1 << bit_idf.len();
            bit_idf.push(Ranking::importance(docs, unit.docs));
            unknown |= if unit.docs == 0 { unit.credit } else { 0 };
            days |= if unit.names_a_day { unit.credit } else { 0 };
            group_bits.push((*group, unit.credit));
        }
    }
    for (group, unit) in units.iter_mut().filter(|(_, unit)| unit.role == Role::Whole) {
        unit.credit =
            group_bits.iter().filter(|(of, _)| of == group).fold(0, |bits, (_, bit)| bits | bit);
    }
    let mut units: Vec<Unit> = units.into_iter().map(|(_, unit)| unit).collect();
    units.sort_by_key(|unit| unit.credit == 0);
    Question { units, bit_idf, unknown, days, ..Question::default() }
}

/// A pair that spans the seam of two words ("库迁" in 数据库迁移) names nothing. Such a pair is one
/// that no document holds while its neighbour in the same stretch is known.
fn demote_seams(units: &mut [(usize, Unit)]) {
    let known: Vec<Option<(usize, bool)>> =
        units.iter().map(|(group, unit)| unit.is_pair.then_some((*group, unit.docs > 0))).collect();
    for (at, (group, unit)) in units.iter_mut().enumerate() {
        let beside = [at.checked_sub(1), Some(at + 1)];
        let touches_known = beside
            .into_iter()
            .flatten()
            .any(|other| known.get(other).copied().flatten() == Some((*group, true)));
        if unit.is_pair && unit.docs == 0 && touches_known {
            unit.role = Role::Function;
        }
    }
}

/// Cuts a question (NFKC) into units.
fn draft_units(text: &str) -> (Vec<Draft>, Vec<DateKey>) {
    let dates = find_dates(text);
    let mut undated = text.to_owned();
    for (span, _) in dates.iter().rev() {
        undated.replace_range(span.clone(), " ");
    }
    let mut drafter =
        Drafter { drafts: Vec::new(), seen: HashSet::new(), group: 0, in_stretch: false };
    drafter.add_lexemes(&lex(&undated), false);
    for (span, key) in &dates {
        drafter.group += 1;
        let lookups = vec![(Part::Date, key.term())];
        drafter.add(key.term(), Role::Date, lookups);
        if let (DateKey::Day(_) | DateKey::MonthDay(..), Some(draft)) =
            (key, drafter.drafts.last_mut())
        {
            draft.names_a_day = draft.role == Role::Date;
        }
        drafter.add_lexemes(&lex(&text[span.clone()]), true);
    }
    (drafter.drafts, dates.into_iter().map(|(_, key)| key).collect())
}

struct Drafter {
    drafts: Vec<Draft>,
    seen: HashSet<(bool, String)>,
    group: usize,
    in_stretch: bool,
}

impl Drafter {
    fn add(&mut self, label: String, role: Role, lookups: Vec<(Part, String)>) {
        let is_new = self.seen.insert((role == Role::Exact, label.clone()));
        if is_new && self.drafts.len() < MAX_DRAFTS {
            let is_pair = self.in_stretch && role == Role::Content;
            self.drafts.push(Draft {
                label,
                role,
                lookups,
                group: self.group,
                is_pair,
                names_a_day: false,
            });
        }
    }

    /// Adds the units of some lexemes; of a date's words, all are mere helpers of its key.
    fn add_lexemes(&mut self, lexemes: &[Lexeme], only_help: bool) {
        let words = lexemes.iter().flat_map(|lexeme| match lexeme {
            Lexeme::Word { parts, .. } => parts.as_slice(),
            _ => &[],
        });
        let function_words = FunctionWords::for_words(&words.map(String::as_str));
        for lexeme in lexemes {
            self.group += 1;
            match lexeme {
                Lexeme::Word { parts, wholes, .. } => {
                    for part in parts {
                        let helps = only_help || function_words.contains(part);
                        self.add_word(part, helps);
                    }
                    for whole in wholes {
                        let role = if only_help { Role::Function } else { Role::Whole };
                        let term = stem(&whole.text);
                        let lookups = stem_lookups(&term);
                        self.add(term, role, lookups);
                    }
                }
                Lexeme::Run { chars, .. } => self.add_run(chars, only_help),
                Lexeme::Emoji { text, .. } => {
                    self.add(text.clone(), Role::Content, stem_lookups(text));
                }
            }
        }
    }

    fn add_word(&mut self, part: &str, helps: bool) {
        let term = stem(part);
        let role = if helps { Role::Function } else { Role::Content };
        let mut lookups = stem_lookups(&term);
        if !helps {
            lookups.push((Part::Speaker, term.clone()));
        }
        if says_a_date(part) {
            lookups.push((Part::Date, term.clone()));
        }
        self.add(term, role, lookups);
        if !helps {
            self.add(part.to_owned(), Role::Exact, vec![(Part::Exact, part.to_owned())]);
        }
    }

    fn add_run(&mut self, chars: &[char], only_help: bool) {
        let stretches = if only_help { Vec::new() } else { content_stretches(chars) };
        for stretch in &stretches {
            self.group += 1;
            self.in_stretch = stretch.len() > 1;
            for gram in grams(&chars[stretch.clone()]) {
                let mut lookups = stem_lookups(&gram);
                lookups.push((Part::Speaker, gram.clone()));
                lookups.push((Part::Date, gram.clone()));
                if stretch.len() == 1 {
                    lookups.push((Part::Exact, fold(&gram)));
                }
                self.add(gram, Role::Content, lookups);
            }
        }
        self.in_stretch = false;
        // Pairs across a function word still rank, and a run of nothing else still asks.
        for gram in grams(chars) {
            let mut lookups = stem_lookups(&gram);
            if chars.len() == 1 {
                lookups.push((Part::Exact, fold(&gram)));
            }
            self.add(gram, Role::Function, lookups);
        }
    }
}

fn stem_lookups(term: &str) -> Vec<(Part, String)> {
    [Part::Title, Part::Body, Part::Tags, Part::Names, Part::Context, Part::Around]
        .into_iter()
        .map(|part| (part, term.to_owned()))
        .collect()
}

/// A bare number says a date only where it can be nothing but a year.
fn says_a_date(word: &str) -> bool {
    match word.parse::<u32>() {
        Ok(number) => word.len() == 4 && (1900..2100).contains(&number),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Vec<String> {
        draft_units(text)
            .0
            .into_iter()
            .filter(|draft| matches!(draft.role, Role::Content | Role::Date | Role::Whole))
            .map(|draft| draft.label)
            .collect()
    }

    #[test]
    fn grammar_is_kept_but_names_nothing() {
        assert_eq!(content("What did we decide about the database?"), ["decid", "databas"]);
        assert!(draft_units("the database").0.iter().any(|draft| draft.label == "the"));
    }

    #[test]
    fn identifiers_ask_for_the_whole_and_the_parts() {
        assert_eq!(content("maxTokens"), ["max", "token", "maxtoken"]);
        assert_eq!(content("store.ts"), ["store", "ts", "store.ts"]);
    }

    #[test]
    fn dates_ask_by_key() {
        assert_eq!(content("dinner on May 8, 2023"), ["dinner", "d:2023-05-08"]);
        assert_eq!(content("2026-12-15"), ["d:2026-12-15"]);
        assert_eq!(content("5月8日吃饭"), ["吃饭", "d:05-08"]);
    }

    #[test]
    fn unspaced_questions_ask_for_their_content() {
        assert_eq!(content("成语接龙"), ["成语", "语接", "接龙"]);
        assert_eq!(content("我们的猫"), ["猫"]);
    }

    #[test]
    fn hostile_texts_stay_small() {
        let nested = "(".repeat(3_000);
        assert!(draft_units(&nested).0.is_empty());
        let long = (0..50_000).map(|n| n.to_string()).collect::<Vec<_>>().join(" w");
        assert!(draft_units(&long).0.len() <= MAX_DRAFTS);
    }
}
