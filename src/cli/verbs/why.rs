//! `stratagate why`

use super::facts;
use crate::api::wire::{WhyBody, WhyLinkBody};
use crate::cli::args::AsOf;
use crate::cli::output::{add, line, when};
use crate::cli::session::{Session, with_params};
use anyhow::bail;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate why tideline package_manager
  stratagate why f_0a1b2c3d4e5f60718293
  stratagate why tideline database --valid-at 2026-05-10
  stratagate why --fact f_0a1b2c3d4e5f60718293
  stratagate why --entity tideline --property package_manager")]
pub struct Args {
    /// A fact's id, or an entity
    #[arg(required_unless_present_any = ["fact", "entity"], conflicts_with_all = ["fact", "entity"])]
    target: Option<String>,
    /// The entity's property
    #[arg(value_name = "PROPERTY", requires = "target")]
    of: Option<String>,
    /// A fact's id
    #[arg(long, value_name = "ID", conflicts_with = "entity")]
    fact: Option<String>,
    /// An entity: its id, or an unambiguous name or alias
    #[arg(long, value_name = "NAME", requires = "property")]
    entity: Option<String>,
    /// The property of --entity
    #[arg(long, requires = "entity")]
    property: Option<String>,
    /// Links of the chain of what it replaced
    #[arg(long, value_name = "N")]
    links: Option<usize>,
    #[command(flatten)]
    as_of: AsOf,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let mut params = match (&args.target, &args.of) {
        (Some(entity), Some(property)) => {
            vec![("entity", Some(entity.as_str())), ("property", Some(property.as_str()))]
        }
        (Some(fact), None) if fact.starts_with("f_") => vec![("fact", Some(fact.as_str()))],
        (Some(entity), None) => bail!(
            "{entity:?} is no fact's id; name a property too, as in `stratagate why {entity} status`"
        ),
        (None, _) => vec![
            ("fact", args.fact.as_deref()),
            ("entity", args.entity.as_deref()),
            ("property", args.property.as_deref()),
        ],
    };
    params.extend(args.as_of.params());
    let links = args.links.map(|links| links.to_string());
    params.push(("links", links.as_deref()));
    let door = session.door().await?;
    let reply = door.get(&with_params(&session.path("/why"), params)).await?;
    door.close().await;
    session.show(&reply, |why: WhyBody| render(&why))?;
    Ok(ExitCode::SUCCESS)
}

/// Shows the chain: each fact, its rule, its events, the quoted words.
pub fn render(why: &WhyBody) -> String {
    let mut text = String::new();
    if why.facts.is_empty() {
        text.push_str("nothing is known there\n");
    }
    for link in &why.facts {
        text.push_str(&render_link(link));
    }
    if !why.replaced.is_empty() {
        text.push_str("\nit replaced\n");
        for link in &why.replaced {
            text.push_str(&render_link(link));
        }
        if why.further > 0 {
            add!(text, "and {} before that: see --links\n", why.further);
        }
    }
    text
}

fn render_link(link: &WhyLinkBody) -> String {
    let mut text = format!("{}\n", facts::sentence(&link.fact));
    add!(text, "  rule   {}: {}\n", link.rule, link.rule_text);
    for act in &link.acts {
        let note = act.note.as_ref().map(|note| format!(": \"{note}\"")).unwrap_or_default();
        let undone = act.undone_by.map(|by| format!(", undone by {by}")).unwrap_or_default();
        add!(text, "  act    {} {}, {}{undone}{note}\n", act.id, act.kind, when(&act.at));
    }
    for chain in &link.events {
        let event = &chain.event;
        add!(text, "  event  {} ({}, {}, {})\n", event.title, event.kind, event.status, event.id);
        if let Some(reason) = &event.reason {
            add!(text, "  reason {reason}\n");
        }
        for quote in &chain.quotes {
            let message = &quote.message;
            let speaker = message.speaker.as_deref().unwrap_or(&message.role);
            add!(
                text,
                "  quote  {} {speaker}, {}: \"{}\"\n",
                when(&message.at),
                message.id,
                line(&quote.text, 200)
            );
        }
        if let Some(job) = &chain.job {
            let engine = job.engine.as_deref().unwrap_or("an engine");
            add!(text, "  job    {} by {engine}\n", job.id);
        }
        if !chain.adopters.is_empty() {
            add!(text, "  used   {}\n", chain.adopters.join(", "));
        }
    }
    text
}
