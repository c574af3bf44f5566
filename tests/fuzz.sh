#!/bin/sh
# Fuzzes what reads bytes of others: streams of answers, structured answers, arguments of tools. Each target gets as many
# minutes as are given, one when nothing is. Needs a C++ compiler, and no other toolchain than that of the workspace: the flags
# below are what `cargo fuzz` passes to a nightly compiler, without the sanitizer, which safe code needs least.
#
#   tests/fuzz.sh [minutes] [target...]
#
# Inputs that add something are kept in target/fuzz/corpus/<target>; one that fails is written to target/fuzz/found/.
set -eu

minutes=${1:-1}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- stream structured arguments

# Inputs are as long as a short answer, and each is given seconds: reading takes microseconds, so a slow one is a finding.
length_max=4096
seconds_max=5

# A target of its own, so that build scripts are compiled without the flags.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="-Cpasses=sancov-module
    -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0"
RUSTFLAGS=$(echo "$RUSTFLAGS" | tr -s '\n ' ' ')
export RUSTFLAGS
cargo build --manifest-path tests/fuzz/Cargo.toml --release --target "$host" --target-dir target/fuzz

mkdir -p target/fuzz/found
for target in "$@"; do
    mkdir -p "target/fuzz/corpus/$target"
    "target/fuzz/$host/release/$target" \
        "target/fuzz/corpus/$target" "tests/fuzz/seeds/$target" \
        -max_total_time=$((minutes * 60)) -max_len=$length_max -timeout=$seconds_max \
        -artifact_prefix="target/fuzz/found/$target-" -print_final_stats=1
done
