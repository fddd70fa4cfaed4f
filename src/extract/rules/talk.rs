//! Talk that decides, plans and states nothing, however much it looks like it.

use super::text::cue;

cue!(
    /// "Let's" that decides nothing.
    IDLE_LETS,
    r"~let's (?:just |all |both )?(?:keep (?:\w+ing|it up|in touch|going|each)|make (?:it|this|that|sure|the most|some|more|a difference)|do (?:it|this|that)~|take (?:care|a look|it)|hope|see|face|go~$|try to|stay (?:in touch|positive|strong|focused)|move on|start (?:over|again))|~chose (?:them|it|that|this)~|~(?:always|never|really) use[ds]? "
);

cue!(
    /// Liking what the other one said or did is politeness.
    POLITE,
    r"~(?:love|like|loved|liked|enjoy|loves|likes|enjoys) (?:it|that|this|them|your|the (?:idea|sound|look|photo|pic|picture|way)|how (?:you|it)|it(?:$|[!.,])|to (?:hear|see|know|chat|talk))|~(?:would|I'd|we'd|you'd) (?:like|love) to (?:hear|see|know)~|~looks? like~|~feels? like~|~sounds? like~|~seems? like~|~like (?:you|crazy|never|a charm)~|~(?:I|we)'?(?:d| would)? (?:really )?(?:love|like) (?:you|to)~|爱莫能助|喜欢你的"
);

cue!(
    TRIVIAL_STATE,
    r"~(?:use|uses|run|runs|own|study|lead|leads|handle|handles|teach) (?:it|this|that|them|these|those|my|to|into|out|through|us|me)~|~(?:have|has) (?:to|a (?:great|good|nice|question|look|wonderful|blast|point|feeling|lot|chance|moment|minute|second|idea|problem|hard|tough|fun))~|~(?:is|are) (?:so|really|very|such|amazing|great|awesome|cool|nice|good|fun|important)~|~(?:work|works) (?:well|fine|great|hard|out|for (?:me|us|you)|on my)~|负责任|是不是|我是说|我是想|我叫你"
);

cue!(
    /// A start of speech that reports others' words or beliefs.
    FEELING,
    r"~(?:booked (?:out|up|solid)|fully booked|sold out)~|~(?:was|were|is|am|are|I'm|felt|feel|feels)(?: \w+)? (?:so|really|very|super|pretty|just)? ?(?:happy|glad|proud|excited|thankful|grateful|amazed|amazing|great|awesome|nice|cool|fun|wonderful|incredible|inspired|inspiring|thrilled|sorry|sad|stoked)~"
);

cue!(
    /// Cheering about what is to come.
    CHEER,
    r"~(?:see you|enjoy|can't wait|pumped|excited|good luck|have (?:a|fun)|fun|awesome|great|amazing|unforgettable|works|let's make|live it up|looking forward)~"
);

cue!(
    /// Plans that two people may chat about without a date.
    CHAT_PLAN,
    r"~(?:planning (?:to|on|a)|signed up|registered|booked|scheduled|preparing for|training for)~|~(?:going to|gonna|will|'ll|plan to|want to|wanna|decided to) (?:start|open|launch|move|buy|sell|visit|apply|study|attend|host|adopt|travel|fly|run (?:a|the)|marry|build|publish|release|join|quit|leave|retire|teach|hire|rent|organi[sz]e|volunteer|compete|enroll|audition)~|打算|计划|准备|报名|要去|预定"
);

cue!(
    CHAT_DECISION,
    r"~(?:decided|agreed (?:to|on)|settled on|opted for|going with|went with|final decision|switch(?:ed|ing)? to)~|决定|选定|改用|换成"
);

cue!(
    /// Heads of a clause that are no subject.
    NO_SUBJECT,
    r"^(?:[a-z]+ing|reminds|love|loved|all|so|hope|glad|being|sure|there|such|much|no|not|never|don't|keep|let's|it|it's|you|that|this|what|which) "
);

cue!(
    /// A subject that runs across another clause is none.
    CROSSES,
    r"~(?:and|how|that|who|which|you|what|why|when|because|is|are|was|were) \w+ .*~|~you~"
);

cue!(
    TWO_WORD_VERB,
    r"~(?P<v>handed|pushed|brought|taken|took|given|gave|laid|broke|split) (?:over|back|forward|up|off)$"
);

cue!(
    SMALL_TALK,
    r"~(?:want|wants|hope|hoping|going|gonna|love|like|plan|looking forward|aim) (?:to )?(?:to )?(?:help|keep|live|be|have|hear|tell|say|know|show|pass|share|continue|get|do|feel|try|see|think|give|stay|thank|support|spread|inspire|create (?:a )?(?:safe|better)|take it|find out|reading|seeing|catching|spending|it)~|~(?:I|we|it|that|they|you|she|he)(?:'ll| will) (?:be|have|see|let|keep|definitely|always|never|miss|love|support|help|make|check|do (?:it|that|my)|try|get|work|look|talk|think|take care|say|bet|send you|show|share)~|~looking forward to (?:it|hearing|seeing|that|your|more|the)~|~(?:will|'ll) (?:definitely )?(?:let you know|keep you|check it|be (?:there|fine|great|awesome|fun|amazing|ok))~|~can't wait~|~(?:it|this|that) (?:will|'ll)~|~want to (?:say|thank|hear|know|make (?:sure|a difference)|be)~|~(?:I'd|would) (?:like|love) to (?:hear|see|know|say|thank)~|会(?:好|更|比较|有点)|要不|想(?:问|说|知道|想)"
);

cue!(BOOKED_OUT, r"~(?:booked (?:out|up|solid)|fully booked|sold out)~|订满|约满");

cue!(
    NO_PROBLEM,
    r"^(?:and |so |please )*(?:don't|do not)~|~(?:don't|doesn't|do not|does not) work (?:at|for|in|with|there|here)~|~(?:no|without|never|not|n't) (?:\w+ )?(?:problems?|issues?|bugs?|errors?|failed|crashed|failures?)~|~no problem~|没(?:有)?(?:再)?(?:出|什么|任何|发现)?(?:问题|故障|报错|事故)|没(?:有)?(?:失败|报错|崩)"
);

cue!(
    /// Said about the one spoken to, or about what was just said.
    ABOUT_YOU,
    r"^(?:and |but |so |then |also |well,? |wow,? |yeah,? |oh,? |I'm (?:so )?(?:glad|happy|sorry|proud) |hope |I hope |thanks )*(?:you|your|you're|you've|you'll|yours|I bet|sounds|looks|glad|what a|that's|that is|that sounds|that must|it must (?:have|be)|they must (?:have|be)|must (?:have|be)|nice|great to)~|^你(?:们)?(?:是|的|真|好|可以|要|有|会|能|应该|看|说|说得|这)|^您"
);

cue!(
    /// What was said stands apart from it and is not the speaker's.
    SAYS_ONLY,
    r"^[^,，]{0,60}~(?:wrote|writes|said|says|replied|answered|told (?:me|us|them|him|her))[:\s]*$|(?:说|写道|回复|来信|表示)[:：\s]*$"
);

cue!(
    UNCHANGED,
    r"~(?:stays?|remains?) (?:the same|unchanged|as (?:it is|is|before|planned))~|~unchanged~|不变|照旧|照常"
);

cue!(
    GUESS,
    r"~must(?:'ve| have|n't have)~|~must be (?:really|so|very|such|quite|hard|tough|great|nice|amazing|proud|fun|exhausting|a |an |the |exciting|tired|wonderful)|must-(?:have|see|do|read|try)"
);

cue!(
    OPEN_MATTER,
    r"~(?:leave (?:that|it|this) open|leave (?:that|it|this) for (?:now|later)|decide (?:that )?later|not (?:been )?decided|undecided|to be decided|tbd|let's see)~|以后再说|以后再定|再说吧|先不定|先不管|还没定|再看看"
);

/// Whether what stands before a verb is its subject.
pub(super) fn has_subject(matched: &str) -> bool {
    let lower = matched.to_lowercase();
    // A verb of two words is no second clause.
    let plain = TWO_WORD_VERB.replace(matched, "$v");
    ["no longer", "anymore", "any more"].iter().any(|over| lower.contains(over))
        || !CROSSES.is_match(&plain) && !NO_SUBJECT.is_match(&plain)
}

/// Whether a plan is only a manner of speaking.
pub(super) fn small_talk_plan(text: &str) -> bool {
    SMALL_TALK.is_match(text)
}
