//! The ranking: its formula and every constant of it.
//!
//! A query is a list of units (words, identifiers, bigrams, date keys). For unit *u* and document
//! *d*
//!
//! ```text
//! tf(u,d)    = sum over fields f of  w_f * tf_f / (1 - b_f + b_f * len_f / avg_f)
//! score(u,d) = weight_u * idf_u * (k1 + 1) * tf / (k1 + tf)
//! idf_u      = ln(1 + (N - n_u + 0.5) / (n_u + 0.5))
//! score(d)   = (sum of score(u,d) + nearness(d)) * (1 + speaker + date + asked - question)
//! ```
//!
//! `avg_f` is the mean length among documents of the same kind, so that long Blocks do not make
//! every message look short. `nearness` adds to pairs of query words that stand close together.

use super::schema::Part;

/// The constants of the ranking. The default is what the product uses; evaluation varies them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Saturation of a repeated word.
    pub k1: f32,
    /// Weights of the fields, in the order of [`Part::ALL`]; `exact` is a unit of its own.
    pub field_weights: [f32; 9],
    /// How much a field's length counts, in the same order.
    pub length_shares: [f32; 9],
    /// Weight of the exact form of a word beside its stem.
    pub exact_weight: f32,
    /// Weight of a longer form (`maxtokens`) beside its pieces.
    pub whole_weight: f32,
    /// Weight of function words.
    pub function_weight: f32,
    /// Weight of a date key.
    pub date_weight: f32,
    /// Weight of a speaker's name where it stands in the text.
    pub speaker_word_weight: f32,
    /// Share added when the query names the document's speaker.
    pub speaker_bonus: f32,
    /// Share added when the document is from the day or month asked for, fading with distance.
    pub date_bonus: f32,
    /// Share added when a time or number is asked for and the text holds one.
    pub asked_bonus: f32,
    /// Share taken from a text that only asks.
    pub question_malus: f32,
    /// Weight of nearness.
    pub nearness_weight: f32,
    /// The share of the query's content, weighed by idf, that a hit must hold at least.
    pub min_coverage: f32,
    /// How much that share rises with the share of the query's content that no document holds: a
    /// query mostly about unknown things is not answered by one chance word.
    pub unknown_rise: f32,
    /// The share of unknown content from which it rises; it has risen at 0.15 more.
    pub unknown_from: f32,
    /// Credit of a content word that only stands beside the document.
    pub context_credit: f32,
}

impl Default for Ranking {
    fn default() -> Self {
        let mut field_weights = [1.0; 9];
        field_weights[Part::Title as usize] = 1.5;
        field_weights[Part::Names as usize] = 0.6;
        field_weights[Part::Speaker as usize] = 0.0;
        field_weights[Part::Date as usize] = 0.5;
        field_weights[Part::Context as usize] = 0.5;
        field_weights[Part::Around as usize] = 0.2;
        let mut length_shares = [0.4; 9];
        length_shares[Part::Context as usize] = 0.7;
        length_shares[Part::Around as usize] = 0.7;
        length_shares[Part::Speaker as usize] = 0.0;
        length_shares[Part::Date as usize] = 0.0;
        Self {
            k1: 0.9,
            field_weights,
            length_shares,
            exact_weight: 0.05,
            whole_weight: 0.8,
            function_weight: 0.1,
            date_weight: 1.0,
            speaker_word_weight: 0.5,
            speaker_bonus: 0.5,
            date_bonus: 0.5,
            asked_bonus: 0.2,
            question_malus: 0.3,
            nearness_weight: 0.15,
            min_coverage: 0.1,
            unknown_rise: 0.3,
            unknown_from: 0.55,
            context_credit: 0.5,
        }
    }
}

impl Ranking {
    /// Returns the weight of rarity: high for a word that few documents hold, never negative.
    pub(super) fn idf(docs: u64, holding: u64) -> f32 {
        let (docs, holding) = (docs as f32, holding.min(docs) as f32);
        (1.0 + (docs - holding + 0.5) / (holding + 0.5)).ln()
    }

    /// Returns how much a content word counts in deciding what matches: its rarity, smoothed as if
    /// a few dozen more documents were known, because in a small store frequencies say little and
    /// an unknown word is not much rarer than one that stands once.
    pub(super) fn importance(docs: u64, holding: u64) -> f32 {
        let (docs, holding) = (docs as f32, holding.min(docs) as f32);
        (1.0 + (docs - holding + 30.0) / (holding + 1.5)).ln()
    }

    /// Returns the normalised frequency of a word in one field.
    pub(super) fn field_frequency(&self, part: Part, freq: u32, len: u32, mean: f32) -> f32 {
        let weight = self.field_weights[part as usize];
        let share = self.length_shares[part as usize];
        weight * freq as f32 / (1.0 - share + share * len as f32 / mean.max(1.0))
    }

    /// Returns the saturated frequency.
    pub(super) fn saturate(&self, frequency: f32) -> f32 {
        (self.k1 + 1.0) * frequency / (self.k1 + frequency)
    }

    /// Returns the share added for a document `days` after the date asked for: talk about a day
    /// comes on it or within the next days, seldom before it.
    pub(super) fn date_share(&self, days: i64) -> f32 {
        let distance = days as f32;
        let near = if days >= 0 { (-distance / 5.0).exp() } else { 0.5 * (distance / 2.0).exp() };
        self.date_bonus * near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarity_never_turns_negative() {
        assert!(Ranking::idf(10, 10) > 0.0);
        assert!(Ranking::idf(10, 1) > Ranking::idf(10, 9));
        assert!(Ranking::idf(0, 0) > 0.0);
    }

    #[test]
    fn repetition_saturates_and_length_dilutes() {
        let ranking = Ranking::default();
        let one = ranking.saturate(ranking.field_frequency(Part::Body, 1, 10, 10.0));
        let many = ranking.saturate(ranking.field_frequency(Part::Body, 50, 10, 10.0));
        assert!(many > one && many < 2.5 * one);
        let diluted = ranking.saturate(ranking.field_frequency(Part::Body, 1, 100, 10.0));
        assert!(diluted < one);
    }

    #[test]
    fn a_day_fades_slower_afterwards_than_before() {
        let ranking = Ranking::default();
        assert!(ranking.date_share(0) > ranking.date_share(2));
        assert!(ranking.date_share(2) > ranking.date_share(-2));
    }
}
