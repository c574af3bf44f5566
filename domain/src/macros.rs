//! What every pipeline declares alike.

/// Declares the stages of a pipeline as a closed set, in their order: each has a name, in small letters with `_` between words, and `NAMES`
/// and `ALL` have them in that order. The crate that uses it depends on `strum`.
#[macro_export]
macro_rules! stages {
    ($(#[$meta:meta])* $vis:vis enum $Stage:ident { $($stages:tt)* }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::EnumCount, strum::EnumString, strum::IntoStaticStr,
            strum::VariantArray, strum::VariantNames,
        )]
        #[strum(serialize_all = "snake_case")]
        $vis enum $Stage { $($stages)* }

        /// The names of all stages, in their order.
        $vis const NAMES: &[&str] = <$Stage as strum::VariantNames>::VARIANTS;

        impl $Stage {
            $vis const ALL: [Self; <Self as strum::EnumCount>::COUNT] =
                *<Self as strum::VariantArray>::VARIANTS.first_chunk().expect("all of them");

            $vis fn named(name: &str) -> Option<Self> {
                name.parse().ok()
            }

            $vis fn name(self) -> &'static str {
                self.into()
            }
        }
    };
}

/// What was learned from the folder `messages/` of a pipeline, whose path from the file that says this is given; see
/// [`Learned::of`](crate::understanding::rules::Learned::of).
#[macro_export]
macro_rules! learned {
    ($folder:literal) => {
        std::sync::LazyLock::new(|| {
            $crate::understanding::rules::Learned::of(
                include_bytes!(concat!($folder, "/intent.head")),
                include_str!(concat!($folder, "/synonyms.tsv")),
                include_str!(concat!($folder, "/stages.tsv")),
            )
        })
    };
}
