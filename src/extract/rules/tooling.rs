//! Claims about tools: what a project (or a person) uses, has stopped using, or runs at which
//! version.

use super::claims::{Ground, Maker, tool};
use super::familiar::{User, user_in};
use super::lexicon::{FoundTool, property_of, tools};
use super::text::{compile, cue};
use crate::model::{ClaimOp, ClaimValue, EntityRef};
use regex::Regex;
use std::sync::LazyLock;

/// A technical name: capitalised, or with a digit, dot or other mark inside.
const TECH: &str = r"(?-i:[A-Z][\w.+#-]*(?: [A-Z][\w.+#]*)?|[a-z][a-z0-9]*[.+#0-9-][\w.+#-]*)";

cue!(
    STOPS,
    r"~(?:no longer (?:uses?|using|need|needs|run|runs|depend on)|stopped using|stop using|don't use|doesn't use|do not use|not use|never use|not using|avoid(?:ing)?|quit using|dropped|drop|remove[ds]?|removing|got rid of|get rid of|done with|retired|abandoned|ditch(?:ed)?|phased out|deprecated|moved (?:away from|off)|moving (?:away from|off)|migrated (?:away from|off)|uninstall(?:ed)?)~ (?:the |our |using )?$|(?:不再(?:使|用)用?|停用了?|弃用了?|去掉了?|移除了?|卸载了?|删掉了?|放弃了?|不用|别用)(?:的)? ?$"
);
cue!(
    STARTS,
    r"~(?:us(?:e|es|ing)|go(?:ing)? with|went with|stick(?:ing)? (?:with|to)|stay(?:ing)? (?:with|on)|keep(?:ing)?|kept|adopt(?:ed|ing)?|standardi[sz]ed? on|standardi[sz]ing on|cho(?:o)?se|picked|pick|settled on|decided on|decided for|agreed on|opted for|(?:switch|switched|switching|move|moved|moving|migrate|migrated|migrating|change|changed|changing|convert|converted|converting|port|ported|porting|rewr\w+)(?: [\w.-]+){0,9}? (?:to|in|into|over to)|is now|written in|built (?:with|on|in)|runs? on|running on|hosted (?:on|at|with)|deploy(?:s|ed|ing)?(?: \w+){0,2} (?:on|to)|depends? on|rel(?:y|ies|ied) on|based on|is in|are in|by|with|replace[ds]? [\w.-]+ (?:with|by)|prefer(?:s)?|love(?:s)?|like(?:s)?|(?:went|gone|going|go|rolled|fell) back to|(?:reverted|returned) (?:back )?to|start with|started (?:using|with)|code in|program in|work in|on)~ (?:the |our |a |just |only |plain )?$|(?:改用了?|换成了?|换到了?|切换到了?|切换成了?|切到了?|切成了?|迁移到了?|迁到了?|改成(?:用)?了?|统一用|先用|就用|还是用|都用|改为|转(?:到|向|用)了?|使用|采用了?|选用了?|选了?|选定了?|用的是|用上了?|用了?|基于|跑在|部署(?:在|到)|喜欢|偏好|是) ?$"
);
cue!(
    AGAINST,
    r"~(?:instead of|rather than|over|not|than|and not|replac(?:e|es|ed|ing)|in place of|away from|off|from)~ (?:the |our |using )?$|(?:而不是|不是|代替|替代|取代|从|把|由|抛弃) ?$"
);
cue!(
    REPLACED_BY,
    r"^ ?~(?:with|by)~|^ ?(?:换成|换为|改成|切换到|切到|迁移到|迁到|改为|换到|替换(?:成|为))"
);
cue!(
    /// "Replace A with B"; "A with B" alone only joins them.
    REPLACES,
    r"~(?:replac|swap|substitut|exchang|chang|switch|trad)\w*~|把|将"
);
cue!(
    /// A verb of use that is denied: "we did not switch to", "without using".
    DENIED,
    r"(?:~(?:not|never|cannot|against|without|nor|neither|refused? to|decided against)~|n't)(?: (?:to|be|been|going|yet|even|really|actually|just|ever|want|plan|planning|think|need|have))*(?: (?:us(?:e|es|ing)|go(?:ing)? with|went with|stay(?:ing)? (?:with|on)|adopt(?:ed|ing)?|cho(?:o)?se|choosing|pick(?:ed|ing)?|add(?:ed|ing)?|depend on|support(?:ed|ing)?|(?:switch|mov|migrat|chang|convert|port)(?:e|ed|ing)?(?: [\w.-]+){0,4}? (?:to|in|into|over to)))? ?(?:the |our |a |any )?$|(?:没有?|不会|不想|不打算|不要|别|未)(?:再|去)?(?:使|采|选|改|换)?(?:用|成|到)? ?$"
);
cue!(
    GONE_AFTER,
    r"^ ?(?:不用了|不要了|弃用了|停用了|下线了|先不用)|^ ~(?:is|was|has been)~ (?:gone|removed|dropped|retired|deprecated)"
);
cue!(
    PERSONAL,
    r"^(?:and |but |so |also |yes,? |well,? |no,? |actually,? |now,? |these days,? )*(?:I|I'm|I've|my)~|^我(?:[^们]|$)|^(?:he|she)~"
);

static SWITCH_UNKNOWN: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r"~(?:switch|switched|switching|move|moved|moving|migrate|migrated|migrating)(?: [\w.-]+){{0,3}}? from (?P<a>{TECH}) to (?P<b>{TECH})|~(?:switch|switched|switching|migrate|migrated|migrating)(?: (?:us|everything|the \w+|our \w+|[a-z]+-[a-z-]+))?(?: over)? to (?P<c>{TECH})|从 ?(?P<d>[A-Za-z][\w.+#-]*) ?(?:换成|切换到|切到|迁移到|迁到|换到|改成|改用|换) ?(?P<e>[A-Za-z][\w.+#-]*)|(?:改用|换成|切换到|切到|迁移到|迁到) ?(?P<f>[A-Za-z][\w.+#-]*)"
    ))
});

static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"~(?P<t>Android|iOS|macOS|Windows|Ubuntu|Debian|Node(?:\.js)?|Python|Java|Go|Rust|PHP|Ruby|React|Vue|Angular|Django|Rails|Postgres|PostgreSQL|MySQL|Chrome|Safari|Firefox|Kubernetes|TypeScript|Next\.js|\.NET|Swift|Kotlin) ?v?(?P<v>\d+(?:\.\d+)*)(?P<p>\+)?",
    )
});
cue!(
    MINIMUM,
    r"~(?:target|support|minimum|min|at least|or (?:newer|later|higher|above)|lowest|oldest|require[sd]?)~|最低|支持|降到|提到|以上|至少|起步|起"
);
cue!(
    OWN_VERSION,
    r"~(?:upgrade|upgraded|bump|bumped|pin|pinned|downgrade|downgraded|update|updated|now on|running|on|is at|use|using)~|升级到?|降级到?|升到|用的?是|固定在|换到"
);

/// Who uses what a clause names; nobody, where that is somebody else.
fn subject(property: &str, text: &str, who: &EntityRef, ground: &Ground<'_>) -> Option<EntityRef> {
    let own = PERSONAL.is_match(text) && (property == "editor" || ground.project.is_none());
    if own {
        return Some(who.clone());
    }
    match user_in(text, property, ground) {
        User::Named(user) => Some(user),
        User::Ours => Some(ground.project_with(property)),
        User::Other => None,
    }
}

cue!(
    /// "Kestrel's database is": the tool is named by what it is for.
    IS_ITS,
    r"~(?:database|db|framework|language|package manager|hosting|host)(?: (?:of|for) (?:the |our )?[\w-]+(?: [\w-]+)?)? (?:is|will be)(?: now| still)? $"
);
cue!(
    FAVOURITE_TOOL,
    r"~my (?:new |current )?(?:favou?rite |preferred )?(?:editor|ide|language|framework|database|package manager)(?: of choice)? (?:is|was always)(?: now)? $"
);

/// Reads what a clause says about tools; `accepted` when it is a proposal that was agreed to, and
/// may begin with the tool.
pub(super) fn read(
    text: &str,
    who: &EntityRef,
    ground: &Ground<'_>,
    accepted: bool,
    maker: &mut Maker<'_>,
) {
    let found = tools(text);
    let mut used: Vec<&FoundTool> = Vec::new();
    let mut ended: Vec<&FoundTool> = Vec::new();
    for (index, one) in found.iter().enumerate() {
        let before = &text[..one.span.start];
        let after = &text[one.span.end..];
        if STOPS.is_match(before) || GONE_AFTER.is_match(after) {
            ended.push(one);
        } else if AGAINST.is_match(before) {
            // "From A to B" and "replace A with B" end A; "B over A" only ranks them.
            let names_from = ends_with_any(
                before,
                &[
                    "from",
                    "replace",
                    "replaced",
                    "replaces",
                    "replacing",
                    "instead of",
                    "in place of",
                    "away from",
                    "off",
                    "从",
                    "把",
                    "取代",
                    "代替",
                    "替代",
                ],
            );
            let replaced = REPLACED_BY.is_match(after) || names_from;
            if replaced && (found.len() > 1 || ends_with_any(before, &["away from", "off"])) {
                ended.push(one);
            }
        } else if DENIED.is_match(before) {
            // What is denied is neither used nor, for all that is said, given up.
        } else if REPLACED_BY.is_match(after)
            && index + 1 < found.len()
            && (REPLACES.is_match(before)
                || !after.starts_with(" with") && !after.starts_with(" by"))
        {
            ended.push(one);
        } else if STARTS.is_match(before)
            || FAVOURITE_TOOL.is_match(before)
            || IS_ITS.is_match(before)
            || (accepted && before.trim().is_empty())
            || follows_used(text, &found, index, &used)
        {
            used.push(one);
        }
    }
    for one in &ended {
        if let Some(user) = subject(one.property, text, who, ground) {
            maker.end(user, one.property, tool(&one.name));
        }
    }
    for one in &used {
        // "React for the front end, Vue for the admin": two values of one slot at once say
        // that it is no slot here.
        let alone = used.iter().filter(|o| o.property == one.property).count() == 1;
        let property = if alone { one.property } else { "uses" };
        if let Some(user) = subject(one.property, text, who, ground) {
            maker.assert(user, property, tool(&one.name));
        }
    }
    if found.is_empty() || used.is_empty() {
        unknown_switch(text, &ended, who, ground, maker);
    }
    versions(text, ground, maker);
}

fn ends_with_any(before: &str, words: &[&str]) -> bool {
    let trimmed = before.trim_end().to_lowercase();
    let trimmed = trimmed
        .strip_suffix(" the")
        .or_else(|| trimmed.strip_suffix(" our"))
        .or_else(|| trimmed.strip_suffix(" using"))
        .unwrap_or(&trimmed);
    words.iter().any(|w| trimmed.ends_with(w))
}

/// "Postgres and Redis": the second of a list goes with the first.
fn follows_used(text: &str, found: &[FoundTool], index: usize, used: &[&FoundTool]) -> bool {
    let Some(previous) = index.checked_sub(1).and_then(|i| found.get(i)) else { return false };
    let gap = text[previous.span.end..found[index].span.start].trim().to_lowercase();
    used.last().is_some_and(|u| u.span == previous.span)
        && matches!(
            gap.as_str(),
            "and" | "," | ", and" | "with" | "plus" | "+" | "&" | "和" | "、" | "加" | "跟"
        )
}

/// A switch to something that the lexicon does not know.
fn unknown_switch(
    text: &str,
    ended: &[&FoundTool],
    who: &EntityRef,
    ground: &Ground<'_>,
    maker: &mut Maker<'_>,
) {
    let Some(c) = SWITCH_UNKNOWN.captures(text) else { return };
    let Some(to) = ["b", "c", "e", "f"].iter().find_map(|g| c.name(g)) else { return };
    let from = c.name("a").or(c.name("d"));
    if property_of(to.as_str()).is_some()
        || crate::extract::dates::find(to.as_str(), &EPOCH)
            .iter()
            .any(|m| m.occurrence.from.is_some())
    {
        return;
    }
    let property = from
        .and_then(|m| property_of(m.as_str()))
        .or_else(|| ended.first().map(|t| t.property))
        .unwrap_or("uses");
    // People move from place to place; only what moves between known tools is a switch of tools.
    let known_from = from.is_some_and(|m| property_of(m.as_str()).is_some());
    if from.is_some() && !known_from && ended.is_empty() && is_place_like(text) {
        return;
    }
    // A capitalised word alone may be a place or a person.
    if from.is_none()
        && !to.as_str().contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '#'))
        && ended.is_empty()
        && text.is_ascii()
        && is_place_like(text)
    {
        return;
    }
    let Some(subject) = subject(property, text, who, ground) else { return };
    let name = to.as_str().trim_end_matches('.');
    if let Some(from) = from.filter(|m| ended.iter().all(|t| t.name != m.as_str())) {
        maker.end(subject.clone(), property, tool(from.as_str()));
    }
    maker.assert(subject, property, tool(name));
}

fn is_place_like(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("move") && !lower.contains("migrat")
}

pub(super) static EPOCH: LazyLock<crate::model::Stamp> = LazyLock::new(|| crate::model::Stamp {
    utc: chrono::DateTime::UNIX_EPOCH,
    offset_seconds: 0,
    basis: crate::model::StampBasis::Given,
});

fn versions(text: &str, ground: &Ground<'_>, maker: &mut Maker<'_>) {
    let Some(c) = VERSION.captures_iter(text).last() else { return };
    let project = match user_in(text, "version", ground) {
        User::Named(user) => user,
        User::Ours => ground.project(),
        User::Other => return,
    };
    let (name, version) = (&c["t"], &c["v"]);
    let minimum = c.name("p").is_some() || MINIMUM.is_match(text);
    let property = if minimum {
        "min_version"
    } else if OWN_VERSION.is_match(text) {
        "version"
    } else {
        return;
    };
    let value = ClaimValue::Text(format!("{name} {version}"));
    maker.claim(project, property, Some(name.to_lowercase()), value, ClaimOp::Assert);
}
