//! Ids of what comes back. A fact, closing or conflict is recorded over one interval of
//! transaction time; when the same one is recorded again it gets the next generation of its id
//! (`f_…`, `f_…~2`, `f_…~3`), so that the history of each stays exact.

use std::collections::BTreeSet;

/// Returns the first generation of `base` that is not among the ids in use.
pub(super) fn next_generation(base: &str, used: &BTreeSet<String>) -> String {
    if !used.contains(base) {
        return base.to_owned();
    }
    (2..=used.len() + 2)
        .map(|generation| format!("{base}~{generation}"))
        .find(|id| !used.contains(id))
        .expect("more numbers were tried than ids are in use")
}

/// Returns the id without its generation.
pub(super) fn base_of(id: &str) -> &str {
    id.split_once('~').map_or(id, |(base, _)| base)
}
