//! What every pipeline declares alike.

/// Declares the stages of a pipeline as a closed set, in their order, each with its row ([`StageSpec`](crate::pipeline::StageSpec)).
/// `STAGES` has the rows; a stage stands for its own.
#[macro_export]
macro_rules! stages {
    ($(#[$meta:meta])* $vis:vis enum $Stage:ident { $($stage:ident = $row:expr,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $Stage { $($stage,)* }

        /// The rows of all stages, in their order.
        $vis static STAGES: [$crate::pipeline::StageSpec; $Stage::ALL.len()] = [$($row,)*];

        impl $Stage {
            $vis const ALL: [Self; [$(stringify!($stage)),*].len()] = [$(Self::$stage),*];

            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|stage| stage.name == name)
            }
        }

        impl std::ops::Deref for $Stage {
            type Target = $crate::pipeline::StageSpec;

            fn deref(&self) -> &Self::Target {
                &STAGES[*self as usize]
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
