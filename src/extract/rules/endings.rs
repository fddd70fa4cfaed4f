//! Clauses that say that something is over: "no longer", "not … any more", 不再, 不…了.
//!
//! What such a clause ends is what the same clause without its denial would state, so it is read in
//! that form and its claims are turned round.

use super::text::cue;
use crate::model::{Claim, ClaimOp, ClaimValue};

cue!(
    /// Something that held is over. Only verbs of lasting states: "it doesn't crash any more" ends
    /// nothing that is kept.
    ENDED,
    r"~no longer~|~(?:don't|doesn't|do not|does not|isn't|aren't|wasn't|(?:is|are|am|'m|'re|'s) not|not)~ (?:\w+ )??(?:us(?:e|ing)|work(?:ing)?|liv(?:e|ing)|own(?:ing)?|have|having|need|run(?:ning)?|support(?:ing)?|depend(?:ing)?|rely|manag(?:e|ing)|lead(?:ing)?|handl(?:e|ing)|maintain(?:ing)?|stud(?:y|ying)|speak|like|love|enjoy|on|in|at|with|the|a|an|my|our|owner|responsible|in charge|allergic|vegan|vegetarian|married|based|hosted|(?-i:[A-Z])[\w]*)~.*~(?:any ?more|any longer)[.!]?$|~(?:use|uses|using|work|live|own|owns|need|support) .{2,40} no more[.!]?$|(?:再也不|不再|别再|不要再|没再)(?:使用|用|住|在|负责|管|带|维护|接管|主管|喜欢|爱|养|是|当|属于|吃素|对|支持|依赖|需要|由|归)|(?:^|[^是])不(?:使用|用|住|在|负责|管|带|维护|喜欢|爱|养|是|当|属于|吃素|对|支持|依赖|需要|由|归)[^,，。]{1,14}了$|不吃素了$"
);

/// Whether a clause says that something is over.
pub(super) fn is_ending(text: &str) -> bool {
    // "We can no longer deploy on Fridays" makes a rule, it ends no state.
    ENDED.is_match(text) && !MAY_NOT.is_match(text)
}

cue!(MAY_NOT, r"~(?:can|could|may|must|should) no longer~");

cue!(
    ENGLISH_DENIAL,
    r"~(?:no longer|(?:do|does|did)(?: not|n't)) |~(?P<be>is|are|am|was|were)(?: not|n't)~|(?P<short>'(?:m|re|s)) (?:not|no longer)~|,? ?~(?:any ?more|any longer|no more)~"
);
cue!(HAN_DENIAL, r"再也不|不再|别再|不要再|没再|(?:不)(?P<v>[\p{Han}])|了$");

/// The clause without its denial: what held until now.
pub(super) fn affirmed(text: &str) -> String {
    if text.chars().any(super::text::is_han) {
        let plain = HAN_DENIAL.replace_all(text, "$v");
        return plain.trim().to_owned();
    }
    let plain = ENGLISH_DENIAL.replace_all(text, "$be$short");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Turns what the affirmed clause states into what is over.
pub(super) fn turned_round(claims: Vec<Claim>) -> Vec<Claim> {
    // Who is no longer its manager may still work there.
    let role = claims.iter().any(|claim| claim.property == "role");
    let passing =
        ["date", "start_date", "end_date", "deadline", "budget", "constraint", "birthday"];
    let lasting = |claim: &Claim| {
        let kept_anyway = role && claim.property == "employer";
        !passing.contains(&claim.property.as_str()) && !kept_anyway
    };
    claims
        .into_iter()
        .filter(|claim| claim.op == ClaimOp::Assert && lasting(claim))
        .map(|claim| Claim {
            op: ClaimOp::End,
            // A habit was told in other words than it ends in.
            value: if claim.property == "habit" { ClaimValue::Any } else { claim.value },
            valid: claim.valid.filter(|valid| valid.local_from.is_some()),
            ..claim
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_read_without_its_denial() {
        for (text, expected) in [
            ("Kim is no longer the owner of atlas", "Kim is the owner of atlas"),
            ("I don't own the canoe anymore", "I own the canoe"),
            ("I'm not on npm any more", "I'm on npm"),
            ("The API no longer depends on Redis", "The API depends on Redis"),
            ("We use yarn no more", "We use yarn"),
            ("不再用npm", "用npm"),
            ("王芳不负责支付模块了", "王芳负责支付模块"),
        ] {
            assert!(is_ending(text), "{text}");
            assert_eq!(affirmed(text), expected);
        }
        for text in
            ["It doesn't crash anymore", "咖啡不加糖了", "We never used Oracle", "我不知道了"]
        {
            assert!(!is_ending(text), "{text}");
        }
    }
}
