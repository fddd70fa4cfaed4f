//! Claims about who is in charge of what.

use super::claims::{Ground, Maker};
use super::draft::Draft;
use super::names::named_cue;
use super::names::{han_person_at_head, person};
use super::text::{cue, is_chinese};
use crate::model::{ClaimValue, EntityKind, EntityRef, EventStatus as S, Precision};

named_cue!(
    OWNS_WORK,
    r"^(?:and |but |so |then |also )*(?P<n>NAME)(?: from [a-z]+)?(?: is| will| now| also| still|'s|'ll)* (?:owns?|leads?|leading|is in charge of|in charge of|responsible for|(?:the )?(?:new )?owner(?: of)?|takes? over|took over|taking over|taking|manages?|managing|handles?|handling|maintains?|runs|looks after|drives|be the owner of)(?: now)? (?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,3})?"
);

named_cue!(
    OWNER_IS,
    r"~(?:owner|lead|responsible person|maintainer|point person|assignee)(?: (?:of|for) (?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,3}?))?(?: is| becomes| will be|: | now| is now)+ (?P<n>NAME)"
);

named_cue!(
    HANDED_TO,
    r"~(?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,2}?) (?:is|was|are|were|has been|have been|goes|went|gets|got)(?: now)? (?:owned by|handed (?:over )?to|assigned to|taken over by|led by|managed by|maintained by|reassigned to|transferred to|to) (?P<n>NAME)"
);

named_cue!(
    HANDED_OVER,
    r"~(?:(?:handed|hands|handing|hand|passed|turned) over (?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,2}?) to|(?:handed|hands|handing|hand|passed|turned) (?:the |our )?(?P<what2>[\w-]+(?: [\w-]+){0,2}?) over to|(?:transferred|reassigned) (?:the |our )?(?P<what3>[\w-]+(?: [\w-]+){0,2}?) to) (?P<n>NAME)"
);

cue!(
    HAN_OWNER_IS,
    r"^(?:另外|还有|对了|现在|目前)?(?P<what>[^,，。]{0,12}?)(?:的)?负责人(?:现在|目前|已经|改|改成|变成|换成|就|还|还是|从[^,，。]{1,8}起)*(?:是|为|叫|了)(?P<n>[\p{Han}]{2,3}|(?-i:[A-Z][A-Za-z]+))$"
);

cue!(
    HAN_IS_OWNER,
    r"^(?P<n>我|[\p{Han}]{2,3}?|(?-i:[A-Z][A-Za-z]+)) ?(?:现在|还|也|就|仍然|已经)*是(?P<what>[^,，。]{2,10}?)的?负责人$"
);

cue!(
    HAN_OWNS,
    r"^(?:另外|还有|对了|然后|现在|目前|听说)?(?:(?P<n>我|[\p{Han}]{2,3}?|[A-Za-z][A-Za-z.]+) ?)?(?:从[^,，。]{1,8}?(?:起|开始)|上周|下周[一二三四五六日]?|还是|仍然|现在|一直|暂时|以后|将|会|来|明天|今天)*(?:改管|负责|接手|接管|主管|接替|带|维护|管)(?:了)?(?P<what>[^,，。了]{2,10}?)?(?:了)?$"
);

cue!(
    HAN_OWNED,
    r"^(?:另外|还有|对了|然后|听说)?(?P<what>[^,，。可]{2,10}?)(?:可能|以后|现在|暂时|改|先|就|将)*(?:由|归|交给|转给|给|移交给|分给)(?P<n>[\p{Han}]{2,3}?|[A-Za-z]+)(?:负责|管|维护|接手|来做|了|做|带)?$"
);

cue!(
    HAN_VACANT,
    r"^(?P<what>[^,，。]{2,10}?)(?:暂时|目前|现在|还|暂|仍然|一直)*(?:没人(?:管|负责|接)?|无人(?:负责|管)?|暂缺|空缺)"
);

cue!(
    HAN_TRANSFER,
    r"(?:转去|转到|调去|调到|转岗到|去)(?:了)?(?:做|负责)?(?P<what>[^,，。了]{2,8})"
);

cue!(
    VACANT,
    r"~(?:nobody|no one|no-one)(?: currently| now)? (?:owns|leads|is in charge of|manages|handles|maintains|runs) (?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,3})|~(?:the |our )?(?P<what2>[\w-]+(?: [\w-]+){0,2}) (?:has|have) no (?:owner|lead|maintainer)"
);

cue!(
    PREPOSITION,
    r"^(?:on|in|at|by|for|from|over|to|with|until|till|since|as|out|off|into|of|after|before|during|again|today|tomorrow|yesterday|next|last|this)~"
);

cue!(
    /// Verbs of taking charge that need not say of what.
    HANDS_OVER,
    r"~(?:takes? over|took over|taking over|in charge|responsible|the (?:new )?owner)~"
);

pub(super) fn work(name: &str, ground: &Ground<'_>) -> EntityRef {
    let name = name.trim().trim_end_matches(['的', ' ']);
    // "王小明把支付模块交给赵敏": the work stands after 把.
    let name = name.rsplit(['把', '将']).next().unwrap_or(name);
    let name = name
        .strip_suffix("项目")
        .filter(|rest| !rest.is_empty() && !HAN_THIS.is_match(rest))
        .unwrap_or(name);
    let lower = name.to_lowercase();
    if PREPOSITION.is_match(name)
        || matches!(
            lower.as_str(),
            "it" | "that"
                | "this"
                | "the project"
                | "this project"
                | "project"
                | ""
                | "from"
                | "now"
                | "for"
        )
        || ["项目", "这个项目", "本项目", "这个", "它"].contains(&name)
    {
        return ground.project();
    }
    let cut = name.split(" from ").next().unwrap_or(name);
    let cut = cut.split(" on ").next().unwrap_or(cut).split(" until ").next().unwrap_or(cut);
    let cut = cut.split(" starting").next().unwrap_or(cut).split(" since ").next().unwrap_or(cut);
    let cut = cut.trim_end_matches(" now").trim_end_matches(" next").trim_end_matches(" project");
    EntityRef::new(EntityKind::Project, cut)
}

pub(super) fn owners(text: &str, draft: &Draft, ground: &Ground<'_>, maker: &mut Maker<'_>) {
    let tentative = draft.status == S::Tentative;
    // "I'm responsible for it": the speaker.
    let named = |name: &str| {
        if SPEAKER.is_match(name) {
            let works = OWN_WORK.is_match(text) && !OWN_THINGS.is_match(text);
            works.then(|| ground.speaker.clone())
        } else {
            person(name)
        }
    };
    let mut set = |subject: EntityRef, owner: EntityRef| {
        let claim = |m: &mut Maker<'_>| m.assert(subject, "owner", ClaimValue::Entity(owner));
        // Who is to do a thing is settled by naming them; when the thing is due is another matter.
        if tentative {
            claim(maker);
        } else if draft.occurred.precision == Precision::Deadline {
            maker.timeless(|m| m.firm(claim));
        } else {
            maker.firm(claim);
        }
    };
    if is_chinese(text) || text.chars().any(super::text::is_han) {
        if let Some(c) = HAN_VACANT.captures(text) {
            maker.end(work(&c["what"], ground), "owner", ClaimValue::Any);
            return;
        }
        if let Some(c) = HAN_OWNER_IS.captures(text)
            && let Some(owner) = person(&c["n"])
        {
            set(work(&c["what"], ground), owner);
            return;
        }
        if let Some(c) = HAN_IS_OWNER.captures(text)
            && let Some(owner) = named(&c["n"])
        {
            set(work(&c["what"], ground), owner);
            return;
        }
        if let Some(c) = HAN_OWNS.captures(text) {
            let owner = match c.name("n") {
                Some(name) => named(name.as_str()),
                None => ground.person.cloned(),
            };
            if let Some(owner) = owner {
                set(
                    c.name("what").map_or_else(|| ground.project(), |w| work(w.as_str(), ground)),
                    owner,
                );
                return;
            }
        }
        if let Some(c) = HAN_OWNED.captures(text)
            && let Some(owner) = person(&c["n"])
        {
            set(work(&c["what"], ground), owner);
            return;
        }
        if let Some(c) = HAN_TRANSFER.captures(text)
            && let Some(mover) = han_person_at_head(text)
        {
            let works = EntityRef::new(EntityKind::Project, c["what"].trim());
            maker.assert(mover, "works_on", ClaimValue::Entity(works));
            return;
        }
    }
    if let Some(c) = VACANT.captures(text)
        && let Some(what) = c.name("what").or(c.name("what2"))
    {
        maker.end(work(what.as_str(), ground), "owner", ClaimValue::Any);
    } else if let Some(c) = OWNER_IS.captures(text) {
        if let Some(owner) = person(&c["n"]) {
            set(
                c.name("what")
                    .map_or_else(|| ground.project_with("owner"), |w| work(w.as_str(), ground)),
                owner,
            );
        }
    } else if let Some(c) = HANDED_TO.captures(text) {
        if let Some(owner) = person(&c["n"]).filter(|_| {
            text.contains(" by ")
                || text.contains("assigned to")
                || text.contains("handed")
                || text.contains("transferred to")
        }) {
            set(work(&c["what"], ground), owner);
        }
    } else if let Some(c) = HANDED_OVER.captures(text)
        && let Some(what) = c.name("what").or(c.name("what2")).or(c.name("what3"))
    {
        if let Some(owner) = person(&c["n"]) {
            set(work(what.as_str(), ground), owner);
        }
    } else if let Some(c) = OWNS_WORK.captures(text)
        && let Some(owner) = named(&c["n"])
        && !owns_a_thing(text)
        && !(SPEAKER.is_match(&c["n"]) && names_a_thing(c.name("what").map_or("", |m| m.as_str())))
        // "The build runs on it" and "Ana handles in March" put nobody in charge of anything.
        && (HANDS_OVER.is_match(&c[0])
            || c.name("what").is_some_and(|what| !PREPOSITION.is_match(what.as_str())))
    {
        set(c.name("what").map_or_else(|| ground.project(), |w| work(w.as_str(), ground)), owner);
    }
}

cue!(HAN_THIS, r"^(?:这个|那个|本|该|此|我们|我们的|整个)$");

cue!(SPEAKER, r"^(?:I(?:'m|'ll|'ve)?|我)$");

cue!(
    /// What one says of oneself and means as work: "I'm taking the bus" and "I own the Volvo" do not.
    OWN_WORK,
    r"~(?:in charge of|responsible for|owner of|take over|took over|taking over|lead|maintain|manage|own)~|负责|接手|接管|主管|维护"
);
/// "I own the Saab": a thing by its name, where work would be a word.
fn names_a_thing(what: &str) -> bool {
    what.starts_with(|c: char| c.is_uppercase())
}

cue!(
    OWN_THINGS,
    r"~(?:own|manage|lead|maintain) (?:my|a|an|it|this|that|some|two|people|myself|to|in|with)~"
);

cue!(
    OWNS_THING,
    r"~owns? (?:a|an|two|three|four|five|several|some|his|her|their) ~|~(?:runs|taking|takes|handles?) (?:a|an|the|three|two|four|five|every|each|his|her|\d+)? ?(?:marathon|half|k|times|miles|day|class|classes|photo|photos|pictures|bus|train|week|course|break|care|part|place|medication)"
);

pub(super) fn owns_a_thing(text: &str) -> bool {
    OWNS_THING.is_match(text)
}
