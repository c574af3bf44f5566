# What contributors do every day. `just` lists it; CONTRIBUTING.md says more.

# The recipes
default:
    @just --list --unsorted

# The tests of one crate, such as `just test domain story::check`
test crate *names:
    cargo test -p palimpsest-{{ crate }} {{ names }}

# The tests of the built program, such as `just outside deck_changes`
outside *names:
    cargo test -p palimpsest-program --test palimpsest {{ names }}

# Everything that is checked before a change lands
check:
    .ci/run

# Golden files written anew; read what changed
golden:
    UPDATE_GOLDEN=1 cargo test --workspace golden
    UPDATE_DECKS=1 cargo test -p palimpsest-sdsl --test corpus
    INSTA_UPDATE=always cargo test -p palimpsest-projections -p palimpsest-report
    git diff --stat

# Lines of the program by folder, and how many of its functions have a name of one word
lines *folders:
    @python3 tests/lines.py {{ folders }}

# One scenario of the console in a browser, such as `just browser talk`; with `CONSOLE_PICTURES=<folder>`, pictures of every view
browser scenario browser="chromium":
    cargo build -p palimpsest-program --bins
    cd tests/clients && npm install --no-audit --no-fund --no-package-lock --silent
    cd tests/clients && node console.mjs ../../target/debug/palimpsest ../../target/debug/scripted-model "$(mktemp -d)" "$(command -v {{ browser }})" {{ scenario }}

# Where a bench spends its time, such as `just profile engine`: writes `perf.data`, and lists what takes longest
profile bench:
    CARGO_PROFILE_BENCH_DEBUG=line-tables-only cargo bench --bench palimpsest --no-run
    perf record -g -o perf.data "$(ls -t target/release/deps/palimpsest-* | grep -v '\.d$' | head -n 1)" --bench {{ bench }}
    perf report -i perf.data --no-children --stdio -g none | head -n 40
