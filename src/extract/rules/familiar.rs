//! The people and projects that the conversation knows by name, and whose state a clause about tools
//! tells.

use super::claims::Ground;
use super::lexicon::{property_of, tools};
use super::name_words::NOT_A_NAME;
use super::names::project_in;
use super::text::{cue, is_han};
use crate::extract::BlockInput;
use crate::model::{Claim, ClaimValue, EntityKind, EntityRef, normalise_name};
use std::collections::{BTreeMap, BTreeSet};

/// Names beyond this number are not learnt: each line is looked through for all of them.
const MOST: usize = 200;

/// Names that the conversation knows.
#[derive(Debug, Default)]
pub(super) struct Familiar {
    people: BTreeSet<String>,
    organisations: BTreeSet<String>,
    /// Han names of what is owned or built with something: too like nouns to be looked for anywhere
    /// but before "uses".
    works: BTreeSet<String>,
    /// By name as written.
    projects: BTreeMap<String, EntityRef>,
}

impl Familiar {
    /// What was known before a Block.
    pub fn before(input: &BlockInput<'_>) -> Self {
        let mut known = Self::default();
        for entity in input.entities {
            let aliases = entity.aliases.clone();
            known.meet(&EntityRef { kind: entity.kind, name: entity.name.clone(), aliases });
        }
        for claim in input.events.iter().flat_map(|event| &event.claims) {
            known.learn(claim);
        }
        known
    }

    /// Takes in the names of a statement.
    pub fn learn(&mut self, claim: &Claim) {
        self.meet(&claim.subject);
        let built = matches!(
            claim.property.as_str(),
            "owner"
                | "database"
                | "framework"
                | "language"
                | "package_manager"
                | "hosting"
                | "uses"
        );
        if built
            && claim.subject.kind == EntityKind::Project
            && claim.subject.name.chars().all(is_han)
            && self.works.len() < MOST
        {
            self.works.insert(claim.subject.name.clone());
        }
        if let ClaimValue::Entity(value) = &claim.value {
            self.meet(value);
        }
    }

    fn meet(&mut self, entity: &EntityRef) {
        match entity.kind {
            EntityKind::Person if self.people.len() < MOST => {
                self.people.insert(normalise_name(&entity.name));
            }
            EntityKind::Organization if self.organisations.len() < MOST => {
                self.organisations.insert(normalise_name(&entity.name));
            }
            EntityKind::Project if self.projects.len() < MOST && is_proper(&entity.name) => {
                self.projects.insert(entity.name.clone(), entity.clone());
            }
            _ => {}
        }
    }

    pub fn is_project(&self, name: &str) -> bool {
        self.projects.contains_key(name)
    }

    fn is_person(&self, name: &str) -> bool {
        !self.is_project(name)
            && (self.people.contains(&normalise_name(name)) || FIRST_NAMES.contains(&name))
    }

    /// The known project whose name a text holds; the longest, where several do.
    pub fn project_in(&self, text: &str) -> Option<EntityRef> {
        let held = self.projects.iter().filter(|(name, _)| holds_name(text, name));
        held.max_by_key(|(name, _)| name.len()).map(|(_, entity)| entity.clone())
    }
}

/// A name rather than a noun: "Kestrel", "shop-api", 青鸟, but not "launch" or 上线.
pub(super) fn is_proper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase()) || name.contains(['-', '_']) && name.is_ascii()
}

fn holds_name(text: &str, name: &str) -> bool {
    let glued = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(glued) && !text[at + name.len()..].starts_with(glued))
}

/// Given names that are common enough to be a person's wherever they stand alone.
const FIRST_NAMES: &[&str] = &[
    "Adam", "Alex", "Alice", "Amir", "Amy", "Ana", "Andrea", "Andrew", "Anna", "Anne", "Ben",
    "Bob", "Carl", "Carlos", "Chen", "Chris", "Clara", "Dan", "Daniel", "David", "Elena", "Eli",
    "Emily", "Emma", "Eric", "Eva", "Frank", "George", "Hannah", "Henry", "Ivan", "Jack", "Jake",
    "James", "Jane", "Jen", "Jim", "Joe", "John", "Jonas", "Josh", "Julia", "Karen", "Kate",
    "Kevin", "Kim", "Laura", "Lena", "Leo", "Lily", "Lisa", "Liz", "Lucas", "Lucy", "Luke",
    "Marco", "Maria", "Marie", "Mark", "Martin", "Mary", "Max", "Mia", "Michael", "Mike", "Nadia",
    "Nick", "Nina", "Olga", "Oliver", "Omar", "Paul", "Peter", "Priya", "Rachel", "Raj", "Rob",
    "Robert", "Sam", "Sara", "Sarah", "Simon", "Sofia", "Sophie", "Steve", "Susan", "Tim", "Tom",
    "Tomas", "Victor", "Wang", "Wei", "Will", "Yuki", "Zoe",
];

cue!(
    /// Somebody else is what the clause is about: what they use is not used here.
    OTHERS,
    r"^(?:and |but |so |then |also |well,? )*(?:they|people|everyone|everybody|nobody|someone|somebody|most|many|some|others|other (?:teams?|companies|projects?|people)|another [\w-]+|(?:their|his|her|your) [\w-]+|(?:the|our|a|an|one of (?:the|our)|my|this|that|some) (?:[\w'-]+ ){0,2}?(?:customers?|vendors?|suppliers?|competitors?|competition|partners?|providers?|contractors?|agency|agencies|users|friends?|colleagues?|neighbou?rs?|brothers?|sisters?|cousins?)|(?:the|a|an|my|that|some|friend's|brother's|sister's) (?:other )?(?:company|clients?)|(?:our|my|new|big) clients?|my [\w]+'s [\w-]+)~|~(?:said|says|told \w+|thinks|wrote|claims)(?: that)? (?:he|she|they)~|^(?:另外|还有|听说|而|但是?|不过)?[,，]?(?:他们|她们|对方|客户|甲方|乙方|供应商|竞品|竞争对手|合作方|友商|别人|人家|那边|隔壁)"
);
cue!(
    /// A name at the head of a clause, before what it uses.
    NAMED_USER,
    r"^(?:and |but |so |then |also |now |right now,? |currently,? )*(?P<n>(?-i:[A-Z][a-zA-Z0-9]+(?:[-_ ][A-Z][a-zA-Z0-9]+)*))(?:'s (?:database|db|framework|language|package manager|hosting|backend|frontend|stack|API|CI))?(?: (?:now|still|also|currently|already|has|have|just))* (?:use[sd]?|using|is|runs?|ran|depends?|relies|relied|needs?|switched|moved|migrated|went|uses|stores?|builds?|deploys?)~|^(?:另外|还有|现在|目前)?(?P<h>(?-i:[A-Z][A-Za-z0-9-]+)|[\p{Han}]{2,4}?)(?:项目|系统|平台)?(?:的)?(?:数据库|后端|前端|服务端|框架|语言|包管理器|缓存)? ?(?:现在|目前|还是|都|一直|已经|也)*(?:改用|使用|采用|基于|用|是|跑在|部署在|换成|切换到|迁移到)"
);

/// Whose tools a clause tells of.
pub(super) enum User {
    /// The project, person or organisation that it names.
    Named(EntityRef),
    /// Nobody but ourselves.
    Ours,
    /// Somebody that we keep nothing about.
    Other,
}

/// Finds out whose tools a clause tells of.
pub(super) fn user_in(text: &str, property: &str, ground: &Ground<'_>) -> User {
    if OTHERS.is_match(text) {
        return User::Other;
    }
    if let Some(project) = project_in(text).or_else(|| ground.familiar.project_in(text)) {
        return User::Named(project);
    }
    let Some(found) = NAMED_USER.captures(text) else { return User::Ours };
    let Some(name) = found.name("n").or(found.name("h")).map(|m| m.as_str()) else {
        return User::Ours;
    };
    if ground.familiar.works.contains(name) {
        return User::Named(EntityRef::new(EntityKind::Project, name));
    }
    let lower = name.to_lowercase();
    let ordinary = lower.split([' ', '-']).any(|word| NOT_A_NAME.contains(&word))
        || property_of(name).is_some()
        || !tools(name).is_empty()
        || super::people::is_weekday_or_month(name)
        || name.len() < 3
        // A Han word before "uses" is more often a noun than a name.
        || name.chars().any(is_han);
    if ordinary {
        return User::Ours;
    }
    let known = ground.familiar;
    if known.organisations.contains(&normalise_name(name)) || super::people::is_company(name) {
        return User::Named(EntityRef::new(EntityKind::Organization, name));
    }
    if known.is_person(name) || property == "editor" {
        let person = EntityRef::new(EntityKind::Person, name);
        return if property == "editor" { User::Named(person) } else { User::Other };
    }
    // "Zhenya switched to yarn": as likely a person as a project, as long as nothing tells.
    if PERSONAL_DEED.is_match(text) {
        return User::Other;
    }
    User::Named(EntityRef::new(EntityKind::Project, name))
}

cue!(
    PERSONAL_DEED,
    r"^[^,]*?~(?:used|switched|moved|migrated|went|needs?|ran|builds?|deploys?|stores?)~"
);
