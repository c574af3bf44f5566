//! Joins several rankings into one, using only the places, since scores of different kinds cannot be compared.

use std::collections::BTreeMap;

/// The constant of reciprocal rank fusion, to which each place is added: the higher it is, the smaller the advantage of the first places.
const RRF_K: f64 = 60.0;

/// The weight of a place in a ranking, counted from 1.
pub(super) fn weight_of(place: u32) -> f64 {
    1.0 / (RRF_K + f64::from(place))
}

/// The entries of all these rankings, each of which has the best first: an entry that is high in several rankings comes before one that is
/// as high in only one. Entries of equal weight are in the order of the first ranking that has them.
pub(crate) fn fused<T: Clone + Ord>(rankings: &[Vec<T>]) -> Vec<T> {
    let mut weights: BTreeMap<&T, (f64, usize)> = BTreeMap::new();
    let mut known = 0;
    for ranking in rankings {
        for (it, place) in ranking.iter().zip(1_u32..) {
            let (weight, _) = weights.entry(it).or_insert((0.0, known));
            *weight += weight_of(place);
            known += 1;
        }
    }
    let mut all: Vec<(&T, (f64, usize))> = weights.into_iter().collect();
    all.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    all.into_iter().map(|(it, _)| it.clone()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_two_rankings_have_goes_first() {
        let both = fused(&[vec!["a", "b", "c"], vec!["c", "d"]]);
        assert_eq!(both, ["c", "a", "b", "d"]);
    }

    proptest! {
        #[test]
        fn one_ranking_stays_as_it_is_and_nothing_is_lost(
            one in proptest::collection::vec(0_u32..50, 0..20),
            other in proptest::collection::vec(0_u32..50, 0..20),
        ) {
            let unique = |all: Vec<u32>| {
                let mut known = std::collections::BTreeSet::new();
                all.into_iter().filter(|it| known.insert(*it)).collect::<Vec<_>>()
            };
            let (one, other) = (unique(one), unique(other));
            prop_assert_eq!(fused(&[one.clone(), vec![]]), one.clone());
            let mut both = fused(&[one.clone(), other.clone()]);
            let mut all = unique([one, other].concat());
            both.sort_unstable();
            all.sort_unstable();
            prop_assert_eq!(both, all);
        }
    }
}
