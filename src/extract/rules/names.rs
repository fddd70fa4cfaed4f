//! Names of people, projects and places in a clause.

use super::lexicon::property_of;
use super::name_words::{DETERMINERS, NAME_LIKE, NO_PROJECT, NOT_A_NAME, PLAIN_WORDS, SURNAMES};
use super::text::{cue, is_han};
use crate::model::{EntityKind, EntityRef};

/// Latin name: one to three capitalised words.
pub(super) const NAME: &str = r"(?-i:[A-Z][\w'’-]*(?: (?:[A-Z][\w'’-]*|of|de|van|von)){0,3})";

/// Compiles a pattern once in which `NAME` stands for a name.
macro_rules! named_cue {
    ($name:ident, $body:expr) => {
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| $crate::extract::rules::names::named($body));
    };
}
pub(super) use named_cue;

pub(super) fn named(pattern: &str) -> regex::Regex {
    super::text::compile(&pattern.replace("NAME", NAME))
}

cue!(
    PROJECT_NAMED,
    r"~(?:for|in|on|switch|move|migrate|port|convert|deploy|of|to|within|project|repo|rename) (?:the |our |my )?(?P<a>(?-i:[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+))(?: (?:project|repo|repository|app|service|site|package|codebase))?|~(?P<b>(?-i:[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)) (?:project|repo|repository|app|service|site|codebase)|~(?P<g>(?-i:[a-z][a-z0-9]*-(?:web|app|api|service|server|client|ui|core|cli|backend|frontend|site|bot|sdk|db|lib|worker|gateway|portal|admin)))~|~(?:the |our |my )?(?P<c>(?-i:[A-Z][\w-]*(?: [A-Z][\w-]*){0,2})) (?:project|repo|repository|app|codebase|website|platform)~|~project (?P<d>(?-i:[A-Z][\w-]*))~|~(?P<e>(?-i:[A-Z][\w-]* (?:SDK|API|App|Portal|Dashboard|Gateway|Platform)))~|~(?:for|in|on|of|to|the|our|my) (?P<i>(?-i:[a-z][a-z0-9]{2,})) (?:project|repo|repository|codebase)~|~(?:the|our|my) (?P<j>(?-i:[a-z][a-z0-9]{2,}) (?:service|app|website))~|(?P<f>[A-Za-z][\w-]*(?: [A-Z][\w-]*)?) ?(?:项目|系统|平台|仓库|服务)|(?:项目|仓库) ?(?P<h>[A-Za-z][\w-]*)"
);

/// Finds the project that a text names, if it names one.
pub(super) fn project_in(text: &str) -> Option<EntityRef> {
    for captures in PROJECT_NAMED.captures_iter(text) {
        let name = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
            .iter()
            .find_map(|g| captures.name(g))?;
        let word = name.as_str().trim();
        let lower = word.to_lowercase();
        let glued = text[name.end()..].starts_with(['.', '/', '-', '_'])
            && text[name.end() + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
        let head = lower.split(' ').next().unwrap_or_default();
        // "Mobile SDK", written as a name, is one; "the mobile app" only describes.
        let written = captures.name("e").is_some()
            && word.split(' ').all(|part| part.starts_with(|c: char| c.is_uppercase()))
            && NAME_LIKE.contains(&head);
        let ordinary = (lower.contains(' ') && NOT_A_NAME.contains(&head))
            || (PLAIN_WORDS.contains(&head) && !written)
            || matches!(
                lower.as_str(),
                "the"
                    | "this"
                    | "my"
                    | "our"
                    | "new"
                    | "a"
                    | "mobile"
                    | "this is"
                    | "i"
                    | "we"
                    | "let"
                    | "for"
            );
        if !glued
            && !ordinary
            && !NO_PROJECT.contains(&lower.as_str())
            && property_of(word).is_none()
        {
            return Some(EntityRef::new(EntityKind::Project, word));
        }
    }
    switched(text)
}

cue!(
    /// "Switch Harbour to pnpm", "use MongoDB for Lantern": the one between is worked on.
    SWITCHED,
    r"~(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|convert(?:ed|ing)?|port(?:ed|ing)?) (?P<a>(?-i:[A-Z][a-z][\w-]+)) (?:over |back )?(?:from [\w.+#-]+ )?to (?P<t>[\w.+#-]+)|~(?:us(?:e|es|ed|ing)|go(?:ing)? with|went with|chose|choose|pick|picked|adopt|adopted) (?P<u>[\w.+#-]+) for (?P<b>(?-i:[A-Z][a-z][\w-]+))(?: |$|[,.;!])"
);

/// The capitalised name that is switched to a known tool, or that a known tool is used for.
fn switched(text: &str) -> Option<EntityRef> {
    let found = SWITCHED.captures(text)?;
    let name = found.name("a").or(found.name("b"))?.as_str();
    let tool = found.name("t").or(found.name("u"))?.as_str().trim_end_matches('.');
    let dated = super::people::is_weekday_or_month(name);
    (property_of(tool).is_some() && property_of(name).is_none() && !dated)
        .then(|| EntityRef::new(EntityKind::Project, name))
}

/// The project that is meant where none is named.
pub(super) fn this_project() -> EntityRef {
    let aliases = ["the project", "项目", "这个项目", "本项目"].map(str::to_owned).to_vec();
    EntityRef { aliases, ..EntityRef::new(EntityKind::Project, "this project") }
}

/// Whether a word may be a Chinese personal name: a common surname and one or two more characters.
pub(super) fn is_han_name(word: &str) -> bool {
    let mut chars = word.chars();
    let Some(first) = chars.next() else { return false };
    let rest = chars.count();
    let familiar = matches!(first, '小' | '老' | '阿')
        && word.chars().nth(1).is_some_and(|c| SURNAMES.contains(c))
        && rest == 1;
    (SURNAMES.contains(first) || familiar)
        && (1..=2).contains(&rest)
        && word.chars().all(is_han)
        && !word.ends_with([
            '不', '没', '也', '还', '都', '在', '是', '要', '会', '将', '已', '就', '再',
        ])
        && ![
            "项目",
            "时候",
            "和我",
            "时间",
            "方案",
            "应该",
            "成本",
            "安全",
            "关于",
            "向我",
            "任务",
            "全部",
            "明天",
            "明年",
            "文档",
            "管理",
            "高级",
            "方便",
            "单位",
            "单独",
            "解决",
            "简单",
            "应用",
            "向上",
            "易用",
            "成功",
            "白天",
            "金额",
            "左右",
            "安排",
            "平台",
            "周末",
            "周一",
            "周二",
            "周三",
            "周四",
            "周五",
            "周六",
            "周日",
            "马上",
            "万一",
            "尤其",
            "全员",
            "石头",
            "周会",
            "任何",
            "关键",
            "时机",
            "查看",
            "程序",
            "路由",
            "边界",
            "项目组",
        ]
        .contains(&word)
}

/// Reads a person's name as a clause gives it; "Anna from design" and "Legal-Anna" become
/// `Anna (design)` and `Anna (legal)`, so that two of one name stay apart.
pub(super) fn person(text: &str) -> Option<EntityRef> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let head = lower.split(' ').next().unwrap_or_default();
    if NOT_A_NAME.contains(&lower.as_str())
        || DETERMINERS.contains(&head)
        || property_of(text).is_some()
        || text.is_empty()
    {
        return None;
    }
    if let Some((name, group)) = text.split_once(" from ").or_else(|| text.split_once(" in ")) {
        let group = group.trim_start_matches("the ");
        return Some(told_apart(name, group, text));
    }
    if let Some((group, name)) = text.split_once('-')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && NOT_A_NAME.contains(&group.to_lowercase().as_str())
    {
        return Some(told_apart(name, &group.to_lowercase(), text));
    }
    let han = text.chars().all(is_han);
    (if han { is_han_name(text) } else { text.starts_with(|c: char| c.is_uppercase()) })
        .then(|| EntityRef::new(EntityKind::Person, text))
}

fn told_apart(name: &str, group: &str, written: &str) -> EntityRef {
    EntityRef {
        aliases: vec![written.to_owned()],
        ..EntityRef::new(EntityKind::Person, format!("{} ({})", name.trim(), group.trim()))
    }
}

cue!(
    PERSON_HEAD,
    r"^(?:and |but |so |then |also |yes,? |right\.? )*(?P<n>(?-i:(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?\p{Lu}(?:['’]\p{Lu})?[\p{Ll}'’-]*\p{Ll}(?:-\p{Lu}\p{Ll}+)?)(?: (?-i:\p{Lu}[\p{Ll}'’-]+))?(?: from (?:the )?[a-z]+)?) (?:is|was|has|will|also|now|still|just|finally|works?|worked|lives?|lived|moved?|moves|joined|joins|left|leaves|quit|took|takes|owns?|leads?|manages?|sent|sends|needs?|wants?|prefers?|likes?|loves?|hates?|can't|got|became|said|started|starts|bought|sold|speaks?|studies|administers|handles|runs|finished|knows|plans|might|may|uses|used|switched|can|should|must|does|doesn't|did|didn't|had|gets|goes|went|comes|came|starts|begins|retired|resigned|replaced|wrote|reports|teaches|taught|approved|signed|is)~"
);

/// The person at the head of a clause, if one is named there.
pub(super) fn person_at_head(clause: &str) -> Option<EntityRef> {
    PERSON_HEAD.captures(clause).and_then(|c| person(&c["n"]))
}

cue!(
    HAN_HEAD,
    r"^(?:另外|还有|对了|然后|现在|目前|听说|以后)?(?P<n>[\p{Han}]{2,3}?|(?-i:[A-Z][a-z]+)) ?(?:从|还是|改|接|负责|管|转|离|入职|辞|升|调|去|在|是|上周|下周|昨天|今天|明天|这周|本周|上个月|下个月|已|会|要|刚|喜欢|讨厌|不|对|住|搬|买|卖|说|带|休|请假|回|来|做|也|现在|目前|暂时|最近|正|将|把|被|想|打算|计划|准备)"
);

/// The person at the head of a Chinese clause.
pub(super) fn han_person_at_head(clause: &str) -> Option<EntityRef> {
    for captures in HAN_HEAD.captures_iter(clause) {
        if let Some(found) = person(&captures["n"]) {
            return Some(found);
        }
    }
    None
}
