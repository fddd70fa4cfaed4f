//! One process per data folder.

use crate::support::api::at;
use crate::support::words::turn;
use crate::support::{Chance, Server, server};

#[tokio::test(flavor = "multi_thread")]
async fn a_second_server_is_refused_by_name_and_the_first_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let mut first = Server::start(&data);
    let mut chance = Chance::new(1);
    let said = turn(&mut chance, "t1", "main");
    assert_eq!(first.api.post(&at("one", "/turns"), said.clone()).await.status, 201);
    for _ in 0..3 {
        let second = server::run(&data, &["serve", "--listen", "127.0.0.1:0"]);
        assert!(!second.status.success());
        assert_eq!(String::from_utf8_lossy(&second.stdout), "");
        let text = String::from_utf8_lossy(&second.stderr);
        assert!(text.contains(&format!("process {}", first.id())), "{text}");
        assert!(text.contains("http://127.0.0.1:"), "{text}");
        assert!(text.contains(data.to_str().unwrap()), "{text}");
    }
    assert!(first.is_running());
    assert_eq!(first.api.post(&at("one", "/turns"), said.clone()).await.status, 200);
    let info = first.api.settle("one").await;
    assert_eq!(info["counts"]["turns"], 1);
    first.api.check_is_clean().await;
    // Killed, it leaves its lock file behind; that holds nobody up.
    first.kill();
    let next = Server::start(&data);
    assert_eq!(next.api.post(&at("one", "/turns"), said).await.status, 200);
}
