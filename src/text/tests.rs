use super::lexer::lex;
use super::*;
use chrono::{DateTime, Duration, TimeZone, Utc};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

fn at(day: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 5, 1, 9, 0, 0).unwrap() + Duration::days(day)
}

fn message(id: &str, body: &str) -> Doc {
    let mut doc = Doc::new(DocKey::new(DocKind::Message, "main", id), at(5), body);
    doc.date_text = date_words(at(5).date_naive());
    doc
}

struct Fixture {
    index: TextIndex,
    dir: tempfile::TempDir,
}

fn filled(docs: &[Doc]) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let index = TextIndex::open(dir.path().join("text"), TextOptions::default()).unwrap();
    index.upsert(docs).unwrap();
    index.commit(1).unwrap();
    Fixture { index, dir }
}

fn messages(texts: &[&str]) -> Fixture {
    let docs: Vec<Doc> =
        texts.iter().enumerate().map(|(place, text)| message(&format!("m{place}"), text)).collect();
    filled(&docs)
}

fn ask(text: &str) -> SearchRequest {
    SearchRequest { text: text.to_owned(), limit: 10, ..SearchRequest::default() }
}

impl Fixture {
    fn ids(&self, request: &SearchRequest) -> Vec<String> {
        let outcome = self.index.search(request, None).unwrap();
        outcome.hits.into_iter().map(|hit| hit.key.id).collect()
    }

    fn found(&self, text: &str) -> Vec<String> {
        self.ids(&ask(text))
    }
}

#[test]
fn unspaced_scripts_are_found_by_their_parts_and_ranked_first() {
    let store = messages(&[
        "今天玩成语接龙游戏",
        "今天玩了别的游戏,很开心",
        "みんなでしりとりをした",
        "끝말잇기 하자",
        "GitHub备份脚本上传失败",
        "备份已经完成",
        "养了一只小猫",
    ]);
    for (query, first) in [
        ("成语接龙", "m0"),
        ("今天玩成语接龙游戏", "m0"),
        ("しりとり", "m2"),
        ("끝말잇기", "m3"),
        ("GitHub备份脚本上传失败", "m4"),
        ("备份脚本为什么失败", "m4"),
        ("猫", "m6"),
        ("我的猫", "m6"),
    ] {
        assert_eq!(store.found(query).first().map(String::as_str), Some(first), "{query}");
    }
}

#[test]
fn identifiers_are_found_whole_and_by_part() {
    let store = messages(&[
        "raise maxTokens in store.ts",
        "the build of @scope/pkg uses c++ and a usb-c adapter",
        "nothing of note",
    ]);
    for query in ["tokens", "store", "maxTokens", "max_tokens", "store.ts", "maxtokens"] {
        assert_eq!(store.found(query), ["m0"], "{query}");
    }
    for query in ["@scope/pkg", "scope", "c++", "usb-c adapter\"\"", "usb c", "USB-C"] {
        assert_eq!(store.found(query), ["m1"], "{query}");
    }
}

#[test]
fn dates_are_found_however_they_are_written() {
    let mut dated = message("other", "the dinner went well");
    dated.date_text = date_words(at(7).date_naive());
    dated.key.id = "dinner".to_owned();
    let store = filled(&[
        message("call", "call the bank"),
        dated,
        message("release", "the release is due on 2026-12-15"),
    ]);
    for query in ["2026-05-08", "May 8, 2026", "8 May 2026", "5月8日", "what happened on May 8th?"]
    {
        assert_eq!(store.found(query), ["dinner"], "{query}");
    }
    for query in ["2026-12-15", "15 December 2026", "2026年12月15日"] {
        assert_eq!(store.found(query), ["release"], "{query}");
    }
}

#[test]
fn a_query_about_something_else_finds_nothing() {
    let store = messages(&[
        "What did the team say about the release? How should we do it?",
        "I think the deploy is ready to go",
        "我们的发布计划是什么",
    ]);
    for query in [
        "how to bake sourdough bread",
        "What did you say about the sourdough?",
        "怎么做面包",
        "Comment faire du pain au levain ?",
        "zxqv wibble",
        "パンの作り方は何ですか",
        "how to deploy a sourdough starter to a warm kitchen",
    ] {
        assert_eq!(store.found(query), Vec::<String>::new(), "{query}");
    }
}

#[test]
fn seams_between_unspaced_words_do_not_count_as_unknown() {
    let store = messages(&["数据已经迁移完成", "晚饭吃什么"]);
    assert_eq!(store.found("讨论数据库迁移计划"), ["m0"]);
}

#[test]
fn a_query_of_grammar_only_still_finds_its_words() {
    let store = messages(&["to be or not to be", "release day"]);
    assert_eq!(store.found("to be or not to be"), ["m0"]);
    assert_eq!(store.found("The"), Vec::<String>::new());
}

#[test]
fn a_weak_match_is_shown_apart() {
    let store = messages(&["the oven of the office is broken", "release day"]);
    let query = "how to preheat the oven and bake a sourdough bread";
    let outcome = store.index.search(&ask(query), None).unwrap();
    assert_eq!(outcome.hits, []);
    assert_eq!(outcome.nearest.len(), 1);
    assert_eq!(outcome.nearest[0].key.id, "m0");
}

#[test]
fn hostile_queries_answer_quietly() {
    let store = messages(&["a plain message", "2 plus 2"]);
    let nested = "(".repeat(3_000);
    let long = "lorem ipsum (dolor) \"sit\" ".repeat(4_000);
    let family = "👨\u{200D}👩\u{200D}👧\u{200D}👦";
    for query in [
        "",
        "   ",
        "- *",
        "a:(^",
        &nested,
        "https://x.org",
        "usb-c adapter\"\"",
        ">>>",
        "y+(y+25)",
        "東京🎌",
        family,
        "\u{FE0F}\u{200D}",
        "[x TO",
        "a AND",
        "\"",
        "*",
        "\0",
        &long,
    ] {
        store.index.search(&ask(query), None).unwrap();
    }
    assert_eq!(store.found("+ 2"), ["m1"]);
}

#[test]
fn exact_forms_outrank_their_kin() {
    let store = messages(&["we organized it", "the organ was loud", "we organize it"]);
    assert_eq!(store.found("organize").first().map(String::as_str), Some("m2"));
    assert_eq!(store.found("organized").first().map(String::as_str), Some("m0"));
}

#[test]
fn the_exact_message_beats_a_thousand_partial_ones() {
    let mut docs: Vec<Doc> = (0..1_000).map(|n| message(&format!("m{n}"), "pnpm again")).collect();
    docs.push(message("exact", "the pnpm lockfile broke the nightly build"));
    let store = filled(&docs);
    assert_eq!(store.found("pnpm lockfile nightly build")[0], "exact");
}

#[test]
fn filters_act_before_the_cut() {
    let mut docs = Vec::new();
    for n in 0..1_000 {
        let mut doc = message(&format!("m{n}"), "pnpm pnpm pnpm install");
        doc.key.thread = "loud".to_owned();
        doc.status = "superseded".to_owned();
        docs.push(doc);
    }
    let mut quiet =
        message("quiet", "somewhere in a long text there is one word about pnpm as well");
    quiet.at = at(40);
    quiet.status = "current".to_owned();
    quiet.entities = vec!["tool:pnpm".to_owned()];
    let mut fact = quiet.clone();
    fact.key = DocKey::new(DocKind::Fact, "", "fact");
    fact.entities.clear();
    fact.at = at(60);
    docs.extend([quiet, fact]);
    let store = filled(&docs);
    let with = |change: &dyn Fn(&mut SearchRequest)| {
        let mut request = ask("pnpm");
        request.limit = 1;
        change(&mut request);
        store.ids(&request)
    };
    assert_eq!(with(&|r| r.thread = Some("main".to_owned())), ["quiet"]);
    assert_eq!(with(&|r| r.kinds = vec![DocKind::Fact]), ["fact"]);
    assert_eq!(with(&|r| r.entities = vec!["tool:pnpm".to_owned()]), ["quiet"]);
    assert_eq!(with(&|r| r.from = Some(at(60))), ["fact"]);
    assert_eq!(
        with(&|r| {
            r.from = Some(at(6));
            r.to = Some(at(60));
        }),
        ["quiet"]
    );
    assert_eq!(
        with(&|r| {
            r.statuses = vec!["current".to_owned()];
            r.kinds = vec![DocKind::Message, DocKind::Event];
        }),
        ["quiet"]
    );
    let mut request = ask("pnpm");
    request.not_statuses = vec!["superseded".to_owned()];
    assert_eq!(store.ids(&request).len(), 2);
    request.thread = Some("absent".to_owned());
    assert_eq!(store.ids(&request), Vec::<String>::new());
}

#[test]
fn an_upsert_replaces_and_a_delete_removes() {
    let store = messages(&["the old words", "other words"]);
    store.index.upsert(&[message("m0", "the new text")]).unwrap();
    assert_eq!(store.found("old"), ["m0"], "findable state changes with the commit only");
    store.index.commit(2).unwrap();
    assert_eq!(store.found("old"), Vec::<String>::new());
    assert_eq!(store.found("new text"), ["m0"]);
    let keys =
        [DocKey::new(DocKind::Message, "main", "m0"), DocKey::new(DocKind::Fact, "", "none")];
    store.index.delete(&keys).unwrap();
    store.index.commit(3).unwrap();
    assert_eq!(store.found("new text"), Vec::<String>::new());
    assert_eq!(store.index.doc_count(), 1);
}

#[test]
fn keys_of_different_threads_and_kinds_do_not_collide() {
    let mut other = message("m0", "second thread");
    other.key.thread = "side".to_owned();
    let mut event = message("m0", "an event");
    event.key.kind = DocKind::Event;
    let store = filled(&[message("m0", "first thread"), other, event]);
    assert_eq!(store.index.doc_count(), 3);
    let outcome = store.index.search(&ask("second"), None).unwrap();
    assert_eq!(outcome.hits[0].key, DocKey::new(DocKind::Message, "side", "m0"));
}

#[test]
fn a_reopened_index_knows_what_was_committed() {
    let Fixture { index, dir } = messages(&["kept"]);
    assert_eq!(index.committed_seq(), Some(1));
    index.upsert(&[message("lost", "never committed")]).unwrap();
    assert_eq!(index.pending(), 1);
    assert!(!index.close_writer().unwrap(), "a writer with work waiting stays open");
    drop(index);
    let index = TextIndex::open(dir.path().join("text"), TextOptions::default()).unwrap();
    assert!(!index.needs_rebuild());
    assert_eq!(index.committed_seq(), Some(1));
    assert_eq!(index.search(&ask("committed"), None).unwrap().hits, []);
    assert_eq!(index.search(&ask("kept"), None).unwrap().hits.len(), 1);
    index.commit(7).unwrap();
    assert!(index.is_writer_open());
    assert!(index.close_writer().unwrap());
    assert!(!index.is_writer_open());
    index.upsert(&[message("next", "written after closing")]).unwrap();
    index.commit(8).unwrap();
    assert_eq!(index.committed_seq(), Some(8));
    assert_eq!(index.search(&ask("closing"), None).unwrap().hits.len(), 1);
}

#[test]
fn another_version_or_a_broken_index_is_wiped() {
    let break_and_reopen = |spoil: &dyn Fn(&std::path::Path)| {
        let Fixture { index, dir } = messages(&["old words"]);
        drop(index);
        spoil(&dir.path().join("text"));
        let index = TextIndex::open(dir.path().join("text"), TextOptions::default()).unwrap();
        assert!(index.needs_rebuild());
        assert_eq!(index.doc_count(), 0);
        index.upsert(&[message("m", "new words")]).unwrap();
        index.commit(3).unwrap();
        assert!(!index.needs_rebuild());
    };
    break_and_reopen(&|dir| {
        let marker = dir.join("sg-text.json");
        let text = std::fs::read_to_string(&marker).unwrap();
        std::fs::write(&marker, text.replace("sg-mixed", "sg-other")).unwrap();
    });
    break_and_reopen(&|dir| std::fs::write(dir.join("meta.json"), "{").unwrap());
    break_and_reopen(&|dir| std::fs::remove_file(dir.join("meta.json")).unwrap());
    break_and_reopen(&|dir| {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "term") {
                std::fs::write(path, "").unwrap();
            }
        }
    });
}

#[test]
fn a_cleared_index_needs_a_rebuild_until_it_is_committed() {
    let Fixture { index, dir } = messages(&["old words"]);
    index.clear().unwrap();
    assert_eq!(index.doc_count(), 0);
    drop(index);
    let index = TextIndex::open(dir.path().join("text"), TextOptions::default()).unwrap();
    assert!(index.needs_rebuild());
    index.upsert(&[message("m", "new words")]).unwrap();
    index.commit(9).unwrap();
    assert_eq!(index.committed_seq(), Some(9));
}

#[test]
fn a_second_writer_is_refused_and_wipes_nothing() {
    let store = messages(&["kept"]);
    let second = TextIndex::open(store.dir.path().join("text"), TextOptions::default()).unwrap();
    let error = second.upsert(&[message("m", "x")]).unwrap_err();
    assert!(matches!(error, TextError::Locked(_)), "{error}");
    assert_eq!(second.search(&ask("kept"), None).unwrap().hits.len(), 1);
    store.index.upsert(&[message("m", "more")]).unwrap();
    store.index.commit(2).unwrap();
    assert_eq!(store.found("more"), ["m"]);
}

#[test]
fn searching_goes_on_while_writing() {
    let store = messages(&["steady message"]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| {
            let mut rounds = 0;
            while !done.load(Ordering::Relaxed) || rounds == 0 {
                assert!(store.found("steady").contains(&"m0".to_owned()));
                rounds += 1;
            }
        });
        for seq in 2..12 {
            let docs: Vec<Doc> =
                (0..20).map(|n| message(&format!("w{seq}-{n}"), "busy writing")).collect();
            store.index.upsert(&docs).unwrap();
            store.index.commit(seq).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        searching.join().unwrap();
    });
    assert_eq!(store.index.doc_count(), 201);
    assert_eq!(store.index.committed_seq(), Some(11));
}

#[test]
fn the_parts_of_a_score_add_up() {
    let mut docs = vec![message("other", "the lockfile is fine")];
    let mut said = message("said", "pnpm broke the lockfile on 3 machines yesterday");
    said.speaker = "Ana".to_owned();
    said.title = "lockfile trouble".to_owned();
    said.context = "which tool?".to_owned();
    docs.push(said);
    let store = filled(&docs);
    let mut request = ask("When did Ana say that pnpm broke the lockfile on May 6, 2026?");
    request.explain = true;
    let tweak = |key: &DocKey| if key.id == "other" { 0.5 } else { 2.0 };
    let outcome = store.index.search(&request, Some(&tweak)).unwrap();
    assert_eq!(outcome.hits[0].key.id, "said");
    for hit in &outcome.hits {
        let parts = hit.explain.as_ref().unwrap();
        let words: f32 = parts.contributions.iter().map(|part| part.score).sum();
        let shares: f32 = parts.shares.iter().map(|(_, share)| share).sum();
        let total = (words + parts.nearness) * (1.0 + shares) * parts.tweak;
        assert!((total - hit.score).abs() < 1e-3 * total.abs(), "{total} against {}", hit.score);
    }
    let first = outcome.hits[0].explain.as_ref().unwrap();
    assert!(first.nearness > 0.0);
    let names: Vec<&str> = first.shares.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["speaker", "date", "asked"]);
}

#[test]
fn the_callers_factor_reorders() {
    let store = messages(&["pnpm", "pnpm and more"]);
    assert_eq!(store.found("pnpm")[0], "m0");
    let tweak = |key: &DocKey| if key.id == "m0" { 0.1 } else { 1.0 };
    let outcome = store.index.search(&ask("pnpm"), Some(&tweak)).unwrap();
    assert_eq!(outcome.hits[0].key.id, "m1");
}

#[test]
fn words_beside_a_message_find_it_below_its_own() {
    let mut answer = message("answer", "A sunrise over the bay");
    answer.context = "What did you paint?".to_owned();
    let store = filled(&[answer, message("own", "I paint every week"), message("x", "hello")]);
    assert_eq!(store.found("paint"), ["own", "answer"]);
}

#[test]
fn coverage_says_what_is_found_and_what_is_missing() {
    let store = messages(&["pnpm broke the lockfile", "the nightly build", "备份脚本"]);
    let coverage = store
        .index
        .query_coverage("Why did pnpm break the nightly lockfile?", &["pnpm broke the lockfile"])
        .unwrap();
    assert_eq!(coverage.missing, ["nightly"]);
    assert_eq!(coverage.found, ["pnpm", "break", "lockfile"]);
    assert!(coverage.share > 0.6 && coverage.share < 0.9, "{}", coverage.share);
    let full = store.index.query_coverage("备份脚本", &["我的备份脚本"]).unwrap();
    assert!((full.share - 1.0).abs() < f32::EPSILON);
    let none = store.index.query_coverage("脚本备份, 饼干厂家, Lockfiles", &["pnpm"]).unwrap();
    assert_eq!(none.missing, ["脚本", "备份", "饼干厂家", "lockfiles"]);
    let dated = store.index.query_coverage("on May 8, 2026", &["2026-05-08"]).unwrap();
    assert!((dated.share - 1.0).abs() < f32::EPSILON);
    assert!(store.index.query_coverage("sourdough", &["pnpm"]).unwrap().share < f32::EPSILON);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_document_is_found_by_its_own_text_and_nothing_panics(
        texts in proptest::collection::vec("\\PC{0,60}|[a-zA-Z+#@./:'_ 0-9-]{0,60}|[的是在东京に行く龙🎌\u{200D}ab ]{0,30}", 1..8),
        query in "\\PC{0,60}|[a-z \"()*^:~\\[\\]{}+-]{0,60}",
    ) {
        let docs: Vec<Doc> = texts.iter().enumerate().map(|(n, text)| message(&n.to_string(), text)).collect();
        let store = filled(&docs);
        store.index.search(&ask(&query), None).unwrap();
        store.index.query_coverage(&query, &[&query]).unwrap();
        for (n, text) in texts.iter().enumerate() {
            let mut request = ask(text);
            request.explain = true;
            let ids = store.ids(&request);
            prop_assert!(lex(text).is_empty() || ids.contains(&n.to_string()), "{text:?} {ids:?}");
        }
    }
}
