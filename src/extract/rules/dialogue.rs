//! Walks through the lines of a Block and drafts its Events: what people state, what a "yes"
//! confirms, what a refusal rejects, what a tool's success or failure shows.

use super::claims::{Ground, fill, subject_of};
use super::classify::{Class, Clause, classify};
use super::draft::{Draft, dating, is_ahead};
use super::names::{person, project_in};
use super::scene::{Line, Voice};
use super::text::{Span, bare, content_tokens, cue, shared_tokens};
use crate::extract::BlockInput;
use crate::extract::dates::{Shape, Tense, tense_of};
use crate::model::{
    ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S, Occurrence,
};

cue!(
    AFFIRMS,
    r"^(?:(?:yes|yep|yeah|yup|right|exactly|correct|sure|ok(?:ay)?|indeed|absolutely|of course|that's right|that is right|confirmed|go ahead|please do|do it|sounds good|agreed|true|still [a-z]+, yes|for sure|definitely)~[,.!]? ?)+|^(?:对的?|是的?|没错|好的?|可以|行|嗯+|同意|就这样|确认|正确|就这么办|没问题)(?:[,，。！!]|$)+"
);
cue!(
    REFUSES,
    r"^(?:no|nope|nah|not|don't|do not|i'd rather not|rather not|no thanks|no way|let's not|never|absolutely not|please don't|i don't think so|i don't want)~|^(?:不|别|算了|没必要|先不|还是不)"
);
cue!(
    PROPOSES,
    r"~(?:how about|what about|should (?:we|I|you)|shall (?:we|I)|could (?:we|you|also)|can (?:we|I)|I (?:suggest|recommend|propose|would suggest|would recommend|'d suggest)|I'd (?:suggest|recommend|propose)|you (?:could|should|might want to)|we (?:could|should|might)|why (?:not|don't we|don't you)|maybe (?:use|try|we|switch)|do you want (?:me )?to|want me to|would you like (?:me )?to|let's|instead)~|建议|要不(?:要)?|不如|可以考虑|是否|能不能|推荐|我们可以|你可以|要我"
);
cue!(
    OFFER,
    r"^(?:ok,? |okay,? |great,? |so |then |and |well,? |or )*(?P<h>(?:shall|should|can|may|could) I|do you want me to|want me to|would you like me to|shall we|should we|could we|can we|how about (?:we )?|what about |why don't we|why not|do you want to|would you like to|so (?:we|you)(?:'re| are)?|要不要|要不|是否|要我)[ ]?"
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
cue!(FRAGMENT_VERB, r"^(?:I|it|that|this|they|we|you|he|she|yes|yeah|yep|sure|ok|oh|definitely|maybe|thanks)~.*~(?:for sure|definitely|absolutely)|~(?:was|were|is|are|recommend|feel|felt|agree)~|^(?:yes|yeah|yep|oh|sure),? (?:definitely|absolutely|for sure)");
cue!(COMPLAINT, r"\d|~(?:too|slow|slower|takes?|took|keeps?|never|can't|cannot|couldn't|doesn't|don't|won't|isn't|expensive|costs?|needs?|hard|problem|issues?|fails?|failed|bugs?|missing|broken|no longer|not|limit|limited|complain\w*|painful|annoying|outdated|unsupported|deprecated|unreliable|prefer|want|wants|asked|booked out|sold out|full)~|太|慢|贵|难|不够|不支持|不稳定|老是|总是|经常|卡|没|不|问题");
cue!(END_FRAGMENT, r"^(?:and )?(?:back|returning|return|home|until|till|through)~|^(?:到|回来|返回)");
cue!(DEADLINE, r"~(?:deadline|due date|due)~|截止|ddl|期限");
cue!(WILL, r"~(?:will|shall|going to|gonna|might|may|could|should|want to|let's|plan to)~|会|打算|可能|要");
cue!(TO_DO_FOR, r"~(?:shall I|should I|can I|may I|do you want me to|want me to|would you like me to|need me to)~|要我|需要我");
cue!(
    RESCHEDULES,
    r"~(?:moved|postponed|pushed(?: back)?|rescheduled|delayed|shifted|brought forward|extended)~.*~(?:to|until)~|推迟到|提前到|改到|延期到|改期到|延到"
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

/// What the walk has learnt so far.
pub(super) struct Walk<'a> {
    pub lines: &'a [Line<'a>],
    pub drafts: Vec<Draft>,
    project: Option<EntityRef>,
    trip: Option<EntityRef>,
    person: Option<EntityRef>,
    to_agent: bool,
}

pub(super) fn walk<'a>(lines: &'a [Line<'a>], input: &BlockInput<'_>) -> Vec<Draft> {
    let to_agent = lines.iter().any(|l| matches!(l.voice, Voice::Assistant | Voice::Tool))
        || lines.iter().all(|l| l.message.speaker.is_none());
    let mut walk =
        Walk { lines, drafts: Vec::new(), project: known_project(input), trip: None, person: None, to_agent };
    for index in 0..lines.len() {
        match lines[index].voice {
            Voice::System => {}
            Voice::Tool => walk.read_tool(index, lines[index].text.to_owned()),
            Voice::Assistant => walk.read_assistant(index),
            Voice::Person => walk.read_person(index),
        }
    }
    walk.drafts
}

/// The project of the conversation before the Block, where only one can be meant.
fn known_project(input: &BlockInput<'_>) -> Option<EntityRef> {
    let said = input.before.iter().rev().find_map(|m| project_in(m.text()));
    said.or_else(|| {
        let subject = input
            .events
            .iter()
            .rev()
            .flat_map(|e| &e.claims)
            .map(|c| &c.subject)
            .find(|s| s.kind == EntityKind::Project && s.name != "this project");
        subject.cloned()
    })
    .or_else(|| {
        let mut projects = input
            .entities
            .iter()
            .filter(|e| e.kind == EntityKind::Project && e.name != "this project");
        let only = projects.next()?;
        projects.next().is_none().then(|| EntityRef {
            kind: only.kind,
            name: only.name.clone(),
            aliases: only.aliases.clone(),
        })
    })
}

impl Walk<'_> {
    fn read_person(&mut self, index: usize) {
        let line = &self.lines[index];
        if line.sentences.is_empty()
            || DOES_NOTHING.is_match(line.text.trim()) && self.question_before(index).is_none()
        {
            return;
        }
        if let Some(project) = project_in(&line.blank) {
            self.project = Some(project);
        }
        self.reject_proposal(index);
        let before = self.drafts.len();
        self.draft_line(index, index, line.sentences.len());
        let affirmed = AFFIRMS.find(line.blank.trim_start()).map(|m| m.end());
        if affirmed.is_some() {
            self.confirm(index, before);
        }
        self.settle_line(before);
    }

    /// Drafts what the sentences of a line state.
    fn draft_line(&mut self, index: usize, said_by: usize, sentences: usize) {
        let line = &self.lines[index];
        for sentence in line.sentences.iter().take(sentences) {
            let sentence_text = bare(&line.blank, &sentence.span);
            let mut idle: Vec<Span> = Vec::new();
            let mut last_made: Option<usize> = None;
            for clause in &sentence.clauses {
                let made =
                    self.draft_clause(index, said_by, &sentence.span, clause, sentence.is_question);
                let text = bare(&line.blank, clause);
                self.person = super::names::person_at_head(text)
                    .or_else(|| super::names::han_person_at_head(text))
                    .or_else(|| NEW_NAME.captures(text).and_then(|c| person(&c["n"])))
                    .or(self.person.take());
                match made {
                    Some(at) => {
                        if let Some(reason) = idle.last().filter(|i| COMPLAINT.is_match(&line.text[(*i).clone()]) && {
                            self.drafts[at].reason.is_none()
                                && takes_reason(self.drafts[at].kind)
                                && !sentence.is_question
                        }) {
                            // What was complained of in the same breath is why.
                            let first = idle.first().map_or(reason.start, |s| s.start);
                            self.drafts[at].reason = reason_text(&line.text[first..reason.end]);
                        }
                        idle.clear();
                        last_made = Some(at);
                    }
                    None => {
                        let words = bare(line.text, clause);
                        if let Some(at) = last_made {
                            self.add_afterthought(at, words);
                        } else if words.chars().count() > 5 {
                            idle.push(clause.clone());
                        }
                    }
                }
            }
            let _ = sentence_text;
        }
    }

    /// A clause after a drafted one: its reason, or a word that something stays as it was.
    fn add_afterthought(&mut self, at: usize, words: &str) {
        let draft = &mut self.drafts[at];
        let explains = BECAUSE_CLAUSE.is_match(words) || draft.kind == K::Decision;
        if draft.reason.is_none()
            && takes_reason(draft.kind)
            && explains
            && !MUST_STAY.is_match(words)
            && words.chars().count() > 5
        {
            draft.reason = reason_text(words);
        }
    }

    fn draft_clause(
        &mut self,
        index: usize,
        said_by: usize,
        sentence: &Span,
        clause: &Span,
        is_question: bool,
    ) -> Option<usize> {
        let line = &self.lines[index];
        let mut clause = clause.clone();
        let text = &line.blank[clause.clone()];
        if let Some(yes) = AFFIRMS.find(text).filter(|m| m.end() < text.len()) {
            clause.start += yes.end();
            clause = super::text::trim(&line.blank, clause);
        }
        let text = bare(&line.blank, &clause);
        if !text.chars().any(char::is_alphanumeric) {
            return None;
        }
        let at = &self.lines[said_by].message.at;
        let time = dating(line, &clause, sentence);
        let mut times = line.times_in(&clause);
        if times.is_empty() {
            times.extend(time.clone());
        }
        let seen = Clause {
            text,
            sentence: bare(&line.blank, sentence),
            is_question,
            times: &times,
            today: at.local_day(),
            to_agent: self.to_agent,
        };
        let class = classify(&seen).or_else(|| self.fragment(index, text))?;
        if class.withdraws {
            return self.withdraw(index, sentence, &clause, text);
        }
        if class.kind == K::Plan
            && class.status == S::Planned
            && time.is_none()
            && text.is_ascii()
            && text.split_whitespace().count() < 4
            && FRAGMENT_SURE.captures(text).is_none()
        {
            return None;
        }
        let moves =
            matches!(class.kind, K::Plan | K::Change) && class.status != S::Tentative && time.as_ref().is_some_and(|t| is_ahead(&t.occurrence, at.local_day())) && RESCHEDULES.is_match(text) && !WILL.is_match(text);
        let class =
            if moves { Class { kind: K::Change, status: S::Occurred, ..class } } else { class };
        let mut draft =
            Draft::new(index, line, clause.clone(), sentence.clone(), class, time.as_ref());
        draft.statement = bare(line.text, &clause).to_owned();
        self.finish(&mut draft, bare(line.text, sentence));
        let place = self.drafts.len();
        self.drafts.push(draft);
        if moves {
            self.plan_of_move(place, time.as_ref());
        }
        Some(place)
    }

    /// Fills in subject, reason and claims.
    fn finish(&mut self, draft: &mut Draft, sentence: &str) {
        let speaker = self.lines[draft.line].person();
        let ground = Ground {
            speaker: &speaker,
            project: self.project.as_ref(),
            sentence,
            trip: self.trip.as_ref(),
            person: self.person.as_ref(),
        };
        draft.subject = subject_of(&draft.statement, &ground);
        fill(draft, &ground);
        if draft.reason.is_none() && takes_reason(draft.kind) {
            draft.reason = BECAUSE
                .find(&draft.statement)
                .filter(|m| m.start() > 0 || BECAUSE_CLAUSE.is_match(&draft.statement))
                .and_then(|m| {
                    let rest = &draft.statement[m.end()..];
                    // "Since" is a time as often as a reason.
                    let at = &self.lines[draft.line].message.at;
                    let dated = m.as_str().to_lowercase().starts_with("since")
                        && (tense_of(rest) == Tense::Past
                            || !crate::extract::dates::find(&draft.statement[m.start()..], at).is_empty());
                    if dated { None } else { reason_text(rest) }
                });
        }
        if let Some(claim) = draft.claims.iter().find(|c| c.subject.name.ends_with(" trip")) {
            self.trip = Some(claim.subject.clone());
        }
    }

    /// An answer in fragments ("Sintra for sure, maybe Cascais") to what somebody asked.
    fn fragment(&self, index: usize, text: &str) -> Option<Class> {
        self.question_before(index)?;
        if FRAGMENT_VERB.is_match(text) {
            return None;
        }
        let status = if FRAGMENT_SURE.is_match(text) {
            S::Planned
        } else if FRAGMENT_MAYBE.is_match(text) {
            S::Tentative
        } else {
            return None;
        };
        Some(Class { kind: K::Plan, status, withdraws: false })
    }

    /// The line before, if another party asked or said something there.
    fn line_before(&self, index: usize) -> Option<usize> {
        let own = self.lines[index].message.speaker_or_role();
        (0..index)
            .rev()
            .find(|i| {
                !matches!(self.lines[*i].voice, Voice::Tool | Voice::System)
                    && !self.lines[*i].text.trim().is_empty()
            })
            .filter(|i| self.lines[*i].message.speaker_or_role() != own)
    }

    fn question_before(&self, index: usize) -> Option<(usize, usize)> {
        let before = self.line_before(index)?;
        let place = self.lines[before].sentences.iter().rposition(|s| s.is_question)?;
        Some((before, place))
    }

    /// "Yes": joins the question to the sources, or takes the question's content as stated.
    fn confirm(&mut self, index: usize, own_from: usize) {
        let Some(before) = self.line_before(index) else { return };
        let line = &self.lines[index];
        let asked = self.question_before(index).filter(|(b, _)| *b == before);
        let question_text = match asked {
            Some((_, place)) => {
                bare(self.lines[before].text, &self.lines[before].sentences[place].span).to_owned()
            }
            None => self.lines[before].text.to_owned(),
        };
        let question_tokens = content_tokens(&question_text);
        let own: Vec<usize> = (own_from..self.drafts.len()).collect();
        let answer_tokens = content_tokens(line.text);
        if let Some(first) = own.first().copied() {
            if END_FRAGMENT.is_match(&self.drafts[first].statement) && self.drafts[first].kind == K::Plan && own_from > 0 {
                // "Yes, back on the 17th" completes the plan that was asked about.
                self.drafts[first].dropped = true;
                let target = (0..own_from).rev().find(|d| self.drafts[*d].is_open() && self.drafts[*d].occurred.local_from.is_some());
                if let Some(target) = target {
                    let span = line.sentences[0].span.clone();
                    self.drafts[target].add_quote(index, span);
                    self.refine_end(target, index);
                }
                return;
            }
            let points_back = POINTS_BACK.is_match(line.text)
                || shared_tokens(&question_tokens, &answer_tokens) > 0;
            if asked.is_some()
                && points_back
                && self.lines[before].voice == Voice::Assistant
                && self.drafts[first].line == index
                && self.answers_at_once(first, index)
            {
                self.drafts[first].add_source(before);
                self.resolve_pointer(first, &question_text);
                return;
            }
        }
        if asked
            .is_some_and(|(_, place)| self.adopt_question(index, before, place, &question_tokens))
            || !own.is_empty()
        {
            return;
        }
        // It says again, or agrees to, what is known already.
        let related = (0..own_from).rev().filter(|d| !self.drafts[*d].dropped).max_by_key(|d| {
            let draft = &self.drafts[*d];
            let near = if draft.line + 2 >= before { 1 } else { 0 };
            (shared_tokens(&question_tokens, &draft.tokens) * 2 + near, *d)
        });
        let Some(related) = related else { return };
        let shared = shared_tokens(&question_tokens, &self.drafts[related].tokens);
        let chat = self.lines[before].voice == Voice::Person;
        if chat && (asked.is_none() || shared < 2 || self.drafts[related].line + 6 < index) {
            return;
        }
        let adjacent = self.drafts[related].line + 2 >= before;
        if shared > 0
            || (adjacent && asked.is_some())
            || (adjacent && self.lines[before].voice == Voice::Assistant)
        {
            let span = line.sentences[0].span.clone();
            let at_once = line.message.at.utc
                - self.lines[self.drafts[related].line].message.at.utc
                < chrono::TimeDelta::days(1);
            if self.lines[before].voice == Voice::Assistant && at_once && shared > 0 {
                self.drafts[related].add_source(before);
            }
            self.drafts[related].add_quote(index, span);
            self.refine_end(related, index);
        }
    }

    fn answers_at_once(&self, draft: usize, index: usize) -> bool {
        self.lines[index].sentences.first().is_some_and(|s| self.drafts[draft].sentence == s.span)
            || AFFIRMS.is_match(self.lines[index].text.trim_start())
    }

    /// "Send it to Tom" after "the licence list?": the object stands in the question.
    fn resolve_pointer(&mut self, draft: usize, question: &str) {
        let line = self.drafts[draft].line;
        let statement = self.drafts[draft].statement.clone();
        if let Some(noun) = ASKED_NOUN.captures(question) {
            let resolved = IT.replace(&statement, format!("the {}", &noun["o"])).into_owned();
            if resolved != statement {
                let speaker = self.lines[line].person();
                let mut copy = self.drafts[draft].clone();
                copy.statement = resolved.clone();
                let ground = Ground {
                    speaker: &speaker,
                    project: self.project.as_ref(),
                    sentence: &resolved,
                    trip: self.trip.as_ref(),
                    person: self.person.as_ref(),
                };
                fill(&mut copy, &ground);
                self.drafts[draft].claims = copy.claims;
                self.drafts[draft].tokens.extend(content_tokens(&noun["o"]));
                self.drafts[draft].tokens.sort();
                self.drafts[draft].tokens.dedup();
            }
        }
    }

    /// A later answer that gives the end of a plan ("back on the 17th").
    fn refine_end(&mut self, draft: usize, index: usize) {
        let Some(time) =
            self.lines[index].times.iter().find(|t| t.mention.occurrence.local_from.is_some())
        else {
            return;
        };
        let said = &time.mention.occurrence;
        let draft = &mut self.drafts[draft];
        if draft.is_open()
            && RETURN.is_match(self.lines[index].text)
            && draft.occurred.local_from < said.local_to
        {
            draft.occurred.to = said.to;
            draft.occurred.local_to = said.local_to;
            draft.occurred.precision = crate::model::Precision::Range;
        }
    }

    /// Takes the content of a confirmed question as stated by the one who confirms.
    fn adopt_question(
        &mut self,
        index: usize,
        asked_in: usize,
        place: usize,
        question_tokens: &[String],
    ) -> bool {
        let line = &self.lines[asked_in];
        let sentence = line.sentences[place].span.clone();
        let text = bare(&line.blank, &sentence);
        let (shift, rewritten) = as_statement(text);
        let clause = sentence.start + shift..sentence.start + text.len();
        if clause.is_empty() || line.message.at.utc > self.lines[index].message.at.utc {
            return false;
        }
        let at = &self.lines[index].message.at;
        let times = line.times_in(&clause);
        let seen = Clause {
            text: &rewritten,
            sentence: &rewritten,
            is_question: false,
            times: &times,
            today: at.local_day(),
            to_agent: self.to_agent,
        };
        let offered = shift > 0 && TO_DO_FOR.is_match(text) && content_tokens(&rewritten).len() > 1;
        let class = if offered {
            Some(Class { kind: K::Request, status: S::Planned, withdraws: false })
        } else {
            classify(&seen).filter(|c| !c.withdraws && !matches!(c.kind, K::Problem))
        };
        let Some(class) = class else { return false };
        // Repeating what was just said adds a witness, not an Event.
        let repeats = self.drafts.iter().rev().take(6).any(|d| {
            !d.dropped
                && shared_tokens(question_tokens, &d.tokens) * 2 >= question_tokens.len().max(1)
                || (!d.dropped && same_date(&d.occurred, &times))
        });
        if repeats {
            return false;
        }
        let time = dating(line, &clause, &sentence);
        let mut draft = Draft::new(asked_in, line, clause, sentence, class, time.as_ref());
        draft.statement = rewritten.clone();
        draft.add_quote(index, self.lines[index].sentences[0].span.clone());
        let speaker = self.lines[index].person();
        let ground = Ground {
            speaker: &speaker,
            project: self.project.as_ref(),
            sentence: &rewritten,
            trip: self.trip.as_ref(),
            person: self.person.as_ref(),
        };
        draft.subject = speaker.clone();
        fill(&mut draft, &ground);
        for claim in &mut draft.claims {
            if claim.subject.kind == EntityKind::Person
                && claim.subject.name == self.lines[asked_in].person().name
            {
                claim.subject = speaker.clone();
            }
        }
        self.adopt_change(&mut draft);
        self.drafts.push(draft);
        true
    }

    /// A new state confirmed right after the change that led to it holds from that change on.
    fn adopt_change(&self, draft: &mut Draft) {
        if draft.kind != K::Preference || draft.dated_by.is_some() {
            return;
        }
        let change = self.drafts.iter().rev().find(|d| {
            !d.dropped
                && d.line + 3 >= draft.line
                && matches!(d.kind, K::Change | K::Result)
                && d.dated_by.is_some()
        });
        if let Some(change) = change {
            draft.add_source(change.line);
            let from = change.occurred.clone();
            draft.occurred = Occurrence {
                expression: from.expression.clone(),
                approx: from.approx,
                ..crate::extract::dates::open_from(
                    from.local_from,
                    from.basis,
                    &self.lines[draft.line].message.at,
                )
            };
            for claim in &mut draft.claims {
                claim.valid = Some(draft.occurred.clone());
            }
        }
    }

    /// A refusal right after a proposal: it was proposed and never held.
    fn reject_proposal(&mut self, index: usize) {
        let Some(before) = self.line_before(index) else { return };
        let text = self.lines[index].blank.trim_start();
        if !REFUSES.is_match(text)
            || text.to_lowercase().starts_with("no problem")
            || text.to_lowercase().starts_with("not sure")
        {
            return;
        }
        let line = &self.lines[before];
        let Some(place) =
            line.sentences.iter().rposition(|s| PROPOSES.is_match(&line.blank[s.span.clone()]))
        else {
            return;
        };
        let sentence = line.sentences[place].span.clone();
        if TO_DO_FOR.is_match(&line.blank[sentence.clone()]) {
            return;
        }
        if content_tokens(&line.blank[sentence.clone()]).is_empty() {
            return;
        }
        let times = line.times_in(&sentence);
        let class = Class { kind: K::Proposal, status: S::Rejected, withdraws: false };
        let mut draft = Draft::new(before, line, sentence.clone(), sentence, class, times.first());
        let refusal = self.lines[index].sentences[0].span.clone();
        let words = bare(self.lines[index].text, &refusal);
        draft.reason = reason_in(words).or_else(|| refusal_reason(words));
        draft.add_quote(index, refusal);
        // What another person proposed was drafted as theirs; the refusal is what became of it.
        for earlier in &mut self.drafts {
            if earlier.line == before
                && earlier.is_open()
                && shared_tokens(&earlier.tokens, &draft.tokens) > 0
            {
                earlier.dropped = true;
            }
        }
        self.drafts.push(draft);
    }

    /// "Forget it": the plan or request that it withdraws is cancelled.
    fn withdraw(
        &mut self,
        index: usize,
        sentence: &Span,
        clause: &Span,
        text: &str,
    ) -> Option<usize> {
        let tokens = content_tokens(text);
        let points = tokens.iter().all(|t| {
            [
                "forget", "never", "mind", "scratch", "cancel", "drop", "scrap", "call", "bother",
                "取消",
            ]
            .contains(&t.as_str())
        });
        let target = (0..self.drafts.len()).rev().find(|d| {
            let draft = &self.drafts[*d];
            draft.is_open()
                && if points {
                    draft.line + 6 >= index
                } else {
                    shared_tokens(&tokens, &draft.tokens) > 0
                }
        });
        let Some(target) = target else {
            if points || tokens.len() < 2 {
                return None;
            }
            let time = dating(&self.lines[index], clause, sentence);
            let class = Class { kind: K::Plan, status: S::Cancelled, withdraws: false };
            let draft = Draft::new(
                index,
                &self.lines[index],
                clause.clone(),
                sentence.clone(),
                class,
                time.as_ref(),
            );
            self.drafts.push(draft);
            return Some(self.drafts.len() - 1);
        };
        let day = chrono::TimeDelta::days(1);
        let at_once = self.lines[index].message.at.utc
            - self.lines[self.drafts[target].line].message.at.utc
            < day
            && self.drafts[target].line + 8 >= index;
        if at_once {
            self.drafts[target].status = S::Cancelled;
            self.drafts[target].claims.clear();
            self.drafts[target].add_quote(index, sentence.clone());
            return Some(target);
        }
        let class = Class { kind: K::Plan, status: S::Cancelled, withdraws: false };
        let mut draft =
            Draft::new(index, &self.lines[index], clause.clone(), sentence.clone(), class, None);
        draft.occurred = Occurrence { expression: None, ..self.drafts[target].occurred.clone() };
        draft.supersedes.push(target);
        self.drafts.push(draft);
        Some(self.drafts.len() - 1)
    }

    /// "I moved the flight to July 6th" is a change made and a plan for another day.
    fn plan_of_move(&mut self, change: usize, time: Option<&crate::extract::dates::TimeMention>) {
        let Some(time) = time else { return };
        let mut plan = self.drafts[change].clone();
        plan.kind = K::Plan;
        plan.status = S::Planned;
        plan.occurred = time.occurrence.clone();
        let at = &self.lines[plan.line].message.at;
        if DEADLINE.is_match(&plan.statement)
            && let Some(end) = plan.occurred.local_to
        {
            let words = plan.occurred.expression.clone().unwrap_or_default();
            plan.occurred = Occurrence {
                precision: crate::model::Precision::Deadline,
                basis: plan.occurred.basis,
                ..crate::extract::dates::range_occurrence(at.local_day(), end, plan.occurred.approx, &words, at)
            };
        }
        let old = (0..change).rev().find(|d| {
            let draft = &self.drafts[*d];
            draft.is_open()
                && (shared_tokens(&draft.tokens, &plan.tokens) > 0
                    || (MOVED_TRIP.is_match(&plan.statement)
                        && draft.claims.iter().any(|c| c.subject.name.ends_with(" trip"))))
        });
        if let Some(old) = old {
            let previous = &self.drafts[old];
            if previous.occurred.precision == crate::model::Precision::Range
                && previous.occurred.local_to > plan.occurred.local_from
            {
                plan.occurred.to = previous.occurred.to;
                plan.occurred.local_to = previous.occurred.local_to;
                plan.occurred.precision = crate::model::Precision::Range;
            }
            plan.claims = moved_claims(&previous.claims, &plan.occurred);
            plan.supersedes.push(old);
        } else {
            plan.claims.retain(|c| c.planned);
        }
        for claim in &mut plan.claims {
            claim.planned = true;
        }
        self.drafts[change].claims.retain(|c| matches!(c.property.as_str(), "deadline" | "owner"));
        self.drafts.push(plan);
    }

    fn read_assistant(&mut self, index: usize) {
        let line = &self.lines[index];
        for call in &line.message.tool_calls {
            if let Some(result) = &call.result {
                let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
                self.read_tool(index, text);
            }
        }
        // A report right after a tool's result is a second witness of what the tool did.
        let tool = (0..index)
            .rev()
            .take_while(|i| self.lines[*i].voice != Voice::Person)
            .find(|i| self.lines[*i].voice == Voice::Tool);
        if let Some(tool) = tool
            && !line.text.trim().is_empty()
            && let Some(draft) =
                self.drafts.iter_mut().rev().find(|d| !d.dropped && d.sources.contains(&tool))
        {
            let failed = TOOL_ERROR.is_match(self.lines[tool].text);
            if failed || DONE_CUE.is_match(line.text) {
                draft.add_source(index);
            }
        }
    }

    /// A tool's outcome bears on the request or decision of the same exchange.
    fn read_tool(&mut self, index: usize, output: String) {
        let exchange = (0..=index).rev().find(|i| self.lines[*i].voice == Voice::Person);
        let failed = TOOL_ERROR.is_match(&output);
        let pending = self.drafts.iter().rposition(|d| {
            !d.dropped
                && exchange.is_some_and(|e| d.sources.contains(&e))
                && matches!(
                    d.kind,
                    K::Request | K::Decision | K::Plan | K::Result | K::Problem | K::Change
                )
        });
        let made = TOOL_MADE.is_match(&output);
        let Some(pending) = pending else {
            if exchange.is_some()
                && !failed
                && (made || TOOL_PASSED.is_match(&output))
                && self.report_follows(index)
            {
                self.push_tool_event(index, K::Result);
            }
            return;
        };
        let today = self.lines[index].message.at.local_day();
        let draft = &mut self.drafts[pending];
        let ahead = is_ahead(&draft.occurred, today);
        match (draft.kind, failed) {
            (K::Request, false) if !ahead => {
                if made || TOOL_PASSED.is_match(&output) || self.report_follows(index) {
                    let draft = &mut self.drafts[pending];
                    draft.kind = K::Result;
                    draft.status = S::Occurred;
                    draft.occurred =
                        crate::extract::dates::day_occurrence(&self.lines[index].message.at, None);
                    for claim in &mut draft.claims {
                        claim.planned = false;
                    }
                }
                self.drafts[pending].add_source(index);
            }
            (K::Request, true) if !ahead => {
                draft.kind = K::Problem;
                draft.status = S::Occurred;
                draft.claims.clear();
                draft.occurred =
                    crate::extract::dates::day_occurrence(&self.lines[index].message.at, None);
                draft.add_source(index);
            }
            (K::Problem, false) if draft.sources.len() > 1 && !ahead => {
                // It failed first and succeeded when tried again.
                draft.kind = K::Result;
                draft.add_source(index);
            }
            (K::Decision | K::Plan | K::Change, true) => self.push_tool_event(index, K::Problem),
            (K::Decision | K::Plan, false) if made && draft.kind == K::Decision => {
                self.push_tool_event(index, K::Change)
            }
            (K::Plan, false) => {}
            _ => draft.add_source(index),
        }
    }

    /// Whether the assistant's next words report that the tool did its work.
    fn report_follows(&self, index: usize) -> bool {
        self.lines[index..]
            .iter()
            .skip(1)
            .take_while(|l| l.voice != Voice::Person)
            .filter(|l| l.voice == Voice::Assistant)
            .any(|l| DONE_CUE.is_match(l.text) && !l.text.contains('?') && !l.text.contains('？'))
    }

    fn push_tool_event(&mut self, index: usize, kind: K) {
        let line = &self.lines[index];
        let end = line.text.find('\n').unwrap_or(line.text.len());
        let mut end = end.min(300);
        while !line.text.is_char_boundary(end) {
            end -= 1;
        }
        let span = super::text::trim(line.text, 0..end);
        if span.is_empty() || line.voice != Voice::Tool {
            return;
        }
        let class = Class { kind, status: S::Occurred, withdraws: false };
        let mut draft = Draft::new(index, line, span.clone(), span, class, None);
        draft.subject = super::scene::user();
        if kind == K::Change
            && let Some(decision) = self
                .drafts
                .iter()
                .rev()
                .find(|d| !d.dropped && d.kind == K::Decision && d.line < index)
        {
            let mentioned = |c: &&crate::model::Claim| {
                matches!(&c.value, ClaimValue::Entity(e) if line.text.contains(&e.name))
                    && c.op == crate::model::ClaimOp::Assert
            };
            draft.claims = decision.claims.iter().filter(mentioned).cloned().collect();
        }
        self.drafts.push(draft);
    }

    /// After a line: merges what belongs together and finds reasons.
    fn settle_line(&mut self, from: usize) {
        for at in from..self.drafts.len() {
            if self.drafts[at].dropped {
                continue;
            }
            self.merge_restriction(at, from);
            self.merge_owner(at, from);
            self.merge_consequence(at, from);
            self.take_reason(at, from);
        }
    }

    /// "Shin splints. No running until mid June": the restriction belongs to the problem.
    fn merge_restriction(&mut self, at: usize, from: usize) {
        let Some(problem) = at.checked_sub(1).filter(|p| *p >= from) else { return };
        if self.drafts[problem].kind == K::Problem
            && matches!(self.drafts[at].kind, K::Constraint | K::Plan)
            && self.drafts[at].dated_by.as_ref().is_some_and(|t| t.shape == Shape::Until)
            && !self.drafts[problem].dropped
            && self.drafts[problem].line == self.drafts[at].line
        {
            let restriction = self.drafts[at].clone();
            let kept = &mut self.drafts[problem];
            if kept.dated_by.is_none() {
                kept.occurred = restriction.occurred;
                kept.dated_by = restriction.dated_by;
            }
            kept.statement = format!("{}; {}", kept.statement, restriction.statement);
            for (line, span) in restriction.quotes {
                kept.add_quote(line, span);
            }
            kept.claims
                .extend(restriction.claims.into_iter().filter(|c| c.property != "constraint"));
            kept.tokens.extend(restriction.tokens);
            kept.tokens.sort();
            self.drafts[at].dropped = true;
        }
    }

    /// "Deadline is the end of August, Kevin is on it": one plan with its owner.
    fn merge_owner(&mut self, at: usize, from: usize) {
        let Some(plan) = at.checked_sub(1).filter(|p| *p >= from && !self.drafts[*p].dropped) else { return };
        let same_sentence = self.drafts[plan].line == self.drafts[at].line && self.drafts[plan].sentence == self.drafts[at].sentence;
        let owner = self.drafts[at].claims.iter().any(|c| c.property == "owner");
        if same_sentence && owner && self.drafts[at].kind == K::State && self.drafts[plan].kind == K::Plan && self.drafts[at].dated_by.is_none() {
            let mut claims = std::mem::take(&mut self.drafts[at].claims);
            let day = &self.drafts[plan].occurred;
            let dated = matches!(day.precision, crate::model::Precision::Day | crate::model::Precision::Week);
            for claim in &mut claims {
                claim.valid = dated.then(|| day.clone());
            }
            self.drafts[plan].claims.extend(claims);
            let tokens = std::mem::take(&mut self.drafts[at].tokens);
            self.drafts[plan].tokens.extend(tokens);
            self.drafts[plan].tokens.sort();
            self.drafts[plan].tokens.dedup();
            self.drafts[at].dropped = true;
        }
    }

    /// "I'm vegetarian, so please only suggest meatless dinners": the rest follows from the first.
    fn merge_consequence(&mut self, at: usize, from: usize) {
        let Some(first) = at.checked_sub(1).filter(|p| *p >= from && !self.drafts[*p].dropped)
        else {
            return;
        };
        let same_sentence = self.drafts[first].line == self.drafts[at].line
            && self.drafts[first].sentence == self.drafts[at].sentence;
        let text = self.lines[self.drafts[at].line].text;
        let before = text[self.drafts[first].clause.end.min(self.drafts[at].clause.start)
            ..self.drafts[at].clause.start]
            .trim();
        let led = CONSEQUENCE.is_match(&self.drafts[at].statement)
            || before.ends_with("so")
            || self.drafts[first].claims.iter().any(|c| c.property == "allergic_to");
        let rule = |k: K| matches!(k, K::Preference | K::State | K::Constraint);
        let follows = matches!(self.drafts[at].kind, K::Preference | K::Constraint | K::Request)
            && self.drafts[at].dated_by.is_none();
        if rule(self.drafts[first].kind)
            && follows
            && (same_sentence && led)
            && !self.drafts[at]
                .claims
                .iter()
                .any(|c| matches!(c.property.as_str(), "allergic_to" | "diet"))
        {
            self.drafts[at].dropped = true;
        }
    }

    /// The complaint before a decision in the same message is why; unless it has a date of its
    /// own it is not an Event beside it.
    fn take_reason(&mut self, at: usize, from: usize) {
        let kind = self.drafts[at].kind;
        if !takes_reason(kind) || self.drafts[at].reason.is_some() {
            return;
        }
        let line = &self.lines[self.drafts[at].line];
        let clause = self.drafts[at].clause.clone();
        if let Some(before) = at.checked_sub(1).filter(|p| {
            *p >= from && !self.drafts[*p].dropped && self.drafts[*p].line == self.drafts[at].line
        }) {
            let earlier = &self.drafts[before];
            let gap = &line.text[earlier.clause.end.min(clause.start)..clause.start];
            let joined = gap.contains("so")
                || gap.contains("所以")
                || earlier.sentence == self.drafts[at].sentence
                    && CONSEQUENCE.is_match(&self.drafts[at].statement);
            let complaint = matches!(earlier.kind, K::Problem | K::State)
                && earlier.sentence.end <= self.drafts[at].clause.end;
            if complaint
                || joined
                || (matches!(earlier.kind, K::Result | K::Change)
                    && earlier.sentence == self.drafts[at].sentence
                    && kind == K::Preference)
            {
                let statement = earlier.statement.clone();
                let undated = earlier.dated_by.is_none()
                    && earlier.kind == K::Problem
                    && super::lexicon::AILMENT.find(&statement).is_none();
                self.drafts[at].reason = reason_text(&statement);
                if undated && self.drafts[before].claims.is_empty() {
                    self.drafts[before].dropped = true;
                }
                return;
            }
        }
        // A sentence before that is no Event itself, in the same message.
        if matches!(kind, K::Decision | K::Change) {
            let place = line.sentences.iter().position(|s| s.span == self.drafts[at].sentence);
            if let Some(previous) = place.and_then(|p| p.checked_sub(1)) {
                let sentence = &line.sentences[previous];
                let used = self.drafts.iter().any(|d| {
                    !d.dropped && d.line == self.drafts[at].line && d.sentence == sentence.span
                });
                let words = bare(line.text, &sentence.span);
                if !used
                    && !sentence.is_question
                    && words.chars().count() > 8
                    && COMPLAINT.is_match(words)
                    && !DOES_NOTHING.is_match(words)
                    && !AFFIRMS.is_match(words)
                    && !REFUSES.is_match(words)
                {
                    self.drafts[at].reason = reason_text(words);
                }
            }
        }
    }
}

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
cue!(MOVED_TRIP, r"~(?:flight|trip|departure|journey|travel|train|booking)~|航班|机票|行程|出发");

fn takes_reason(kind: K) -> bool {
    matches!(
        kind,
        K::Decision | K::Change | K::Preference | K::Plan | K::Result | K::Habit | K::Constraint
    )
}

fn reason_text(words: &str) -> Option<String> {
    let words = words.trim().trim_end_matches(['.', ',', '。', '，', '!', '！', ';', '；']);
    let start = BECAUSE_CLAUSE.find(words).map_or(0, |m| m.end());
    let words = words[start..].trim();
    (words.chars().count() > 2).then(|| words.chars().take(200).collect())
}

fn reason_in(words: &str) -> Option<String> {
    BECAUSE.find(words).and_then(|m| reason_text(&words[m.end()..]))
}

fn refusal_reason(words: &str) -> Option<String> {
    let rest = words.split_once([',', '，', '.', ';', ':', '—']).map(|(_, rest)| rest)?;
    reason_text(rest)
}

fn same_date(occurrence: &Occurrence, times: &[crate::extract::dates::TimeMention]) -> bool {
    occurrence.local_from.is_some()
        && times.iter().any(|t| t.occurrence.local_from == occurrence.local_from)
}

/// Turns a confirmed question into the statement it asks about; returns where that begins in it.
fn as_statement(question: &str) -> (usize, String) {
    let Some(c) = OFFER.captures(question) else {
        return (0, question.to_owned());
    };
    let rest = &question[c[0].len()..];
    let head = c["h"].to_lowercase();
    let words = if head.contains(" i") || head.contains("me") || head == "要我" {
        rest.to_owned()
    } else if head.starts_with("so ") {
        return (0, question.to_owned());
    } else {
        format!("let's {rest}")
    };
    (c[0].len(), words)
}

fn moved_claims(old: &[crate::model::Claim], occurred: &Occurrence) -> Vec<crate::model::Claim> {
    old.iter()
        .filter_map(|claim| {
            let day = match claim.property.as_str() {
                "start_date" | "date" => occurred.local_from,
                "end_date" => occurred.local_to,
                _ => None,
            }?;
            Some(crate::model::Claim { value: ClaimValue::Date(day), ..claim.clone() })
        })
        .collect()
}
