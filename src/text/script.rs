//! Classes of characters, as the tokeniser sees them.

use unicode_normalization::char::is_combining_mark;

/// What a character is to the tokeniser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Belongs to a word that is set off by spaces or punctuation.
    Word,
    /// Belongs to a script written without spaces: cut into overlapping bigrams.
    Dense,
    /// A picture, searchable on its own.
    Emoji,
    /// Continues what stands before it: combining marks, joiners, variation selectors.
    Joiner,
    /// Parts words from one another.
    Gap,
}

/// Classifies one character of NFKC text.
pub(super) fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Class::Word } else { Class::Gap };
    }
    if is_dense(c) {
        Class::Dense
    } else if is_joiner(c) {
        Class::Joiner
    } else if is_emoji(c) {
        Class::Emoji
    } else if c.is_alphanumeric() {
        Class::Word
    } else if is_combining_mark(c) {
        Class::Joiner
    } else {
        Class::Gap
    }
}

/// Han, Kana, Bopomofo, Hangul, and the South-East Asian scripts without word spaces.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}'
        | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{3100}'..='\u{312F}'
        | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFD}'
        | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FB}'
        | '\u{0E01}'..='\u{0E3A}' | '\u{0E40}'..='\u{0E4E}' | '\u{0E81}'..='\u{0ECD}'
        | '\u{1000}'..='\u{103F}' | '\u{1780}'..='\u{17D3}')
}

/// Hiragana, in which Japanese writes its particles and endings.
pub(super) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}')
}

fn is_joiner(c: char) -> bool {
    matches!(c,
        '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{20E3}' | '\u{00AD}'
        | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0020}'..='\u{E007F}')
}

fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{231A}' | '\u{231B}' | '\u{23E9}'..='\u{23FA}' | '\u{2600}'..='\u{27BF}'
        | '\u{2B05}'..='\u{2B07}' | '\u{2B1B}' | '\u{2B1C}' | '\u{2B50}' | '\u{2B55}'
        | '\u{1F000}'..='\u{1FAFF}')
}

/// One half of a flag.
pub(super) fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_falls_into_its_class() {
        for (c, expected) in [
            ('a', Class::Word),
            ('9', Class::Word),
            ('é', Class::Word),
            ('ж', Class::Word),
            ('龙', Class::Dense),
            ('り', Class::Dense),
            ('ー', Class::Dense),
            ('끝', Class::Dense),
            ('ไ', Class::Dense),
            ('🎌', Class::Emoji),
            ('\u{200D}', Class::Joiner),
            ('\u{0301}', Class::Joiner),
            ('。', Class::Gap),
            ('・', Class::Gap),
            ('-', Class::Gap),
            ('\u{0}', Class::Gap),
        ] {
            assert_eq!(class(c), expected, "{c:?}");
        }
    }
}
