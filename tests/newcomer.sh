#!/usr/bin/env bash
# What a newcomer does: a clone, nothing but Rust and the usual small programs, an empty home; the commands of the README, one after
# the other, in the clone. Standard output must be what the README prints.
#
#   tests/newcomer.sh             installs the program by the README's own command: minutes
#   tests/newcomer.sh PROGRAM     takes this program instead of installing one: seconds
#
# Commands are the lines that begin with `$ ` in ```console blocks, their output the lines that follow. Uncommitted changes of tracked
# files are part of what is tried.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:+$(realpath "$1")}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/home" "$place/bin" "$place/tmp"

# The clone, and what is changed in it and not committed.
git clone --quiet --no-hardlinks "$root" "$place/clone"
git -C "$root" diff --binary HEAD | git -C "$place/clone" apply --allow-empty
if grep -q '^\[\[patch\]\]\|^path = "/' "$place/clone/Cargo.toml"; then
    echo "Cargo.toml names places of this machine" >&2
    exit 1
fi

# Small programs by name, so that nothing else of this machine is found; a linker, which Rust needs too.
for tool in bash sh env cat ls rm mkdir cp mv head tail sort uniq wc tr cut sed grep awk diff tee touch uname dirname basename \
    realpath mktemp chmod gzip cc ld as ar; do
    if found=$(command -v "$tool"); then ln -s "$found" "$place/bin/$tool"; fi
done
for tool in cargo rustc rustup; do
    if found=$(command -v "$tool"); then ln -s "$found" "$place/bin/$tool"; fi
done
installed="$place/home/.cargo/bin"
mkdir -p "$installed"
if [ -n "$program" ]; then ln -s "$program" "$installed/blackfield"; fi

# An empty environment. Cargo's downloads and Rust's toolchains stay where they are; what cargo installs goes into the empty home.
newcomer() {
    (cd "$place/clone" && env -i PATH="$installed:$place/bin" HOME="$place/home" TMPDIR="$place/tmp" LC_ALL=C.UTF-8 \
        CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" \
        CARGO_INSTALL_ROOT="$place/home/.cargo" CARGO_TERM_QUIET=true ${CARGO_TARGET_DIR:+CARGO_TARGET_DIR="$CARGO_TARGET_DIR"} \
        bash -c "$1")
}

tried=0
failed=0
command=
expected="$place/expected"
# Runs the command read last, and compares.
finish() {
    [ -n "$command" ] || return 0
    local now=$command
    command=
    if [ -n "$program" ] && [[ $now == "cargo install"* ]]; then
        echo "skipped: $now"
        return 0
    fi
    tried=$((tried + 1))
    echo "\$ $now"
    if ! newcomer "$now" >"$place/output" 2>"$place/told"; then
        echo "it fails:"
        cat "$place/told"
        failed=$((failed + 1))
    elif ! diff -u "$expected" "$place/output"; then
        echo "the README (-) says otherwise than the program (+)"
        failed=$((failed + 1))
    fi
}

inside=no
while IFS= read -r line; do
    case $line in
    '```console') inside=yes ;;
    '```'*)
        if [ "$inside" = yes ]; then finish; fi
        inside=no
        ;;
    '$ '*)
        if [ "$inside" = yes ]; then
            finish
            command=${line#\$ }
            : >"$expected"
        fi
        ;;
    *)
        if [ "$inside" = yes ] && [ -n "$command" ]; then printf '%s\n' "$line" >>"$expected"; fi
        ;;
    esac
done <"$place/clone/README.md"

# Files of the clone that the README shows or points to.
for link in $(grep -o '](\([^)#]*\)' "$place/clone/README.md" | cut -c3- | grep -v '^http' | sort -u); do
    if [ ! -e "$place/clone/$link" ]; then
        echo "README.md points to $link, which is not there"
        failed=$((failed + 1))
    fi
done

echo "$tried commands of the README tried, $failed failures"
# No command at all would be a mistake of this script.
[ "$failed" -eq 0 ] && [ "$tried" -ge 5 ]
