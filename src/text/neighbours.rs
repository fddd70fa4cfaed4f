//! The words beside a message.

/// How much of one neighbour is taken, in characters: what stands nearest to the message. Long
/// answers would drown it otherwise.
const MAX_NEIGHBOUR_CHARS: usize = 600;

/// Puts together what stands beside the message at `place` in its thread: the texts for
/// [`super::Doc::context`] and [`super::Doc::around`].
///
/// A turn is often found by the words beside it: "A sunrise over the bay" answers "What did you
/// paint?". The messages right before and after are context; a question that the message answers
/// counts twice. Two more before and one more after are around it. With `texts` the messages of
/// the thread in order, only the three before and the two after `place` are looked at, so a new
/// message changes what stands beside at most three others.
pub fn words_beside(texts: &[&str], place: usize) -> (String, String) {
    let Some(own) = texts.get(place) else { return (String::new(), String::new()) };
    let before =
        |back: usize| place.checked_sub(back).map(|at| last_chars(texts[at])).unwrap_or_default();
    let after =
        |ahead: usize| texts.get(place + ahead).map(|text| first_chars(text)).unwrap_or_default();
    let asked = if asks(before(1)) && !asks(own) { before(1) } else { "" };
    let join = |parts: [&str; 3]| {
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    };
    (join([before(1), asked, after(1)]), join([before(3), before(2), after(2)]))
}

fn asks(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？'])
}

fn first_chars(text: &str) -> &str {
    text.char_indices().nth(MAX_NEIGHBOUR_CHARS).map_or(text, |(end, _)| &text[..end])
}

fn last_chars(text: &str) -> &str {
    match text.char_indices().rev().nth(MAX_NEIGHBOUR_CHARS) {
        Some((start, c)) => &text[start + c.len_utf8()..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_messages_are_context_and_a_question_counts_twice() {
        let texts = ["a", "b", "c", "what?", "answer", "d", "e", "f"];
        let beside = words_beside(&texts, 4);
        assert_eq!(beside, ("what?\nwhat?\nd".to_owned(), "b\nc\ne".to_owned()));
        assert_eq!(words_beside(&texts, 0), ("b".to_owned(), "c".to_owned()));
        assert_eq!(words_beside(&texts, 7), ("e".to_owned(), "answer\nd".to_owned()));
        assert_eq!(words_beside(&texts, 8), (String::new(), String::new()));
    }

    #[test]
    fn of_long_neighbours_the_near_end_is_taken() {
        let long = format!("{}近", "远".repeat(2_000));
        let texts = [long.as_str(), "own", long.as_str()];
        let (context, _) = words_beside(&texts, 1);
        let (before, after) = context.split_once('\n').unwrap();
        assert!(before.ends_with('近') && before.chars().count() == MAX_NEIGHBOUR_CHARS);
        assert!(!after.contains('近') && after.chars().count() == MAX_NEIGHBOUR_CHARS);
    }
}
