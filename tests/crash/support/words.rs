//! Turns that say something: decisions, switches, plans, in English and Chinese.

use super::Chance;
use serde_json::{Value, json};

const PROJECTS: [&str; 4] = ["Harbour", "Lantern", "Quarry", "Meadow"];
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];
const DATABASES: [&str; 4] = ["MySQL", "PostgreSQL", "SQLite", "MongoDB"];
const EDITORS: [&str; 3] = ["Vim", "Emacs", "VS Code"];

/// Makes a turn of a thread. The id and a token in the text are its own.
pub fn turn(chance: &mut Chance, id: &str, thread: &str) -> Value {
    let project = chance.pick(&PROJECTS);
    let (manager, database) = (chance.pick(&MANAGERS), chance.pick(&DATABASES));
    let said = match chance.below(9) {
        0 => format!("Use {manager} for the {project} project."),
        1 => format!("Let's switch {project} to {manager}, the builds were too slow."),
        2 => format!("We decided to use {database} for {project}."),
        3 => format!("We will finish the {project} prototype next week."),
        4 => format!("{project}项目改用{manager}，因为安装太慢。"),
        5 => format!("我们决定{project}项目用{database}。"),
        6 => "下周我们要完成原型。".to_owned(),
        7 => format!("I prefer {} for writing.", chance.pick(&EDITORS)),
        _ => format!("How do we run the tests of {project}?"),
    };
    let answer = if chance.percent(50) { "Noted." } else { "好的，记住了。" };
    // Days in any order: late messages must give the same timeline.
    let day = 1 + chance.below(28);
    let at = format!("2025-05-{day:02}T{:02}:{:02}:00Z", chance.below(24), chance.below(60));
    let token = token_of(id);
    let mut messages = vec![
        json!({"role": "user", "content": format!("{said} ({token})"), "at": at}),
        json!({"role": "assistant", "content": answer, "at": at}),
    ];
    if chance.percent(15) {
        messages.insert(
            1,
            json!({"role": "assistant", "content": null, "at": at, "tool_calls": [
            {"id": "c1", "name": "run", "arguments": {"cmd": "ls"}, "result": "README.md"}]}),
        );
    }
    json!({"turn_id": id, "thread": thread, "messages": messages})
}

/// The word that only this turn contains.
pub fn token_of(turn_id: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in turn_id.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // Letters only, so that the word is not cut at a digit.
    let letters: String =
        (0..12).map(|i| char::from(b'a' + ((hash >> (5 * i)) % 26) as u8)).collect();
    format!("zq{letters}")
}
