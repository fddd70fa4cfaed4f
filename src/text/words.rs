//! Function words: words that steer a question but name nothing.
//!
//! They are indexed like every other word and still count in the ranking, where their frequency
//! keeps them light. The lists only decide whether a document *matched* something the query is
//! about: in a small store frequencies say too little for that.

use super::script::is_hiragana;
use std::collections::HashSet;
use std::sync::LazyLock;

/// English grammar words and the verbs of asking ("do you remember what I told you about …").
const ENGLISH: &str = "a about actually after again against ago all already also always am among an and \
    another any anybody anyone anything are around as ask asked at away back be because been \
    before being below between both but by can cannot consider considered could did discuss discussed do does doing \
    done down during each either else ever every everything explain few find for from further get \
    gets getting give given go goes going gone gonna got had has have having he hello help her \
    here hers herself hey hi him himself his how however i if in into is it its itself just kind \
    know known last let like likely list made make many may maybe me mean mention mentioned might mine \
    more most much must my myself need neither never next no none nor not nothing now of off often \
    oh ok okay on once one only or other others our ours out over own per perhaps please \
    possible possibly probably quite rather really recall regarding remember remind said same say says \
    see seem shall she should show since so some somebody someone something soon sort still \
    such sure talk talked tell than thank thanks that the their theirs them themselves then there \
    these they thing things think this those thought through to today told too toward towards \
    under until up upon us use used uses using very want wanted was we well went were what whatever \
    when where whether which while who whom whose why will with within without would yes yet you \
    your yours yourself hers s t re ve ll d m";

/// Grammar words of other languages that share letters with English; a list counts only when a
/// query is written in that language.
const FOREIGN: [&str; 4] = [
    "le la les un une des du de et est sont je tu il elle nous vous ils elles que qui quoi quel \
     quelle comment pourquoi quand où dans pour avec sur pas ne au aux ce cette ces mon ma mes ton \
     son sa ses notre votre en y a ont fait faire être avoir plus par ou si",
    "der die das den dem des ein eine einen einem einer und ist sind ich du er sie es wir ihr was \
     wer wie warum wann wo in im für mit auf nicht kein keine zu zum zur von vom an am bei als \
     auch man hat haben wird werden wurde kann machen dass oder wenn",
    "el la los las un una unos unas de del y es son yo tú él ella nosotros que qué quien quién cómo \
     por qué cuándo dónde en para con sin no se al lo su sus mi mis tu tus está están ha han hacer \
     fue ser más o si cuál",
    "o a os as um uma de do da dos das e é são eu ele ela nós que quem como porque quando onde em \
     no na para com não se ao seu sua meu minha está foi ser fazer mais ou qual",
];

/// Chinese function words, longest first where one begins with another.
const CHINESE: &str = "什么时候 为什么 怎么样 怎么办 是什么 有没有 是不是 能不能 可不可以 告诉我 还记得 \
    什么 怎么 怎样 如何 为何 哪里 哪儿 哪个 哪些 哪天 哪一天 多少 几个 是否 请问 帮我 一下 一个 这个 那个 这些 \
    那些 我们 你们 他们 她们 咱们 自己 可以 没有 不是 就是 还是 关于 对于 以及 因为 所以 如果 但是 记得 说过 \
    告诉 知道 提到 谈过 聊过 有关 之前 以前 上次 现在 今天 我 你 您 他 她 它 的 了 吗 呢 吧 啊 呀 嘛 么 谁 是 \
    在 和 与 或 把 被 从 这 那 哪 有 没 不 也 都 就 还 很 又 再 要 会 能 请 几 说 問 问 個 嗎 麼 這 沒 們 为 對 对 \
    什麼 怎麼 為什麼 哪裡 哪裏 誰 還 從 與 會 說 為";

/// Japanese particles, endings and question words; each counts only as a whole run of hiragana.
const JAPANESE: &str = "は が を に で と も の へ や か ね よ な から まで より です ます でした ました ません \
    した して している しています する される された という について とは には では への での からの なに なん どこ \
    いつ だれ どう どれ どの なぜ どうして どうやって ですか ますか ましたか でしたか ください これ それ あれ この その \
    って だった である のは のが のを たい";
/// Japanese question words written with Han.
const JAPANESE_HAN: &str = "何 誰 何時 何処";

/// Korean question words and fillers; each counts as a whole run.
const KOREAN: &str = "뭐 무엇 무슨 어떻게 언제 누구 누가 왜 어디 어디서 어느 그 이 저 나 너 우리 는 은 를 을 의 에 \
    에서 와 과 도 것 수 좀 더 내가 나의 그리고 무엇을 뭘 했어 했나요 인가요 입니까 있나요";

fn set(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

static ENGLISH_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(ENGLISH));
static FOREIGN_SETS: LazyLock<Vec<HashSet<&str>>> =
    LazyLock::new(|| FOREIGN.into_iter().map(set).collect());
static JAPANESE_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(JAPANESE));
static KOREAN_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(KOREAN));
static HAN_SET: LazyLock<HashSet<&str>> =
    LazyLock::new(|| CHINESE.split_whitespace().chain(JAPANESE_HAN.split_whitespace()).collect());
static LONGEST_HAN: LazyLock<usize> =
    LazyLock::new(|| HAN_SET.iter().map(|word| word.chars().count()).max().unwrap_or(1));

/// The function words that hold for one query.
pub(super) struct FunctionWords {
    foreign: Option<usize>,
}

impl FunctionWords {
    /// Chooses the lists by the words of a query: English always, another language when at least
    /// two of its grammar words stand there and more than English ones.
    pub(super) fn for_words<'a>(words: &(impl Iterator<Item = &'a str> + Clone)) -> Self {
        let english = words.clone().filter(|word| ENGLISH_SET.contains(word)).count();
        let foreign = FOREIGN_SETS
            .iter()
            .enumerate()
            .map(|(index, set)| (words.clone().filter(|word| set.contains(word)).count(), index))
            .max_by_key(|(count, index)| (*count, std::cmp::Reverse(*index)))
            .filter(|(count, _)| *count >= 2 && *count > english)
            .map(|(_, index)| index);
        Self { foreign }
    }

    /// Says whether a folded word is a function word.
    pub(super) fn contains(&self, folded: &str) -> bool {
        ENGLISH_SET.contains(folded)
            || self.foreign.is_some_and(|index| FOREIGN_SETS[index].contains(folded))
    }
}

/// Splits an unspaced run at its function words; returns the content stretches as index ranges.
pub(super) fn content_stretches(chars: &[char]) -> Vec<std::ops::Range<usize>> {
    let whole: String = chars.iter().collect();
    if KOREAN_SET.contains(whole.as_str()) {
        return Vec::new();
    }
    let mut stretches = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < chars.len() {
        let width = function_width(chars, at);
        if width == 0 {
            at += 1;
            continue;
        }
        if start < at {
            stretches.push(start..at);
        }
        at += width;
        start = at;
    }
    if start < chars.len() {
        stretches.push(start..chars.len());
    }
    stretches
}

/// Returns the length of the function word that begins here; 0 when none does.
fn function_width(chars: &[char], at: usize) -> usize {
    if is_hiragana(chars[at]) {
        if at > 0 && is_hiragana(chars[at - 1]) {
            return 0;
        }
        let run = chars[at..].iter().take_while(|c| is_hiragana(**c)).count();
        let word: String = chars[at..at + run].iter().collect();
        return if JAPANESE_SET.contains(word.as_str()) { run } else { 0 };
    }
    let longest = (*LONGEST_HAN).min(chars.len() - at);
    (1..=longest)
        .rev()
        .find(|width| {
            let word: String = chars[at..at + width].iter().collect();
            HAN_SET.contains(word.as_str())
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        content_stretches(&chars).into_iter().map(|range| chars[range].iter().collect()).collect()
    }

    #[test]
    fn chinese_questions_leave_their_content() {
        assert_eq!(stretches("我们为什么换成接龙"), ["换成接龙"]);
        assert_eq!(stretches("怎么做面包"), ["做面包"]);
        assert_eq!(stretches("什么时候"), Vec::<String>::new());
        assert_eq!(stretches("我的猫"), ["猫"]);
    }

    #[test]
    fn japanese_particles_part_words_but_not_words_of_hiragana() {
        assert_eq!(stretches("東京に行く"), ["東京", "行く"]);
        assert_eq!(stretches("しりとり"), ["しりとり"]);
    }

    #[test]
    fn a_foreign_list_needs_two_witnesses() {
        let words = ["comment", "on", "the", "patch"];
        assert!(!FunctionWords::for_words(&words.into_iter()).contains("comment"));
        let words = ["comment", "faire", "du", "pain"];
        let chosen = FunctionWords::for_words(&words.into_iter());
        assert!(chosen.contains("comment") && !chosen.contains("pain"));
    }
}
