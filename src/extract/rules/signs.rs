//! The signs by which the dialogue rules go, and the cutting of reasons.

use super::text::cue;
use crate::model::EventKind as K;

cue!(
    AFFIRMS,
    r"^(?:(?:yes|yep|yeah|yup|right|exactly|correct|sure|ok(?:ay)?|indeed|absolutely|of course|that's right|that is right|confirmed|go ahead|please do|do it|sounds good|agreed|true|still [a-z]+, yes|for sure|definitely)~[,.!]? ?)+|^(?:对的?|是的?|没错|好的?|可以|行|嗯+|同意|就这样|确认|正确|就这么办|没问题)(?:[,，。！!]|$)+"
);

cue!(
    REFUSES,
    r"^(?:no|nope|nah|not|don't|do not|i'd rather not|rather not|no thanks|no way|let's not|never|absolutely not|please don't|i don't think so|i don't want)~|^(?:不|别|算了|没必要|先不|还是不)|^\p{Han}{1,6}(?:不行|不合适|不考虑)"
);

cue!(
    PROPOSES,
    r"~(?:how about|what about|should (?:we|I|you)|shall (?:we|I)|could (?:we|you|also)|can (?:we|I)|I (?:suggest|recommend|propose|would suggest|would recommend|'d suggest)|I'd (?:suggest|recommend|propose)|you (?:could|should|might want to)|we (?:could|should|might)|why (?:not|don't we|don't you)|maybe (?:use|try|we|switch)|do you want (?:me )?to|want me to|would you like (?:me )?to|let's|instead)~|建议|要不(?:要)?|不如|可以考虑|是否|能不能|推荐|我们可以|你可以|要我"
);

cue!(
    OFFER,
    r"^(?:ok,? |okay,? |great,? |so |then |and |well,? |or )*(?P<h>(?:shall|should|can|may|could) I|do you want me to|want me to|would you like me to|shall we|should we|could we|can we|how about (?:we )?|what about |why don't we|why not|do you want to|would you like to|so (?:we|you)(?:'re| are)?|要不要|要不|是否|(?:恭喜|好的?|那|不错)?[,，]?(?:需要|要)我?(?:帮你|帮您|帮忙)?)[ ]?"
);

cue!(
    DONE_CUE,
    r"~(?:done|created|removed|deleted|deployed|updated|installed|migrated|switched|published|merged|sent|booked|set|added|renamed|generated|configured|fixed|now has|now have|is gone|passed|finished|completed|pushed|released|built|scheduled|reserved|restored|upgraded|enabled|disabled|moved)~|已|完成|成功|搞定|好了|生成"
);

cue!(
    TOOL_ERROR,
    r#"(?i)^\s*(?:error|failed|failure|fatal|exception|traceback|denied|timeout)|~(?:error|err!|exception):|~(?:failed|failure|fully booked|not available|unavailable|permission denied|timed out|not found|refused|rejected|no seats|sold out|exit(?:ed with)? (?:code|status) [1-9])~|"(?:error|success)": ?(?:"|false|true,?\s*"error)|失败|错误|报错|超时|无法|已订满|约满|售罄"#
);

cue!(
    TOOL_MADE,
    r"~(?:created|removed|deleted|generated|written|renamed|installed|deployed|published|merged|migrated|pushed|released|restored|dropped|added|built|uploaded)~|已(?:生成|创建|删除|移除|安装|部署|发布|合并|迁移|推送|写入|添加|上传|切换|完成)|(?:生成|创建|删除|部署|发布|合并|迁移)成功"
);

cue!(
    TOOL_PASSED,
    r"~(?:\d+ (?:tests? )?passed|all tests passed|build succeeded|tests? pass(?:ed)?)~|全部通过|构建成功"
);

cue!(
    FRAGMENT_SURE,
    r"^(?P<o>(?-i:\p{Lu})[\w'’-]*(?: [\w'’-]+){0,2}),? (?:for sure|definitely|absolutely|certainly)$|^(?:definitely|certainly) (?P<o2>(?-i:\p{Lu})[\w'’ -]{1,40})$"
);

cue!(
    FRAGMENT_MAYBE,
    r"^(?:and |or |but )?(?:maybe|perhaps|possibly) (?P<o>(?-i:\p{Lu})[\w'’ -]{1,40})$"
);

cue!(
    FRAGMENT_VERB,
    r"^(?:I|it|that|this|they|we|you|he|she|yes|yeah|yep|sure|ok|oh|definitely|maybe|thanks)~.*~(?:for sure|definitely|absolutely)|~(?:was|were|is|are|recommend|feel|felt|agree)~|^(?:yes|yeah|yep|oh|sure),? (?:definitely|absolutely|for sure)"
);

cue!(
    COMPLAINT,
    r"\d|~too \w+|~(?:slow|slower|takes?|took|keeps?|never|can't|cannot|couldn't|doesn't|don't|won't|isn't|expensive|costs?|needs?|hard|problem|issues?|fails?|failed|bugs?|missing|broken|no longer|not|limit|limited|complain\w*|painful|annoying|outdated|unsupported|deprecated|unreliable|prefer|want|wants|asked|booked out|sold out|full)~|太|慢|贵|难|不够|不支持|不稳定|老是|总是|经常|卡|没|不|问题"
);

cue!(
    END_FRAGMENT,
    r"^(?:and )?(?:back|returning|return|home|until|till|through)~|^(?:到|回来|返回)"
);

cue!(DEADLINE, r"~(?:deadline|due date|due)~|截止|ddl|期限");

cue!(
    WILL,
    r"~(?:will|shall|going to|gonna|might|(?-i:may)|could|should|want to|let's|plan to)~|会|打算|可能|要"
);

cue!(
    TO_DO_FOR,
    r"~(?:shall I|should I|can I|may I|do you want me to|want me to|would you like me to|need me to)~|要我|需要"
);

cue!(
    RESCHEDULES,
    r"~(?:moved|moving (?:the|my|our|it|this|that)|postponed|postponing|pushing|delaying|pushed(?: back)?|rescheduled|delayed|shifted|brought forward|extended|slipped|slips)~.*~(?:to|until)~|~rescheduled~.*~for~|~(?:had|have) to (?:postpone|reschedule|delay|move|push)~.*~(?:to|until)~|推迟到|提前到|改到|延期到|改期到|延到"
);

cue!(
    DOES_NOTHING,
    r"^(?:ok|okay|thanks|thank you|got it|noted|great|good|cool|nice|perfect|收到|谢谢|好的?|明白|嗯)[.!。！ ]*$"
);

cue!(
    BECAUSE,
    r"~(?:because of|because|'?cause|since|due to|thanks to|so that|in order to)~ ?|因为|由于|为了|毕竟"
);

cue!(BECAUSE_CLAUSE, r"^(?:because(?: of)?|since|as|due to)~|^(?:因为|由于|毕竟)");

cue!(MUST_STAY, r"~(?:stays?|remains?|unchanged|the same)~|不变|照旧");

cue!(
    SUGGESTS,
    r"~(?:I (?:would |'d )?(?:suggest|recommend|propose)|I'd (?:suggest|recommend|propose)|my suggestion is to)(?: that)?(?: we| you)?(?: to)? ?|我?建议(?:你|你们|我们)?"
);

cue!(
    ACCEPTS,
    r"^(?:yes|agreed|sounds good|go ahead|do it|do that|let's do (?:it|that)|ok,? do|good idea|deal|perfect, do)~|^(?:可以|同意|就这样|就这么办|行)"
);

cue!(NEW_NAME, r"(?:叫|名叫|名字是|called|named) ?(?P<n>[\p{Han}]{2,3}|(?-i:[A-Z][a-z]+))");

cue!(
    CONSEQUENCE,
    r"^(?:so|therefore|hence|that's why|please|hence why)~|^(?:所以|因此|请|别|不要)"
);

cue!(POINTS_BACK, r"~(?:it|that|them|those|him|her|this)~|它|那个|这个");

cue!(
    ASKED_NOUN,
    r"~(?:the|our|my) (?P<o>[\w-]+(?: [\w-]+)?) (?:goes?|is|are|should|will|would|to|be|now|then|still)~"
);

cue!(IT, r"~(?:it|that|them)~");

cue!(RETURN, r"~(?:back|return|returning|until|till|end|ends|home)~|回来|回|结束|到");

cue!(
    /// "Moved from the 10th to the 17th": the second is the day it has now.
    FROM_TO,
    r"~from~.*~(?:to|until)~|从.*(?:改到|推迟到|提前到|延到|移到|挪到)"
);

cue!(MOVED_TRIP, r"~(?:flight|trip|departure|journey|travel|train|booking)~|航班|机票|行程|出发");

pub(super) fn takes_reason(kind: K) -> bool {
    matches!(
        kind,
        K::Decision | K::Change | K::Preference | K::Plan | K::Result | K::Habit | K::Constraint
    )
}

pub(super) fn reason_text(words: &str) -> Option<String> {
    let words = words.trim().trim_end_matches(['.', ',', '。', '，', '!', '！', ';', '；']);
    let start = BECAUSE_CLAUSE.find(words).map_or(0, |m| m.end());
    let words = words[start..].trim();
    (words.chars().count() > 2).then(|| words.chars().take(200).collect())
}

pub(super) fn reason_in(words: &str) -> Option<String> {
    BECAUSE.find(words).and_then(|m| reason_text(&words[m.end()..]))
}

pub(super) fn refusal_reason(words: &str) -> Option<String> {
    let rest = words.split_once([',', '，', '.', ';', ':', '—']).map(|(_, rest)| rest)?;
    reason_text(rest)
}
