//! What a clause is: a decision, a plan, a state, … or nothing worth keeping.
//!
//! Precision goes before recall: a clause without a clear sign is nothing. Each sign is a pattern
//! over grammar (who, which verb, which tense), never over topics.

use super::lexicon::{AILMENT, DIET};
use super::talk::{
    ABOUT_YOU, BOOKED_OUT, CHAT_DECISION, CHAT_PLAN, CHEER, FEELING, GUESS, IDLE_LETS, NO_PROBLEM,
    OPEN_MATTER, POLITE, SAYS_ONLY, TRIVIAL_STATE, UNCHANGED, has_subject, small_talk_plan,
};
use super::text::cue;
use crate::extract::dates::{Shape, Tense, TimeMention, tense_of};
use crate::model::{EventKind, EventStatus};
use chrono::NaiveDate;

use EventKind as K;
use EventStatus as S;

/// What a clause was recognised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class {
    pub kind: EventKind,
    pub status: EventStatus,
    /// The clause withdraws something said before ("forget it").
    pub withdraws: bool,
}

#[allow(clippy::unnecessary_wraps, reason = "each caller returns it as its own answer")]
fn class(kind: EventKind, status: EventStatus) -> Option<Class> {
    Some(Class { kind, status, withdraws: false })
}

/// A clause with what stands around it.
pub(super) struct Clause<'a> {
    pub text: &'a str,
    pub sentence: &'a str,
    pub is_question: bool,
    /// The time words inside the clause.
    pub times: &'a [TimeMention],
    /// The local day of its message.
    pub today: NaiveDate,
    /// Whether an agent is there to be asked for something.
    pub to_agent: bool,
}

cue!(
    HYPOTHETICAL,
    r"^(?:if|what if|suppose|supposing|imagine|assuming|unless|in case|were we|had (?:we|I)|even if|as if)~|~(?:if|unless) (?:I|we|you|he|she|they|it|the|there|that|this|my|our|someone|anyone|not)~|~would(?:'ve| have|n't have)~|~(?:could|should|might)(?:'ve| have)~|~I wish~|~wish (?:I|we)~|~only if~|~or else~|如果|要是|假如|假设|倘若|若是|的话|万一|本来(?:可以|应该|打算)|早知道|就好了"
);
cue!(WOULD, r"~(?:would|I'd|we'd|he'd|she'd|they'd|it'd)~");
cue!(WOULD_STATED, r"~(?:would|'d) (?:like|love|prefer|rather|hate)~");
cue!(
    TENTATIVE,
    r"~(?:might|maybe|perhaps|possibly|considering|thinking (?:about|of)|toying with|leaning towards?|not sure (?:if|whether|yet)|undecided|tempted to|hoping to|hope to|we'll see|not decided|in two minds)~|~(?:I|we|he|she|they) may (?:not )?(?-i:[a-z]+)~|可能|也许|或许|说不定|听说|据说|考虑|还没定|没想好|不确定|未定|待定|倾向于"
);
cue!(
    /// Words at the end of a sentence that leave all of it open.
    UNSETTLED,
    r"~(?:not sure(?: yet)?|undecided|not decided(?: yet)?|nothing (?:is )?decided)~|还没定|没想好|不确定|未定"
);
cue!(INTENDS, r"~(?:wants? to|will|going to|plans? to|would like)~");
cue!(
    /// "It won't happen", "I won't go after all": a plan is dropped, if there was one.
    CALLS_OFF,
    r"~(?:will not|is not going to|isn't going to|are not going to|aren't going to) (?:happen|take place|go ahead)~|~(?:will not|not going to) .{2,60} after all[.!]?$|^(?:and |but |so |unfortunately,? )*(?:the|our|my) [\w-]+(?: [\w-]+){0,3} is off[.!]?$"
);
cue!(WILL_NOT, r"~(?:will not|not going to|shall not) ");
cue!(INTENDED_CHANGE, r"(?:要|会|将|打算|计划|准备)(?:涨|降|升|换|改|搬|转|调|推迟|提前|离职)");
cue!(
    /// A hedge over an action, as opposed to small talk with a hedge in it.
    TENTATIVE_ACTION,
    r"~(?:I|we|he|she|they|(?-i:[A-Z][a-z]+)|(?:my|our|the) [a-z]+) (?:might|may|could)(?: (?:also|even|just|not))* (?:move|switch|go|try|use|take|join|leave|quit|buy|sell|start|stop|drop|add|change|replace|migrate|get|adopt|visit|apply|travel|fly|postpone|cancel|hire|book|delay|slip|need|upgrade|ship|release|launch|come|attend|study|run|sign)~|~(?:considering|thinking (?:about|of)) (?:[a-z]+ing|a|an|the|another) |~(?:toying with|tempted to|leaning towards?|hoping to|hope to) ~|^(?:and |but |or )?(?:maybe|perhaps|possibly) (?:I'?(?:'ll)?|we'?(?:'ll)?|a |an |the |in |on |at |next |later|to |(?-i:[A-Z]))|~(?:is|are|I'm|we're) (?:maybe|perhaps|possibly) [a-z]+ing~|(?:可能|也许|或许|说不定|考虑|倾向于)[^,，。]*(?:给|换|去|用|搬|买|改|做|学|转|加|参加|推迟|取消|离职|跳槽|调|上线|开|报|要|会|接)|听说[^。]*(?:可能|要|会)"
);
cue!(
    NEGATED_DEED,
    r"~(?:did not|didn't|have not|haven't|has not|hasn't|could not|couldn't|was not|wasn't|were not|weren't|failed to)(?: (?:yet|actually|even|ever|been|be|get|able|to|manage))* (?:finish|finished|complete|completed|ship|shipped|send|sent|release|released|launch|launched|migrate|migrated|move|moved|switch|switched|sign|signed|pay|paid|buy|bought|book|booked|pass|passed|get (?:the|a|my|our|accepted|approved|hired)|make|made|start|started|go|gone|went|come|came|arrive|arrived|deploy|deployed|merge|merged|fix|fixed|submit|submitted|deliver|delivered|happen|happened|join|joined|run|ran|win|won|apply|applied|meet|met|attend|attended|publish|published|change|changed|upgrade|upgraded|approve|approved|test|tested|review|reviewed|write|written|reach|reached|visit|visited|take|taken|close|closed|renew|renewed|cancel|cancelled|receive|received|order|ordered|agree|agreed)~|(?:没有?|并没有?|未能?|还没有?|从没|没能)(?:真的|真正|按时|去|能|被|再)*(?:完成|上线|发布|做完|做成|去成|去|买|搬|换|改|收到|签|通过|开始|发出|发|来|修好|修|交|报名|参加|部署|合并|迁移|升级|订到|订|付)"
);
cue!(
    /// What has not been done so far says nothing that happened or failed to.
    NOT_YET,
    r"~(?:yet|so far)~|还没|尚未|还未"
);
cue!(
    WITHDRAW,
    r"^(?:ok,? |okay,? |then |so |well,? |actually,? |no,? |please )*(?:forget (?:it|that|about it|about that|the)|never ?mind|scratch that|scrap (?:it|that|the)|drop (?:it|that)|cancel (?:it|that|the|my|our)|call (?:it|that) off|don't bother|no need(?: anymore| any more)?)~|~(?:is|are|was|were|got|has been|been|have) (?:cancell?ed|called off|scrapped|abandoned|dropped)~|~(?:I|we) (?:have |had to |'ve )?(?:cancell?ed|called off|scrapped|abandoned)~|^(?:那|那就)?(?:算了|不用了|不必了|作罢|取消吧)|取消(?:了|掉)|(?:决定)?不(?:去|办|做|买|搬|要)了|作废|(?:先)?取消"
);
cue!(
    DECISION,
    r"~(?:let's|lets|let us) (?:just |also |all |simply |rather |instead |go ahead and |not )*(?:use|go with|go for (?:the |a |an |(?-i:[A-Z]))|stick|stay (?:on|with|at)|keep|switch|move|migrate|adopt|drop|pick|choose|take|standardi[sz]e|settle|make|call|name|set|target|support|replace|remove|skip|do|start with|try|build|write|host|deploy|run|store|rename|raise|lower|bump|split|merge|postpone|limit)~|~(?:I|we|they|the team|he|she)(?:'ve| have| had| has| just| finally| also| all)* (?:decided|chose|chosen|picked|settled on|agreed (?:to|on|that)|opted|went with|voted)~|~(?:we|I)(?:'re|'ll| are| am| will)(?: now| just| going to)* (?:go(?:ing)? with|us(?:e|ing)|stick(?:ing)? (?:with|to)|switch(?:ing)? (?:to|from|over)|mov(?:e|ing) (?:to|from) (?-i:[A-Z]|[a-z]+(?:sql|db|pm))|standardi[sz](?:e|ing) on|adopt(?:ing)?)~|~(?-i:[A-Z][a-z]+) (?:has |have |just )*(?:agreed (?:to|on)|decided (?:to|on|against))~|~(?:decision|final call|final decision|verdict): |~(?:it's|it is) (?:decided|settled|final)~|^(?:ok,? |okay,? |so |then |and |please |instead,? )*(?:use|switch|stick with|go with|migrate) (?:to |the |from |from )?(?-i:[A-Za-z][\w.+#-]*)(?: [\w.+#-]+){0,3} (?:for|in|on|everywhere|as|instead|from|to|now|going|only)~|^(?:ok,? |then |so |no,? )*(?:use|switch to|go with|stick with) (?-i:[A-Za-z][\w.+#-]*)(?: [\w.+#-]+)?$|决定|选定|敲定|定下来|拍板|改用|换成|切换到|切换成|切到|迁移到|迁到|换到|改成用|统一用|(?:我们|咱们|项目|团队)(?:就|都|先|还是|统一|一律|以后|现在)*用[^,，。]+|(?:先|就|还是|统一|一律)用[^,，。]+|(?:继续|仍然|仍)用|用 ?[A-Za-z][\w.+#]*(?: [A-Z]\w*)? ?(?:重写|来写|来做|实现|搭建|开发)|采用|选用|选了|最终选|(?:我们|咱们)?先 ?(?:target|support|use|ship|支持|做|上|不做|只做|走|跑)[^,，。]+|要?(?:降到|升到|提到|升级到|降级到|改到|改为|改成|提高到|降低到)"
);
cue!(
    NOT_DECIDED,
    r"~(?:haven't|have not|hasn't|has not|not yet|didn't|did not|never|can't|cannot|couldn't) (?:yet )?(?:decide[d]?|chosen|choose|picked|pick|settle[d]?|agree[d]?)~|还没(?:有)?(?:决定|定)|没(?:有)?决定|未决定"
);
cue!(
    /// "We decided against it": what was proposed never holds.
    DECIDED_AGAINST,
    r"~(?:I|we|they|the team|he|she)(?:'ve|'re| have| had| has| are| were| just| finally| also| all)* (?:(?:decided|voted|agreed|opted) (?:against|not to)|rejected|ruled out|turned down|passed on)~|(?:我们|团队|大家|我)(?:已经|最终|最后|还是|都)*(?:决定不|否决了?|拒绝了|排除了)"
);
cue!(
    PREFERENCE,
    r"~(?:I|we|they|my (?:kids|parents|team))(?: (?:really|also|still|always|just|absolutely|generally|usually|personally|actually|much|truly|now|do|don't|both|all|totally|never|'d|would))* (?:prefer|love|like|enjoy|hate|dislike|detest|adore|can't stand|cannot stand|can't bear|rather (?:have|use|not|work|take|eat|drink|go))~|~(?:he|she|(?-i:[A-Z][a-z]+)|my (?:wife|husband|son|daughter|mom|mum|dad|mother|father|sister|brother|partner|boss|team|[a-z]+ [a-z]+|[a-z]+))(?: (?:really|also|still|always|just|absolutely|generally|usually|personally|actually|truly|now|doesn't|totally))* (?:prefers|loves|likes|enjoys|hates|dislikes|detests|adores|can't stand|cannot stand|can't bear)~|~(?:I'd|we'd) (?:prefer|rather)~|~I (?:really |also |still )?(?:can't|cannot) stand~|~(?:I|we) (?:don't|do not|never|no longer) (?:eat|drink|like)~|~my (?:all-time |absolute )?favou?rite~|~(?:I'm|I am|we're|she's|he's|she is|he is)(?: (?:now|also|a|an|strictly|mostly|still|going|actually))* (?:big fan|huge fan|fan of|fond of|into|keen on|not (?:a )?(?:big )?fan|passionate about|obsessed with|partial to)~|^(?:please )?(?:always|never|only|don't ever) (?:suggest|recommend|use|call me|write|answer|reply|send|show|speak|address|format|keep)~|^(?:please )(?:only|don't|do not|always|never|keep|answer|reply|write|call me|use)~[^?]*~(?:from now on|always|never|in future|by default|only|short|brief|to me|answers?|replies)~|我(?:个人|一直|平时|也|还是|更|最|特别|比较|其实|现在|就|很|超|非常|都)*(?:喜欢|爱|讨厌|不喜欢|不爱|偏好|偏爱|受不了|不想要|宁愿|宁可|更想|习惯)|最喜欢|我(?:不|从不|从来不|不再|只)(?:吃|喝|用|穿|看|抽)|一定要(?:加|有|放|用|带|是)|(?:回答|回复|答复)(?:请|尽量|要)?(?:简短|简洁|用中文|用英文|直接)|(?:别|不要|请勿)(?:再)?(?:给我)?(?:推荐|建议|用|叫我|发)|(?:不加|不放|少放|多放|不要)[^,，。]{1,4}了?$"
);
cue!(
    ALLERGY,
    r"~(?:is|am|I'm|are|'s|'re|was|got|have|has|had|be)(?: (?:severely|badly|very|also|still|highly|deathly|mildly|really))* (?:allergic|an? (?:severe |bad |serious |mild )?(?:[a-z]+ )?allergy)~|~(?:has|have|I've got|with) (?:a |an )?(?:[a-z]+ )?(?:allergy|allergies|intolerance)~|~allergic to~|对[^,，。]+过敏|过敏"
);
cue!(
    STATE,
    r"~(?:is|am|are|I'm|he's|she's|they're|we're)(?: (?:still|currently|now|also|already|the|a|an|our|their|my))* (?:CFO|CEO|CTO|COO|VP|manager|director|head|lead|owner|engineer|designer|developer|in charge|responsible|based in|married|engaged|single|divorced|retired|pregnant|fluent|a member|members?) ?|~(?:lives?|works?|live) (?:in|at|for|on|as) (?-i:[A-Z])|~(?:I|we|they)(?: (?:still|currently|already|also|now))* (?:live|work|own|study|teach|lead|manage|run|administer|handle|speak|use|maintain|belong|report) |~(?:he|she|(?-i:[A-Z][a-z]+))(?: (?:still|currently|already|also|now))* (?:lives|works|owns|studies|teaches|leads|manages|runs|administers|handles|speaks|uses|maintains|belongs|reports|writes|builds|designs|tests|covers|coordinates|organi[sz]es|supervises|represents|plays|collects) |~(?:I|we|he|she|they|(?-i:[A-Z][a-z]+)) (?:have|has|have got|has got|'ve got) (?:a|an|one|two|three|four|five|six|no|\d+) (?:[a-z]+ )?(?:dogs?|cats?|kids?|children|sons?|daughters?|brothers?|sisters?|siblings?|pets?|degree|licen[cs]e|car|house|twins|horses?)~|~(?:the|our|my|its|their) (?:[\w-]+ ){1,4}(?:is|are|runs|uses|lives|depends|supports|sits|stays|remains)(?: (?:still|currently|now))* (?:written in|hosted|built (?:with|on|in)|(?:on|in|at) (?-i:[A-Z])|based|running|using|called|named|owned by|managed by|maintained by|version|v\d)~|~(?:is|are|am|I'm|'s|'re) (?:still |currently |now |away )*(?:on (?:\w+ )?(?:leave|holiday|vacation|sabbatical|sick leave)|out of (?:the )?office|off sick|away)~|~(?:is|are) (?:still |currently |now )*(?:writing|building|leading|handling|working on|covering|preparing|designing|running|reviewing|testing) (?:the|our|a|an)~|~(?:the|our|my|its) (?:[\w-]+ ){1,4}?(?:currently |still |now )*(?:builds?|runs?|uses?|deploys?|depends?|relies|stores?|sits) (?:on |in |with |to |from )?(?-i:[A-Z])|~(?:owner|lead|maintainer|contact|manager)(?: (?:of|for) .+)? is (?-i:[A-Z])|~(?:my|our) (?:name|birthday|address|employer|boss|manager|wife|husband|partner|address|phone number) is~|~(?:call me|my name is|I'm called) (?-i:[A-Z])|(?:还是|仍然|仍|一直|目前|现在|暂时|依然)(?:由|是|在|归|用|管|没|住|负责|不)|(?:环境|项目|系统|服务|后端|前端|我们|团队|这边|公司|线上|本地)(?:都|现在|目前|一直|还是)?用(?:的是)? ?[A-Za-z]|(?:由|归)[^,，。]{1,6}(?:负责|管|维护)|负责|住在|就职于|任职|在[^,，。]+(?:工作|上班|读书|上学|任职)|我(?:叫|是)[^,，。]+|没人(?:管|负责|接)|暂缺|会说[^,，。]{1,4}(?:语|话|文)"
);
cue!(
    CONSTRAINT,
    r"~(?:must(?: not|n't)?|mustn't|not allowed|is forbidden|are forbidden|no more than|at most|at least|a maximum of|a minimum of|maximum|cannot exceed|can't exceed|may not exceed|under no circumstances|can't afford|cannot afford|mandatory|is required|are required|off[- ]limits|only (?:on|in|with|after|between) |never (?:deploy|commit|push|merge|delete|touch|release|ship|store|log|run|expose|send|share|use)|(?:don't|do not) (?:deploy|commit|push|merge|delete|touch|release|ship|store|log|expose|share|upgrade)|budget (?:is|of|cap|limit)(?: is)? (?:now )?(?:about |around |at most |set at )?[$€£¥]?\d[\d.,]*k?|limit is|capped at|^(?:[\w'-]+ ){1,5}(?:has to|have to|needs? to (?:be|stay|run|work|support|remain|fit)) |no (?:deploys?|deployments?|releases?|merges?|meetings?|running|alcohol|sugar|calls?|pushes|meat|nuts|dairy|changes))~|必须|不能|不得|只能|最多|至少|不许|禁止|不可以|不允许|务必|预算(?:是|为|上限|不超过|只有|控制在|最多)|上限|不超过|千万(?:别|不要)|一律(?:不|要)|不准"
);
cue!(
    HABIT,
    r"~(?:I|we|he|she|they|(?-i:[A-Z][a-z]+))(?:'m|'re)? (?:usually|normally|typically|regularly|tend to)~|~most (?:days|mornings|evenings|weekends)~|~(?:every|each) (?:other )?(?:single )?(?:day|morning|evening|night|week|weekend|month|year|mon|tue|wed|thu|fri|sat|sun)|~(?:once|twice|(?:\w+) (?:times|runs|sessions|days|hours|workouts|classes|lessons)) (?:a|per|each|every) (?:day|week|month|year)~|~on (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekdays|weekends)~|每(?:天|周|晚|早|日|月|年|个月|次|星期|逢|个周末|隔)|通常|平时|经常|天天|习惯(?:了)?(?:在|先|早|晚)|一般(?:都|会|在)"
);
cue!(
    HABIT_DOER,
    r"~(?:I|we|he|she|they|I'm|we're|(?-i:[A-Z][a-z]+)|my [a-z]+|our [a-z]+|the team)~|^(?:swimming|running|yoga|gym|training|cycling|(?:\w+ )?(?:\w+) (?:runs|times|sessions|workouts|classes|lessons) (?:a|per))|我|他|她|大家|团队|我们|^每|每[^,，。]{1,8}(?:去|做|跑|开|写|看|练|打|读|吃|喝|交|发|检查|备份|更新)"
);
cue!(
    REQUEST,
    r"^(?:ok,? |okay,? |then |so |and |also |now |yes,? |great,? |good,? |hey,? |hi,? |well,? |right,? |instead,? )*(?:please |pls |kindly )*(?:book|send|remind|write|fix|create|add|upgrade|downgrade|bump|pin|check|run|deploy|make|find|order|draft|prepare|schedule|generate|update|delete|remove|rename|open|close|build|test|set|set up|put|move|call|email|invite|buy|reserve|pull|push|merge|publish|download|upload|install|translate|summari[sz]e|review|look (?:up|into|for)|list|convert|migrate|export|import|refactor|implement|cancel|start|stop|restart|ask|tell|note|record|save|print|format|investigate|search|change|turn|bring|get|show|give|help) (?-i:[A-Za-z0-9`'])|~(?:please|pls) (?:book|send|remind|write|fix|create|add|check|run|deploy|make|find|order|draft|prepare|schedule|generate|update|delete|remove|rename|set|put|move|call|email|invite|buy|reserve|review|look|change|migrate|implement)~|^(?:please |and |also |then )*remind me~|~(?:please|can you) remind me~|~(?:I|we) need (?:you to |the |a |an |some |to (?:get|have|book|send|see|know))|~(?-i:[A-Z][a-z]+)(?: from [a-z]+| \([a-z]+\))? (?:needs|wants|asked for|is waiting for|requested) (?:the|a|an|our|some|us|me|to see|access|my|\w+ (?:list|report|access|file|files|data))|^(?:so |and |then |also )*(?-i:[a-z]+) .*~please$|^(?:请|麻烦|帮我|帮忙|给我|替我|提醒我|记得|劳驾)|(?:请|麻烦|帮我|帮忙|提醒我|记得)[^,，。]{0,3}(?:订|发|提醒|写|修|建|加|查|跑|部署|做|找|买|准备|安排|生成|更新|删|改|放|打|约|预约|通知|整理|检查|看|翻译|导出|提交)"
);
cue!(
    ASKED_REQUEST,
    r"~(?:can|could|would|will) you (?:please |also )*(?:book|send|remind|write|fix|create|add|run|deploy|make|order|draft|prepare|schedule|generate|update|delete|remove|rename|set|put|move|call|email|invite|buy|reserve|publish|install|implement|migrate|refactor|merge|push|cancel|open|close|file|raise|check|find|look up|look into|look for|translate|summari[sz]e|convert|export|import|review|test|search|download|upload|restart|retry|post|build|track|log|note|print|change|list|plan|arrange|contact|ask)~|能不能(?:帮|给)|能(?:帮|给)我|可以(?:帮|给)我|(?:帮我|请)[^?？]+(?:好吗|可以吗|行吗|吧)"
);
cue!(
    PLAN,
    r"~(?:I'm|we're|he's|she's|they're|I am|we are|he is|she is|they are|(?-i:[A-Z][a-z]+) is|(?:my|our|the) [a-z]+(?: [a-z]+)? (?:is|are))(?: (?:also|now|all|both|just|still|currently))* (?:going to|gonna|planning (?:to|on|a|an|the|for)|about to|due to|scheduled|flying|moving to|travell?ing|heading to|visiting|starting (?:a|my|our|at|on|in|the|as|next|work|school|college)|joining|leaving|getting married|taking (?:a|the|part)|running (?:a|the)|training for|preparing for|signed up|registered for|set to|supposed to|hosting|launching|releasing|returning|expecting)~|~(?:I|we|he|she|they|it|(?-i:[A-Z][a-z]+)|(?:my|our|the) [a-z]+(?: [a-z]+)?)(?:'ll| will| shall)(?: (?:also|then|definitely|probably|try to|just|be))* (?-i:[a-z]{2,})|~(?:I|we|he|she|they|(?-i:[A-Z][a-z]+)) (?:plans?|intends?|aims?|wants?|expects?) (?:to |the |a |an |it |on |my |our )|~(?:I'd|we'd|would) (?:like|love) to~|~(?:the )?plan is~|~(?:is|are|be) (?:scheduled|planned|due|expected|slated|booked) (?:for|to|on|by|in|at)~|~deadline~|~(?:due|target) date~|~(?:training|preparing|saving|studying) for (?:the|a|an|my|our)~|~looking forward to~|~(?:has|have) (?:booked|signed up|registered|scheduled|planned|an appointment|a meeting)~|打算|计划(?:在|于|是|要|去)?|准备(?:去|在|要|买|做|换|搬|参加|考|把|下|明|开|上|年)|(?:我|我们|他|她|团队)?(?:要|会|想|将|得)(?:去|在|把|参加|搬|飞|出差|交|完成|上线|发布|考|开|办|买|换|做|写|学|举办|启动|迁移|升级|推出|试)|将(?:于|在)|预计|预定|争取|定在|约了|报名了|入职|(?:先)?戒[^,，。]{0,6}(?:个月|周|天|年)|截止|(?:deadline|ddl)"
);
cue!(
    PROBLEM,
    r"~(?:is|are|was|were|got|gets|keeps?|went|'s|has been|have been|been|seems?)(?: (?:still|currently|completely|totally|now|getting|again|badly|constantly|always))* (?:broken|down|stuck|blocked|failing|crashing|flaky|leaking|sick|ill|injured|corrupted|hacked|offline|unavailable|overheating|out of (?:memory|disk|space)|timing out|delayed|late|cracked|hurting|hanging|freezing|unreachable|rate limited|stolen|too slow)~|~(?:crashes|crashed|fails|failed|broke|leaks|hangs|freezes|timed out|times out|hurts|regressed)(?: |$|[.,!])|~(?:doesn't|don't|does not|isn't|aren't|won't|didn't|stopped) (?:work|working|build|compile|start|load|open|render|respond|connect|boot)~|~(?:there's|there is|we have|we had|I have|I had|got|getting|hit|found|ran into)(?: (?:still|a|an|the|some|another|this|(?-i:[a-z]+)|weird|serious|nasty|critical|huge))* (?:bug|problem|issue|outage|leak|regression|vulnerability|error|errors|memory leak|incident|deadlock|race condition|virus|flat tyre|flat tire|accident)~|~(?:bug|outage|incident|regression|memory leak) (?:in|on|with)~|(?:一直|总是|老是|又|经常) ?(?:fail|crash|报错|挂|卡|崩|失败|超时|掉线|error)|坏了|报错|崩溃|崩了|挂了|出问题|出了?(?:个)?(?:故障|事故|bug)|故障|失败了?|超时|丢了|卡住|卡死|打不开|连不上|起不来|不工作|泄漏|宕机|(?:很|太|非常|特别|越来越)(?:慢|卡|不稳定|难用)|偏高|偏低|疼|太慢|被盗"
);
cue!(
    CHANGE,
    r"(?:~(?:I|we|he|she|they|it|you|who|that|which|(?-i:[A-Z][\w-]+)|(?:the|my|our|his|her|their|its)(?: [\w-]+){1,4}|(?-i:[A-Z][\w-]+) from [a-z]+)(?:'ve|'s|'re| have| has| had| was| were| is| are| got| get| just| finally| also| already| then| recently| officially| now| all| both| to| been| being| had to)* |^(?:just |finally |also |and |then )*)(?:moved|switched|migrated|changed|replaced|renamed|upgraded|downgraded|bumped|quit|resigned|left|took over|taken over|takes over|became|become|promoted|demoted|married|engaged|divorced|broke up|split up|sold|hired|fired|laid off|transferred|rescheduled|postponed|delayed|slipped|pushed back|brought forward|extended|shortened|increased|decreased|raised|lowered|reduced|dropped|removed|deleted|added|enabled|disabled|converted|retired|stopped|gave up|given up|swapped|rewrote|rewritten|ported|relocated|reassigned|handed over|handed (?:the |our )?(?:[\w-]+ ){1,3}over|merged into|acquired|adopted|joined|started (?:a|an|my|at|working|eating|using|learning|taking|doing|going|running|as|to|playing|the)|began|took (?:a|the) (?:flat|room|apartment|job|new)|inherited|cut)~|~(?:is|are) (?:now|no longer)~|~no longer~|~(?:don't|doesn't|not) (?:use|using|work|working|live|living|need|eat|eating|drink|drinking|own|have|run|running|support)~.*~any ?more~|(?:改|换|搬|调|转)(?:用|成|到|为|去|做|管|了)|离职|辞职|接手|接管|升职|升任|跳槽|入职了|卖了|卖掉|卖给|推迟到|推迟了|提前到|改期|延期|转去|转到|调到|调去|交给|移交|离婚|结婚了|分手|搬家|搬到|涨到|降到|升到|取代|接替|不再|停用|弃用|下线了|起不"
);
cue!(
    /// Verbs that report something accomplished, whoever did it.
    RESULT,
    r"(?:~(?:I|we|he|she|they|it|(?-i:[A-Z][\w-]+)|(?:the|my|our|his|her|their|its)(?: [\w-]+){1,4})(?:'ve|'s|'re| have| has| had| was| were| is| are| got| just| finally| also| already| then| recently| officially| all| both| been| even| actually| only)* |^(?:just |finally |also |and |then |yes,? )*)(?:finished|completed|closed|shipped|released|launched|sent|ran|won|passed|fixed|merged|deployed|signed|arrived|received|ended|delivered|published|submitted|booked|ordered|bought|visited|attended|graduated|gave birth|built|wrote|painted|performed|presented|hosted|organi[sz]ed|celebrated|opened|created|installed|repaired|planted|climbed|hiked|applied|registered|enrolled|interviewed|donated|volunteered|achieved|earned|reached|set up|approved|paid|rented|returned|landed|recorded|resolved|solved|tested|reviewed|met with|lost|secured|raised|collected|dropped off|picked up|cleaned|handed in|beat|scored|placed|certified|accepted|got (?:accepted|hired|approved|certified|promoted|first|second|third|the job|a job|a new|an offer|my degree|my license|my licence|a promotion|a raise|into (?-i:[A-Z]))|is (?:done|finished|ready|complete|live|out|closed|fixed|merged|released|deployed|signed)|are (?:done|finished|ready|complete|live|fixed|merged|deployed|signed))~|~(?:new )?(?:personal best|personal record)~|~(?:is|are|'s) (?:done|finished|complete|live|released|merged|deployed|shipped|signed|closed|fixed)~|(?:完成|做完|写完|上线|发布|通过|签|收到|修好|修复|跑完|结束|搞定|弄好|提交|交付|买|订好|订|发|寄|拿到|考过|考上|毕业|办好|办完|关闭|合并|部署|参加|获得|赢|读完|看完|跑|走完|爬|拍|完工|验收|审批|解决)(?:了|完了|好了)|已(?:经)?[^,，。不没]+过了|[A-Za-z]+ ?(?:过了|完了)|已(?:经)?(?:完成|上线|发布|通过|签署|签|收到|修复|结束|提交|交付|发出|发|部署|合并|解决|订|付款)|(?:好|完|成)了$|破(?:了)?纪录|个人最好"
);
cue!(
    /// Everyday verbs that are worth an Event only with a date.
    WEAK_RESULT,
    r"(?:~(?:I|we|he|she|they|(?-i:[A-Z][a-z]+)|(?:my|our) [\w-]+(?: [\w-]+)?)(?:'ve|'s| have| has| had| just| finally| also| already| recently| both| even| actually| only| all)* |^(?:just |finally |also |and |then )*)(?:went|took|made|got|had|saw|read|tried|found|met|did|gave|held|spent|came|got back|started|learned|learnt|watched|came|cooked|baked|played|spoke|talked|travell?ed|flew|drove|camped|helped|worked|joined|invited|called|been|showed|shared|brought|checked|signed up|[a-z]{3,}[a-z]ed)~|去了|见了|见到|吃了|看了|聊了|开了|玩了|做了|学了|去过|体检|出差"
);
cue!(
    /// Present-tense happenings that are plans when their date is to come.
    SCHEDULED,
    r"~(?:is|are|starts?|begins?|ends?|sends?|opens?|closes?|arrives?|leaves?|flies|fly|meets?|launches|ships?|goes|comes|returns?|finishes|expires?|happens?|takes place|runs?|delivers?|presents?|joins?|visits?|moves?|gets?|has|have|graduates?|be|back)~|有|开会|去|到|交|上线|出发|开始|结束|入职|发布|完成|举行|放假|回|搬|开学|到期|生日|婚礼|考试|面试|提交|出差|启动|切|发"
);
cue!(
    IMPERATIVE_TASK,
    r"^(?:ok,? |then |so |and |also |please )*(?:finish|complete|ship|release|deliver|submit|prepare|implement|write|build|fix|launch|start|send|review|test|deploy|migrate|publish|clean up|update|draft|document|hand in|wrap up|plan|get|do|have)~"
);
/// A cheap look before the dear pattern of negated deeds.
fn says_no(text: &str) -> bool {
    ["n't", "not ", "failed", "没", "未"].iter().any(|sign| text.contains(sign))
}

/// Spells a text so that the patterns read it: straight apostrophes, "won't" apart from "won".
pub(super) fn normalised(text: &str) -> std::borrow::Cow<'_, str> {
    static WONT: std::sync::LazyLock<regex::Regex> =
        std::sync::LazyLock::new(|| super::text::compile(r"~won['’]t~"));
    if !text.contains(['’', '\'']) {
        return text.into();
    }
    let text = WONT.replace_all(text, "will not").into_owned();
    text.replace('’', "'").into()
}

/// Recognises a clause.
pub(super) fn classify(clause: &Clause<'_>) -> Option<Class> {
    let text = clause.text;
    if clause.is_question {
        let asked = ASKED_REQUEST.is_match(text);
        return if asked { class(K::Request, S::Planned) } else { None };
    }
    let would = (text.contains("ould") || text.contains("'d"))
        && WOULD.is_match(text)
        && !WOULD_STATED.is_match(text);
    if HYPOTHETICAL.is_match(clause.sentence) || would {
        return None;
    }
    if ABOUT_YOU.is_match(text) && !REQUEST.is_match(text)
        || (SUBORDINATE.is_match(text) && !clause.times.iter().any(|t| t.occurrence.from.is_some()))
    {
        return None;
    }
    if SAYS_ONLY.is_match(text) || UNCHANGED.is_match(text) || (GUESS.is_match(text)) {
        return None;
    }
    if CALLS_OFF.is_match(text) {
        return Some(Class { kind: K::Plan, status: S::Cancelled, withdraws: true });
    }
    if WILL_NOT.is_match(text) {
        return None;
    }
    if WITHDRAW.is_match(text) && !(says_no(text) && NEGATED_DEED.is_match(text)) {
        return Some(Class { kind: K::Plan, status: S::Cancelled, withdraws: true });
    }
    if TENTATIVE.is_match(text) || (UNSETTLED.is_match(clause.sentence) && PLAN.is_match(text)) {
        return if TENTATIVE_ACTION.is_match(text)
            || (UNSETTLED.is_match(clause.sentence) && PLAN.is_match(text))
        {
            class(K::Plan, S::Tentative)
        } else {
            None
        };
    }
    if OPEN_MATTER.is_match(text) && !DECISION.is_match(text) {
        return None;
    }
    if ALLERGY.is_match(text) {
        return class(K::State, S::Ongoing);
    }
    if says_no(text)
        && NEGATED_DEED.is_match(text)
        && !NOT_DECIDED.is_match(text)
        && !NOT_YET.is_match(text)
    {
        return class(K::Result, S::Negated);
    }
    if DECIDED_AGAINST.is_match(text) && !NOT_DECIDED.is_match(text) {
        return class(K::Decision, S::Rejected);
    }
    let time = TimeView::of(clause);
    if DECISION.is_match(text)
        && !NOT_DECIDED.is_match(text)
        && !IDLE_LETS.is_match(text)
        && (clause.to_agent
            || CHAT_DECISION.is_match(text)
            || !super::lexicon::tools(text).is_empty())
    {
        return if time.is_ahead {
            class(K::Plan, S::Planned)
        } else {
            class(K::Decision, S::Occurred)
        };
    }
    // "We move the database from SQLite to PostgreSQL": decided by being said.
    if clause.to_agent && MOVES_BETWEEN.is_match(text) && super::lexicon::tools(text).len() > 1 {
        return if time.is_ahead {
            class(K::Plan, S::Planned)
        } else {
            class(K::Decision, S::Occurred)
        };
    }
    if clause.times.iter().any(|t| t.shape == Shape::Length)
        && GIVES_UP.is_match(text)
        && time.tense != Tense::Past
    {
        return class(K::Plan, S::Planned);
    }
    lasting(clause, &time).or_else(|| happening(clause, &time))
}

cue!(
    MOVES_BETWEEN,
    r"~(?:we|I|they|the team)(?:'re|'m| are| am)?(?: now| also| all)* (?:switch|move|moving|switching|migrate|migrating|port|porting|convert|converting|change|changing|replace|replacing)(?: [\w.-]+){0,6}? (?:from|with|by|to) ~"
);

cue!(
    /// Giving something up or pausing it for a time.
    GIVES_UP,
    r"~(?:no|without|giving up|give up|skip(?:ping)?|pause|pausing|stop(?:ping)?|quit(?:ting)?|taking a break|take a break|taking time off|off|fast(?:ing)?)~|戒|停|暂停|休|不吃|不喝|不用|不碰"
);

cue!(
    /// A clause that hangs on another one; its own date makes it worth keeping.
    SUBORDINATE,
    r"^(?:since|when|whenever|while|after|before|until|because|as|how|why|where|what|that|which|who|whose|whether|like|than) "
);
cue!(
    /// "我现在喜欢香菜了": told as done, it has just begun.
    NOW_LIKED,
    r"(?:现在|开始|又|越来越|终于)[^,，。过]*(?:喜欢|爱)[^,，。过]*了$"
);
/// How the time words of a clause stand to its message.
struct TimeView {
    has_date: bool,
    is_ahead: bool,
    is_recurring: bool,
    /// The clause says since when.
    since: bool,
    tense: Tense,
}

impl TimeView {
    fn of(clause: &Clause<'_>) -> Self {
        let first = clause
            .times
            .iter()
            .find(|t| t.occurrence.local_from.or(t.occurrence.local_to).is_some());
        let is_ahead = first.is_some_and(|t| match t.shape {
            Shape::Deadline => true,
            Shape::Until => false,
            _ => t.occurrence.local_from.is_some_and(|d| d > clause.today),
        });
        Self {
            has_date: first.is_some(),
            is_ahead,
            is_recurring: clause.times.iter().any(|t| t.shape == Shape::Recurring),
            since: clause.times.iter().any(|t| matches!(t.shape, Shape::Since | Shape::Until)),
            tense: tense_of(clause.text),
        }
    }
}

/// Preferences, constraints, habits and states.
fn lasting(clause: &Clause<'_>, time: &TimeView) -> Option<Class> {
    let text = clause.text;
    if BIRTHDAY.is_match(text) {
        return class(K::State, S::Ongoing);
    }
    if DIET.is_match(text)
        && (time.tense != Tense::Past || TURNED.is_match(text))
        && says_own_diet(text)
    {
        return class(K::Preference, S::Ongoing);
    }
    let preference =
        PREFERENCE.find(text).filter(|m| !RELATIVE_BEFORE.is_match(&text[..m.start()]));
    let preference = preference.filter(|m| clause.to_agent || !INSTRUCTION.is_match(m.as_str()));
    let held = time.tense != Tense::Past || NOW_LIKED.is_match(text);
    if preference.is_some() && !POLITE.is_match(text) && held {
        return class(K::Preference, S::Ongoing);
    }
    let recurring = time.is_recurring || HABIT.is_match(text);
    if recurring
        && !INTENDS.is_match(text)
        && HABIT_DOER.is_match(text)
        && time.tense != Tense::Past
        && !time.is_ahead
        && !CONSTRAINT.is_match(text)
    {
        return class(K::Habit, S::Ongoing);
    }
    let rules =
        CONSTRAINT.is_match(text) && (clause.to_agent || time.has_date || OWN_RULE.is_match(text));
    if rules && time.tense != Tense::Past {
        let task = time.is_ahead
            && clause.times.iter().any(|t| t.shape == Shape::Deadline || t.shape == Shape::Point);
        return if task { class(K::Plan, S::Planned) } else { class(K::Constraint, S::Ongoing) };
    }
    None
}

cue!(
    RELATIVE_BEFORE,
    r"~(?:something|anything|everything|what|thing|things|that|which|who|why|how(?: much)?|where|people|part|reason|one) $"
);
cue!(INSTRUCTION, r"^(?:please )?(?:always|never|only|don't ever|please) ");
cue!(OWN_RULE, r"~(?:I|we) (?:must|have to|can't|cannot|may) |必须|不能|只能|最多");
cue!(
    OWN_DIET,
    r"~(?:I'm|I am|we're|we are|he's|she's|he is|she is|is|are|went|go|gone|turned|became|so|now|mostly|strictly)~|我|他|她|们|改|开始"
);

cue!(
    /// "吃素了": what is told as done has just begun, or just ended.
    TURNED,
    r"^[^过]*(?:吃素|素食|纯素)(?:者)?了$"
);

cue!(
    /// A birthday is no plan, however soon it comes.
    BIRTHDAY,
    r"~(?:my|his|her|'s) birthday is~|生日是"
);

fn says_own_diet(text: &str) -> bool {
    OWN_DIET.is_match(text)
}

cue!(
    IS_STATEMENT,
    r"^(?:and |so |then )*[a-z]+ (?:is|are|was|were|of|me when|that down)~|^(?:look|check out|show me|tell me|give me a|help yourself|get well|take care|keep it up)~"
);
cue!(ASKS_PLAINLY, r"~(?:please|remind me|needs? the)~|帮我|请|提醒我|麻烦");

cue!(
    /// More than a date and a greeting.
    NAMES_SOMETHING,
    r"[\p{L}\d]+[^\p{L}]+[\p{L}\d]+[^\p{L}]+[\p{L}\d]+|\p{Han}.*\p{Han}"
);

/// Requests, plans, problems, changes, results; then states.
fn happening(clause: &Clause<'_>, time: &TimeView) -> Option<Class> {
    let text = clause.text;
    let past = time.tense == Tense::Past;
    if REQUEST.is_match(text)
        && !IS_STATEMENT.is_match(text)
        && (clause.to_agent || time.is_ahead || ASKS_PLAINLY.is_match(text))
    {
        return class(K::Request, S::Planned);
    }
    if AILMENT.is_match(text) && !text.trim_start().to_lowercase().starts_with("no ") {
        return class(K::Problem, if past && time.has_date { S::Occurred } else { S::Ongoing });
    }
    let scheduled = PLAN.is_match(text)
        || SCHEDULED.is_match(text)
        || IMPERATIVE_TASK.is_match(text)
        || CHANGE.is_match(text);
    let open =
        if clause.to_agent { scheduled || !past } else { scheduled && !CHEER.is_match(text) };
    if time.is_ahead && open && NAMES_SOMETHING.is_match(text) {
        return class(K::Plan, S::Planned);
    }
    if time.since && UNDER_WAY.is_match(text) {
        return class(K::State, S::Ongoing);
    }
    if !time.is_ahead && !INTENDS.is_match(text) && super::endings::is_ending(text) {
        let told = clause.to_agent || !super::lexicon::tools(text).is_empty();
        if told || CHANGE.is_match(text) {
            return class(K::Change, S::Occurred);
        }
    }
    if PROBLEM.is_match(text) && !NO_PROBLEM.is_match(text) {
        return class(
            K::Problem,
            if past || (time.has_date && !time.since) { S::Occurred } else { S::Ongoing },
        );
    }
    if INTENDED_CHANGE.is_match(text) {
        return class(K::Plan, S::Planned);
    }
    if CHANGE.find(text).is_some_and(|m| has_subject(m.as_str())) && time.tense != Tense::Future {
        return class(K::Change, S::Occurred);
    }
    if BOOKED_OUT.is_match(text) {
        return None;
    }
    if RESULT.find(text).is_some_and(|m| has_subject(m.as_str())) && time.tense != Tense::Future {
        return class(K::Result, S::Occurred);
    }
    let weak = WEAK_RESULT.find(text).is_some_and(|m| has_subject(m.as_str()))
        && !FEELING.is_match(text)
        || WAS_HELD.is_match(text);
    if weak && time.has_date && !time.is_ahead && time.tense != Tense::Future {
        return class(K::Result, S::Occurred);
    }
    if (STAYING.is_match(text) && PLAN.is_match(clause.sentence))
        || PLAN.is_match(text)
            && !past
            && !small_talk_plan(text)
            && (clause.to_agent || CHAT_PLAN.is_match(text))
    {
        return class(K::Plan, S::Planned);
    }
    if GIVEN_UP.is_match(text) && !super::lexicon::tools(text).is_empty() {
        return class(K::Change, S::Occurred);
    }
    if GOES_BACK.is_match(text) && !super::lexicon::tools(text).is_empty() {
        return class(K::Decision, S::Occurred);
    }
    if STATES_TOOL.is_match(text)
        && (!past || STANDING.is_match(text))
        && !super::lexicon::tools(text).is_empty()
    {
        return class(K::State, S::Ongoing);
    }
    if STATE.is_match(text) && !TRIVIAL_STATE.is_match(text) && (!past || STANDING.is_match(text)) {
        return class(K::State, S::Ongoing);
    }
    None
}

cue!(
    /// "This project uses pnpm", "the shop is on yarn": said of something that is worked on.
    STATES_TOOL,
    r"^(?:and |but |so |now |right now,? |currently,? )*(?:this|that|the|our|my|its)(?: [\w.-]+){1,4}? (?:(?:now|still|currently|already|is still|is now) )?(?:uses?|using|is using|is on|are on|runs? on|is built (?:with|on)|is written in|on)~|^(?:and |but |so |now |right now,? |currently,? )*(?:(?-i:[A-Z][\w-]+)(?: (?:now|still|also|currently))? (?:uses|is using|is on|runs on|depends on|relies on|is built (?:with|on)|is hosted on|is (?:now |still )?written in)|(?:(?-i:[A-Z][\w-]+)'s|the|our|my|its) (?:[\w-]+ )?(?:database|db|framework|language|package manager|hosting)(?: (?:of|for) (?:the |our )?[\w-]+(?: [\w-]+)?)? is(?: now| still)?)~|^(?:现在|目前)?(?:(?-i:[A-Z][\w-]+)|[\p{Han}]{2,6}?)(?:的)?(?:数据库|后端|前端|服务端|框架|语言|包管理器|缓存)? ?(?:现在|目前|还是|都|一直|已经)*(?:使用|采用|基于|跑在|部署在|用|是)(?:的是)? ?[A-Za-z]"
);
cue!(
    GIVEN_UP,
    r"~(?:got|gotten|get) rid of~|~(?:are|'re) done with~|~(?:is|are) (?:finally |now )?gone(?: now| for good)?[.!]?$"
);
cue!(
    GOES_BACK,
    r"~(?:I|we|they|the team)(?:'ve| have| had| are|'re)?(?: just| finally| now| all)* (?:(?:went|gone|going|switched|moved|rolled|fell) back to|reverted (?:back )?to|returned to)~"
);
cue!(STAYING, r"^(?:and )?(?:staying|living|lodging) (?:at|in|with)~");
cue!(
    /// "The party was great yesterday".
    WAS_HELD,
    r"~(?:the|our|my|his|her|their) [\w-]+(?: [\w-]+){0,2} (?:was|were|went|took place|happened|turned out)~|~(?-i:[A-Z])\w+ (?:was|went) (?:great|well|fine|badly|smoothly|ok)~|~\w+ (?:\w+ )?(?:came|showed up|attended)~"
);
cue!(
    /// "Is written in", "is based in": a participle that tells of no past.
    STANDING,
    r"~(?:is|are|am|'s|'re|I'm)(?: (?:still|now|currently|mostly|all))* (?:written|built|hosted|based|called|named|owned|managed|maintained|located|married|engaged|retired|divorced|deployed|stored)~"
);
cue!(
    /// Something going on, in a clause that says since when or until when.
    UNDER_WAY,
    r"~(?:am|is|are|'m|'s|'re|been)(?: (?:still|now|currently|also))* [a-z]+ing~|一直在|正在"
);
