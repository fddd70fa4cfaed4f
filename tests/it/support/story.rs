//! A short story with a change, a plan and a reason, told turn by turn.

use super::{TestServer, turn};
use serde_json::{Value, json};

/// The project that the story is about.
pub const KIOSK: &str = "project:kiosk-web";

/// Records the story into a namespace whose Blocks have one turn, so that each turn is known
/// before the next is said.
pub async fn tell_story(server: &TestServer, namespace: &str) {
    server.configure(namespace, json!({"block_turns": 1, "timezone": "+08:00"})).await;
    for turn in turns() {
        server.record(namespace, turn).await;
        server.settle(namespace).await;
    }
}

fn turns() -> Vec<Value> {
    vec![
        turn(
            "k1",
            "2026-05-06T09:30:00+08:00",
            "Use npm for the kiosk-web project.",
            "I will use npm there.",
        ),
        turn(
            "k2",
            "2026-05-08T14:10:00+08:00",
            "Let's switch the kiosk-web project to pnpm, because CI installs take 6 minutes.",
            "The lockfile is converted.",
        ),
        turn(
            "k3",
            "2026-05-08T14:20:00+08:00",
            "Finish the prototype next week.",
            "Understood, the prototype is planned for next week.",
        ),
    ]
}
