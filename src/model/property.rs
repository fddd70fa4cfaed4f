//! The properties that facts are kept under. `ontology/shapes.ttl` is the published contract;
//! a test holds both equal.

/// What the values of a property are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// An entity.
    Entity,
    /// Words.
    Text,
    /// A calendar date.
    Date,
    /// An entity or words, whichever the sentence gives.
    Either,
}

/// One property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Property {
    /// The contract name, `snake_case`; the IRI is its `camelCase` in the `sg:` namespace.
    pub name: &'static str,
    /// Whether one Slot holds at most one value at a time, so that a second one supersedes.
    pub functional: bool,
    /// What its values are.
    pub values: ValueKind,
    /// The name in English.
    pub label_en: &'static str,
    /// The name in Chinese.
    pub label_zh: &'static str,
}

const fn one(
    name: &'static str,
    values: ValueKind,
    label_en: &'static str,
    label_zh: &'static str,
) -> Property {
    Property { name, functional: true, values, label_en, label_zh }
}

const fn many(
    name: &'static str,
    values: ValueKind,
    label_en: &'static str,
    label_zh: &'static str,
) -> Property {
    Property { name, functional: false, values, label_en, label_zh }
}

use ValueKind::{Date, Either, Entity, Text};

/// All properties: first the functional ones, then those whose values coexist. A Slot with a
/// qualifier (the topic of a habit, say) is functional on its own.
pub const PROPERTIES: &[Property] = &[
    one("package_manager", Entity, "package manager", "包管理器"),
    one("language", Entity, "programming language", "编程语言"),
    one("database", Entity, "database", "数据库"),
    one("framework", Entity, "framework", "框架"),
    one("hosting", Entity, "hosting", "部署平台"),
    one("editor", Entity, "editor", "编辑器"),
    one("version", Text, "version", "版本"),
    one("min_version", Text, "minimum version", "最低版本"),
    one("employer", Entity, "employer", "雇主"),
    one("role", Text, "role", "职位"),
    one("home_city", Entity, "home city", "居住城市"),
    one("owner", Entity, "owner", "负责人"),
    one("contact", Entity, "contact", "联系人"),
    one("recipient", Entity, "recipient", "接收人"),
    one("status", Text, "status", "状态"),
    one("deadline", Date, "deadline", "截止日期"),
    one("date", Date, "date", "日期"),
    one("start_date", Date, "start date", "开始日期"),
    one("end_date", Date, "end date", "结束日期"),
    one("diet", Text, "diet", "饮食"),
    one("accommodation", Either, "accommodation", "住处"),
    one("partner", Entity, "partner", "伴侣"),
    one("manager", Entity, "manager", "上级"),
    one("birthday", Text, "birthday", "生日"),
    one("personal_best", Text, "personal best", "个人最好成绩"),
    one("preference", Either, "preference", "偏好"),
    one("habit", Text, "habit", "习惯"),
    one("budget", Text, "budget", "预算"),
    one("amount", Text, "amount", "数量"),
    many("likes", Either, "likes", "喜欢"),
    many("dislikes", Either, "dislikes", "不喜欢"),
    many("allergic_to", Text, "allergic to", "过敏"),
    many("uses", Entity, "uses", "使用"),
    many("depends_on", Entity, "depends on", "依赖"),
    many("supports", Either, "supports", "支持"),
    many("participates_in", Either, "participates in", "参与"),
    many("works_on", Entity, "works on", "从事"),
    many("member_of", Entity, "member of", "成员"),
    many("knows", Entity, "knows", "认识"),
    many("owns", Either, "owns", "拥有"),
    many("speaks", Text, "speaks", "会说"),
    many("studies", Either, "studies", "学习"),
    many("visited", Entity, "visited", "去过"),
    many("administers", Either, "administers", "管理"),
    many("constraint", Text, "constraint", "约束"),
];

/// Finds a property by its contract name, or by the local name of its IRI.
pub fn property(name: &str) -> Option<&'static Property> {
    PROPERTIES.iter().find(|p| p.name == name || p.local_name() == name)
}

impl Property {
    /// Returns the local name of its IRI: the contract name in `camelCase`.
    pub fn local_name(&self) -> String {
        let mut out = String::with_capacity(self.name.len());
        let mut upper = false;
        for c in self.name.chars() {
            if c == '_' {
                upper = true;
            } else if upper {
                out.extend(c.to_uppercase());
                upper = false;
            } else {
                out.push(c);
            }
        }
        out
    }
}
