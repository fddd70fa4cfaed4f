//! Entities that may be one: near names of one kind. Only an operator merges them.

use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::MergeProposal;
use crate::model::{Entity, normalise_name};
use std::collections::{BTreeMap, BTreeSet};

/// Most proposals at once; the surest come first.
const MAX_PROPOSALS: usize = 200;
/// Names shorter than this are near to too many others.
const LEAST_CHARS: usize = 4;
/// Names from this length on may differ by two characters.
const LONG_CHARS: usize = 9;

/// The names of an entity, as they are compared.
struct Named<'e> {
    entity: &'e Entity,
    keys: Vec<String>,
}

impl Namespace {
    /// Proposes pairs of entities that may be one, the surest first.
    ///
    /// # Errors
    /// When the store fails.
    pub fn merge_proposals(&self) -> Result<Vec<MergeProposal>, MemoryError> {
        let tx = self.store.begin()?;
        let hidden = tx.hidden_events(None)?;
        let mut entities = Vec::new();
        for id in tx.entity_ids()? {
            if tx.standing_for(&id)? == id && Self::is_shown(&tx, &id, None, &hidden)? {
                entities.extend(tx.entity(&id)?);
            }
        }
        Ok(propose(&entities))
    }
}

fn propose(entities: &[Entity]) -> Vec<MergeProposal> {
    // Whatever is near begins with the same character, or is the same word for word: comparing
    // only these keeps thousands of entities cheap.
    let mut buckets: BTreeMap<(&str, char), Vec<Named<'_>>> = BTreeMap::new();
    for entity in entities {
        let names = std::iter::once(&entity.label).chain(&entity.aliases);
        let keys: Vec<String> = names.map(|name| normalise_name(name)).collect();
        let firsts: BTreeSet<char> = keys.iter().filter_map(|key| key.chars().next()).collect();
        for first in firsts {
            let named = Named { entity, keys: keys.clone() };
            buckets.entry((entity.kind.as_str(), first)).or_default().push(named);
        }
    }
    let mut found: BTreeMap<(String, String), MergeProposal> = BTreeMap::new();
    for named in buckets.values() {
        for (at, a) in named.iter().enumerate() {
            for b in &named[at + 1..] {
                if let Some((closeness, reason)) = nearest(a, b) {
                    let pair = (a.entity.id.0.clone(), b.entity.id.0.clone());
                    found.entry(pair).or_insert_with(|| MergeProposal {
                        from: b.entity.clone(),
                        into: a.entity.clone(),
                        closeness,
                        reason,
                    });
                }
            }
        }
    }
    let mut proposals: Vec<MergeProposal> = found.into_values().collect();
    proposals.sort_by(|a, b| {
        let ids = |p: &MergeProposal| (p.into.id.clone(), p.from.id.clone());
        b.closeness.total_cmp(&a.closeness).then_with(|| ids(a).cmp(&ids(b)))
    });
    proposals.truncate(MAX_PROPOSALS);
    proposals
}

/// The nearest two of their names, from 0 to 1, and why they are near.
fn nearest(a: &Named<'_>, b: &Named<'_>) -> Option<(f64, String)> {
    let pairs = a.keys.iter().flat_map(|one| b.keys.iter().map(move |other| (one, other)));
    pairs.filter_map(|(one, other)| near(one, other)).max_by(|x, y| x.0.total_cmp(&y.0))
}

fn near(a: &str, b: &str) -> Option<(f64, String)> {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (one, other) = (letters(a), letters(b));
    let (short, long) = (
        one.chars().count().min(other.chars().count()),
        one.chars().count().max(other.chars().count()),
    );
    if short < LEAST_CHARS {
        return None;
    }
    if one == other {
        return Some((1.0, format!("{a:?} and {b:?} differ in spaces and signs only")));
    }
    let allowed = if short >= LONG_CHARS { 2 } else { 1 };
    // Two versions are two things, however near their names are.
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    if digits(a) == digits(b) && long - short <= allowed {
        let distance = strsim::osa_distance(&one, &other);
        if distance <= allowed {
            let closeness = 1.0 - distance as f64 / long as f64;
            return Some((closeness, format!("{a:?} and {b:?} differ in {distance} characters")));
        }
    }
    let words = |text: &str| text.split('-').map(str::to_owned).collect::<BTreeSet<String>>();
    let (mine, yours) = (words(a), words(b));
    let part = mine.is_subset(&yours) || yours.is_subset(&mine);
    if part && mine.len() != yours.len() && digits(a) == digits(b) {
        let share = mine.len().min(yours.len()) as f64 / mine.len().max(yours.len()) as f64;
        return Some((0.8 * share, format!("one of {a:?} and {b:?} is a part of the other")));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityId, EntityKind};

    fn entity(kind: EntityKind, name: &str) -> Entity {
        let id = EntityId(format!("{}:{}", kind.as_str(), normalise_name(name)));
        Entity { id, kind, label: name.to_owned(), aliases: Vec::new() }
    }

    #[test]
    fn near_names_of_one_kind_are_proposed_and_versions_are_not() {
        use EntityKind::{Person, Project, Tool};
        let entities = [
            entity(Project, "kiosk web"),
            entity(Project, "kioskweb"),
            entity(Person, "Marta Kowalska"),
            entity(Person, "Marta Kowalsca"),
            entity(Person, "Marta"),
            entity(Tool, "Python 3"),
            entity(Tool, "Python 2"),
            entity(Tool, "Marta"),
            entity(Tool, "npm"),
            entity(Tool, "pnpm"),
        ];
        let found: Vec<(String, String)> =
            propose(&entities).into_iter().map(|p| (p.into.id.0, p.from.id.0)).collect();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert!(found.contains(&pair("project:kiosk-web", "project:kioskweb")), "{found:?}");
        assert!(found.contains(&pair("person:marta-kowalska", "person:marta-kowalsca")));
        assert!(found.contains(&pair("person:marta-kowalska", "person:marta")));
        assert!(found.iter().all(|(a, b)| !a.starts_with("tool") && !b.starts_with("tool")));
        assert_eq!(found[0], pair("project:kiosk-web", "project:kioskweb"), "the surest first");
    }
}
