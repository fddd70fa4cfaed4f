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
    /// Words that questions ask for it with and that no statement of it need contain, in English
    /// and Chinese: who asks where somebody lives says nothing of a home city.
    pub asked_with: &'static str,
}

const fn one(
    name: &'static str,
    values: ValueKind,
    label_en: &'static str,
    label_zh: &'static str,
    asked_with: &'static str,
) -> Property {
    Property { name, functional: true, values, label_en, label_zh, asked_with }
}

const fn many(
    name: &'static str,
    values: ValueKind,
    label_en: &'static str,
    label_zh: &'static str,
    asked_with: &'static str,
) -> Property {
    Property { name, functional: false, values, label_en, label_zh, asked_with }
}

use ValueKind::{Date, Either, Entity, Text};

/// All properties: first the functional ones, then those whose values coexist. A Slot with a
/// qualifier (the topic of a habit, say) is functional on its own.
pub const PROPERTIES: &[Property] = &[
    one(
        "package_manager",
        Entity,
        "package manager",
        "包管理器",
        "use uses used using 用 使用 packages install lockfile manager 安装依赖",
    ),
    one(
        "language",
        Entity,
        "programming language",
        "编程语言",
        "use uses used using 用 使用 written programming language code 语言",
    ),
    one(
        "database",
        Entity,
        "database",
        "数据库",
        "use uses used using 用 使用 db store storage 数据库 存储",
    ),
    one(
        "framework",
        Entity,
        "framework",
        "框架",
        "use uses used using 用 使用 framework built 框架",
    ),
    one(
        "hosting",
        Entity,
        "hosting",
        "部署平台",
        "use uses used using 用 使用 host hosted deploy deployed deployment runs server cloud 部署 托管 服务器",
    ),
    one(
        "editor",
        Entity,
        "editor",
        "编辑器",
        "use uses used using 用 使用 ide editor edit code 编辑器",
    ),
    one("version", Text, "version", "版本", "version release 版本"),
    one(
        "min_version",
        Text,
        "minimum version",
        "最低版本",
        "minimum oldest required version 最低 版本",
    ),
    one(
        "employer",
        Entity,
        "employer",
        "雇主",
        "work works working job company employed employer 工作 公司 上班 就职",
    ),
    one("role", Text, "role", "职位", "job title position role living 职位 职务 岗位 工作"),
    one(
        "home_city",
        Entity,
        "home city",
        "居住城市",
        "live lives living home reside resides city town moved address 住 居住 住在 家 城市 搬",
    ),
    one(
        "owner",
        Entity,
        "owner",
        "负责人",
        "owns owner responsible charge lead leads maintains maintainer belongs 负责 负责人",
    ),
    one("contact", Entity, "contact", "联系人", "contact reach ask person 联系 联系人 找谁"),
    one(
        "recipient",
        Entity,
        "recipient",
        "接收人",
        "recipient send sent receives 发给 接收 收件人",
    ),
    one("status", Text, "status", "状态", "status state progress done finished 状态 进展 完成"),
    one("deadline", Date, "deadline", "截止日期", "due deadline finish 截止 期限 之前完成"),
    one("date", Date, "date", "日期", "date day scheduled happen 日期 时间"),
    one("start_date", Date, "start date", "开始日期", "start starts begin begins 开始"),
    one("end_date", Date, "end date", "结束日期", "end ends finish 结束"),
    one(
        "diet",
        Text,
        "diet",
        "饮食",
        "eat eats food vegetarian vegan diet meals 吃 饮食 素食 忌口",
    ),
    one(
        "accommodation",
        Either,
        "accommodation",
        "住处",
        "stay staying hotel accommodation lodging 住 酒店 住宿",
    ),
    one(
        "partner",
        Entity,
        "partner",
        "伴侣",
        "married wife husband spouse girlfriend boyfriend partner 妻子 丈夫 老婆 老公 女朋友 男朋友 结婚 对象",
    ),
    one(
        "manager",
        Entity,
        "manager",
        "上级",
        "boss manager reports supervisor lead 上司 领导 老板 经理 汇报",
    ),
    one("birthday", Text, "birthday", "生日", "born birthday birth age old 生日 出生 几岁"),
    one(
        "personal_best",
        Text,
        "personal best",
        "个人最好成绩",
        "record best fastest personal 最好 成绩 纪录",
    ),
    one(
        "preference",
        Either,
        "preference",
        "偏好",
        "prefer prefers preference favourite favorite likes 偏好 喜欢 更喜欢",
    ),
    one(
        "habit",
        Text,
        "habit",
        "习惯",
        "usually often every habit routine regularly 习惯 经常 通常 每天 每周",
    ),
    one("budget", Text, "budget", "预算", "budget cost money spend price 预算 费用"),
    one("amount", Text, "amount", "数量", "amount count total 数量"),
    many(
        "likes",
        Either,
        "likes",
        "喜欢",
        "like likes love loves enjoy enjoys favourite favorite hobby 喜欢 爱好",
    ),
    many(
        "dislikes",
        Either,
        "dislikes",
        "不喜欢",
        "dislike dislikes hate hates avoid stand 讨厌 不喜欢 反感",
    ),
    many(
        "allergic_to",
        Text,
        "allergic to",
        "过敏",
        "allergy allergies allergic intolerant 过敏 忌",
    ),
    many("uses", Entity, "uses", "使用", "use uses using used tool tools 用 使用 工具"),
    many(
        "depends_on",
        Entity,
        "depends on",
        "依赖",
        "depend depends dependency requires 依赖 需要",
    ),
    many(
        "supports",
        Either,
        "supports",
        "支持",
        "support supports supported compatible works 支持 兼容",
    ),
    many(
        "participates_in",
        Either,
        "participates in",
        "参与",
        "attend attends join participates event 参加 参与",
    ),
    many(
        "works_on",
        Entity,
        "works on",
        "从事",
        "working on works project projects task 项目 工作 负责",
    ),
    many(
        "member_of",
        Entity,
        "member of",
        "成员",
        "member team group belongs club 成员 团队 小组 加入",
    ),
    many("knows", Entity, "knows", "认识", "know knows friend friends acquainted 认识 朋友"),
    many("owns", Either, "owns", "拥有", "own owns possess car pet 拥有"),
    many("speaks", Text, "speaks", "会说", "speak speaks language languages fluent 会说 语言"),
    many(
        "studies",
        Either,
        "studies",
        "学习",
        "study studies studying learn learning course school university degree 学 学习 专业 大学",
    ),
    many(
        "visited",
        Entity,
        "visited",
        "去过",
        "visit visited travel travelled trip 去过 旅行 到过 访问",
    ),
    many(
        "administers",
        Either,
        "administers",
        "管理",
        "administer administers admin manages runs operates 管理 运维",
    ),
    many(
        "constraint",
        Text,
        "constraint",
        "约束",
        "constraint limit requirement rule 限制 约束 要求",
    ),
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
