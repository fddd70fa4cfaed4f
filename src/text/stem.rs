//! English word forms: the stem under which a word is found.

use rust_stemmers::{Algorithm, Stemmer};
use std::cell::RefCell;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns the form under which a case-folded word is indexed: irregular forms by their base,
/// regular ones by the English Snowball rules, Latin letters without their accents. Words of
/// other alphabets stay as they are.
pub(super) fn stem(folded: &str) -> String {
    STEMS.with_borrow_mut(|stems| {
        if let Some(known) = stems.get(folded) {
            return known.clone();
        }
        if stems.len() >= MAX_KNOWN {
            stems.clear();
        }
        let stem = find_stem(folded);
        stems.insert(folded.to_owned(), stem.clone());
        stem
    })
}

/// Stems a thread remembers; most words of a conversation come again.
const MAX_KNOWN: usize = 20_000;

thread_local! {
    static STEMS: RefCell<HashMap<String, String>> = RefCell::default();
}

fn find_stem(folded: &str) -> String {
    let plain = without_accents(folded);
    if !plain.bytes().all(|b| b.is_ascii_alphabetic()) {
        return plain;
    }
    if let Some(digits) = number_word(&plain) {
        return digits.to_owned();
    }
    let base = irregular_base(&plain).unwrap_or(&plain);
    // A stem of a short word is more often wrong than helpful: "as", "is", "us".
    if base.len() < 3 {
        return base.to_owned();
    }
    Stemmer::create(Algorithm::English).stem(base).into_owned()
}

/// Takes the accents off Latin letters; leaves text of other scripts alone.
fn without_accents(folded: &str) -> String {
    if folded.is_ascii() || !folded.chars().any(is_latin) {
        return folded.to_owned();
    }
    let mut out = String::with_capacity(folded.len());
    for c in folded.nfd().filter(|c| !is_combining_mark(*c)) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'ı' => out.push('i'),
            _ => out.push(c),
        }
    }
    out
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// Small numbers are written both ways; they meet as digits.
fn number_word(word: &str) -> Option<&'static str> {
    const NUMBERS: [(&str, &str); 14] = [
        ("eight", "8"),
        ("eleven", "11"),
        ("fifteen", "15"),
        ("five", "5"),
        ("four", "4"),
        ("nine", "9"),
        ("seven", "7"),
        ("six", "6"),
        ("ten", "10"),
        ("thirty", "30"),
        ("three", "3"),
        ("twelve", "12"),
        ("twenty", "20"),
        ("two", "2"),
    ];
    NUMBERS.binary_search_by_key(&word, |(name, _)| name).ok().map(|at| NUMBERS[at].1)
}

/// Finds the base of an irregular verb or noun form.
fn irregular_base(form: &str) -> Option<&'static str> {
    IRREGULAR.binary_search_by_key(&form, |(form, _)| form).ok().map(|at| IRREGULAR[at].1)
}

/// Irregular English forms and their bases, sorted by form. A form that is also a common word of
/// another meaning ("left", "found" the verb, "saw" the tool) is listed where the verb is by far
/// the more usual reading in conversation.
const IRREGULAR: &[(&str, &str)] = &[
    ("ate", "eat"),
    ("awoke", "awake"),
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bent", "bend"),
    ("best", "good"),
    ("better", "good"),
    ("bitten", "bite"),
    ("blew", "blow"),
    ("blown", "blow"),
    ("bought", "buy"),
    ("bred", "breed"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("burnt", "burn"),
    ("came", "come"),
    ("caught", "catch"),
    ("children", "child"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("dealt", "deal"),
    ("did", "do"),
    ("does", "do"),
    ("done", "do"),
    ("drank", "drink"),
    ("drawn", "draw"),
    ("dreamt", "dream"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("drunk", "drink"),
    ("dug", "dig"),
    ("eaten", "eat"),
    ("fallen", "fall"),
    ("fed", "feed"),
    ("feet", "foot"),
    ("fell", "fall"),
    ("felt", "feel"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("forgave", "forgive"),
    ("forgiven", "forgive"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("fought", "fight"),
    ("found", "find"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("gave", "give"),
    ("given", "give"),
    ("gone", "go"),
    ("got", "get"),
    ("gotten", "get"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("had", "have"),
    ("has", "have"),
    ("heard", "hear"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("hung", "hang"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("laid", "lay"),
    ("lain", "lie"),
    ("leapt", "leap"),
    ("learnt", "learn"),
    ("led", "lead"),
    ("left", "leave"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("made", "make"),
    ("meant", "mean"),
    ("men", "man"),
    ("met", "meet"),
    ("mice", "mouse"),
    ("overcame", "overcome"),
    ("paid", "pay"),
    ("people", "person"),
    ("ran", "run"),
    ("rang", "ring"),
    ("ridden", "ride"),
    ("risen", "rise"),
    ("rode", "ride"),
    ("rose", "rise"),
    ("rung", "ring"),
    ("said", "say"),
    ("sang", "sing"),
    ("sank", "sink"),
    ("sat", "sit"),
    ("saw", "see"),
    ("seen", "see"),
    ("sent", "send"),
    ("shaken", "shake"),
    ("shone", "shine"),
    ("shook", "shake"),
    ("shot", "shoot"),
    ("shown", "show"),
    ("shrank", "shrink"),
    ("slept", "sleep"),
    ("slid", "slide"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("spun", "spin"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("stood", "stand"),
    ("struck", "strike"),
    ("stuck", "stick"),
    ("sung", "sing"),
    ("sunk", "sink"),
    ("swam", "swim"),
    ("swept", "sweep"),
    ("swore", "swear"),
    ("sworn", "swear"),
    ("swum", "swim"),
    ("taken", "take"),
    ("taught", "teach"),
    ("teeth", "tooth"),
    ("thought", "think"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("tore", "tear"),
    ("torn", "tear"),
    ("understood", "understand"),
    ("went", "go"),
    ("wept", "weep"),
    ("wives", "wife"),
    ("woke", "wake"),
    ("woken", "wake"),
    ("women", "woman"),
    ("won", "win"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("wove", "weave"),
    ("written", "write"),
    ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_for_binary_search() {
        assert!(IRREGULAR.is_sorted_by_key(|(form, _)| form));
    }

    #[test]
    fn forms_of_one_word_meet() {
        for (a, b) in [
            ("running", "run"),
            ("ran", "runs"),
            ("bought", "buying"),
            ("children", "child"),
            ("café", "cafe"),
            ("straße", "strasse"),
            ("two", "2"),
            ("adoption", "adopted"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} / {b}");
        }
    }

    #[test]
    fn other_alphabets_stay_whole() {
        assert_eq!(stem("привет"), "привет");
        assert_eq!(stem("й"), "й");
        assert_eq!(stem(""), "");
    }
}
