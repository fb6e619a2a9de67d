# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of the command line share. Most of them run in every "way" there is: as root with
# every layer, and as an ordinary user without a cgroup. In the short form the ways take turns: each
# test runs in one of them. `box WAY ARG...` runs cordon and leaves $status, $T/out and $T/err;
# `holds EXPRESSION` looks at the JSON value in $T/out as `r`, in Python. Everything is made below $T,
# which is removed after the test.

bats_require_minimum_version 1.5.0

is_root() { [ "$EUID" -eq 0 ]; }
need_root() { is_root || skip "needs root"; }
# For a test that writes to /etc/cordon: tests/own-etc gives it one that is empty.
need_etc()
{
	need_root
	[ -n "${OWN_ETC:-}" ] || { echo "run this file as tests/run does: tests/own-etc bats FILE" >&2; return 1; }
}
# What every test of a file needs: the file has a `needs` of its own. A skip in setup_file is no skip
# but an error of bats.
needs() { :; }

# bats keeps the place of each command before it runs, which took a third of the time of these tests. An error has
# its place when it occurs.
failed_here() { bats_capture_stack_trace; bats_error_trap; }

setup()
{
	trap - DEBUG
	trap failed_here ERR
	TOP=${CORDON_TOP:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
	BUILD=${CORDON_BUILD:-$TOP/build}
	TEST_UID=${TEST_UID:-61000}
	# They are the tests' own: to the program they look like its variables, misspelt.
	unset CORDON_TOP CORDON_BUILD
	umask 022
	[ -z "${OWN_ETC:-}" ] || empty_etc
	T=$(mktemp -d /tmp/cli-test.XXXXXX)
	[ -d "$BATS_FILE_TMPDIR/new" ] || new_directory "$BATS_FILE_TMPDIR/new"
	cp -a "$BATS_FILE_TMPDIR/new/." "$T"
	export XDG_DATA_HOME=$T/data XDG_STATE_HOME=$T/state XDG_CONFIG_HOME=$T/config HOME=$T/home
	# Compiled rules are shared with other tests of the same account: see own_cache.
	export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$T/cache}
	USER_CACHE=${USER_CACHE:-$T/as-user/cache}
	CORDON=${CORDON:-$BUILD/cordon}
	HARMLESS=$TOP/tests/cli/harmless
	IN=/dev/null
	WAYS='user:no-cgroup'
	! is_root || take_turns WAYS root:full user:no-cgroup
	cd "$T" || return 1
	needs
}

teardown()
{
	cd /
	rm -rf --one-file-system "$T"
}

empty_etc()
{
	! compgen -G '/etc/cordon/*' && ! compgen -G '/etc/cordon/.[!.]*' || find /etc/cordon -mindepth 1 -delete
} >/dev/null

# new_directory DIR: the $T of a new test. It is made once for each file, and copied.
new_directory()
{
	mkdir -p "$1/as-user" "$1/home"
	seed_state "$EUID" "$1/state"
	is_root || return 0
	seed_state "$TEST_UID" "$1/as-user/state"
	chown "$TEST_UID" "$1/as-user"
}

# seed_state OWNER DIR: a state directory whose key fits the shared cache.
seed_state()
{
	[ -n "${CACHE_KEY:-}" ] || return 0
	install -d -m 700 -o "$1" -g "$1" "$2" "$2/cordon"
	install -m 600 -o "$1" -g "$1" "$CACHE_KEY" "$2/cordon/cache.key"
}

# take_turns NAME WORD...: the variable becomes all words with TEST_MORE=1. In the short form it becomes one
# of them: the tests of a file take turns.
take_turns()
{
	local -n turn=$1
	shift
	turn=$*
	[ -n "${TEST_MORE:-}" ] || turn=${@:BATS_TEST_NUMBER % $# + 1:1}
}

# sample EVERY WORD...: all words with TEST_MORE=1. In the short form: the first, and each EVERYth after it.
sample()
{
	local every=$1 i
	shift
	[ -z "${TEST_MORE:-}" ] || every=1
	for ((i = 1; i <= $#; i += every)); do
		echo "${!i}"
	done
}

# For a test that changes the programs or the built-in rules: copies of its own, in $T.
own_programs()
{
	[ "$CORDON" != "$T/bin/cordon" ] || return 0
	mkdir -p "$T/bin" "$T/share/cordon"
	cp "$(dirname "$CORDON")"/cordon{,-box,-keeper,-probe,-egress,-notify} "$T/bin/"
	cp -r "$TOP/rules" "$T/share/cordon/"
	CORDON=$T/bin/cordon
}

# For a test that is about the cache, or uses many packs of rules: a cache of its own.
own_cache()
{
	export XDG_CACHE_HOME=$T/cache
	USER_CACHE=$T/as-user/cache
}

# as WHO COMMAND...
as()
{
	local who=$1
	shift
	if [ "$who" = user ] && is_root; then
		XDG_STATE_HOME=$T/as-user/state XDG_CACHE_HOME=$USER_CACHE \
			setpriv --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups "$@"
	else
		"$@"
	fi
}

# box WAY ARG...: cordon run with the way's user and tier, as code that the user typed.
box()
{
	local who=${1%%:*} tier=${1#*:}
	WAY=$1
	shift
	status=0
	as "$who" timeout 60 "$CORDON" run --user --tier "$tier" "$@" <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

# trust WHO DIR [STATE]: that account's person trusts the directory, at a terminal; in another $XDG_STATE_HOME.
trust()
{
	as "$1" ${3:+env XDG_STATE_HOME="$3"} script -qec "'$CORDON' trust '$2'" /dev/null <<<yes >"$T/trusted" ||
		{ cat "$T/trusted"; return 1; }
}

# every CHECK: the function, once per way. Not as part of a condition: that would turn off the
# shell's stopping at the first failure.
every()
{
	local way
	for way in $WAYS; do
		"$1" "$way"
	done
}

show()
{
	echo "status $status in ${WAY:-no} way"
	head -c 3000 "$T/out"
	echo
	head -c 2000 "$T/err"
	return 1
}

exits() { [ "$status" -eq "$1" ] || { echo "expected exit status $1"; show; }; }
out_is() { [ "$(cat "$T/out")" = "$1" ] || { echo "expected output: $1"; show; }; }
out_has() { grep -qF -- "$1" "$T/out" || { echo "expected in the output: $1"; show; }; }
err_has() { grep -qF -- "$1" "$T/err" || { echo "expected on stderr: $1"; show; }; }

# holds EXPRESSION...: each is true of the one JSON value that was printed; member EXPRESSION prints its value.
holds() { /usr/bin/python3 -IS "$TOP/tests/cli/holds.py" "$T/out" "$@" || show; }
member() { /usr/bin/python3 -IS "$TOP/tests/cli/holds.py" --print "$T/out" "$1"; }

# A program that reads all this from its standard input ($MUCH bytes, more than any pipe holds) has
# begun when `much` ends: no clock is needed, and no output, which --json keeps to the end.
MUCH=2000000
much() { head -c $MUCH /dev/zero; }

# code NAME: standard input becomes the file.
code() { cat >"$T/$1"; }

# runs FILE TEXT [OPTION...]: in every way it exits with 0 and prints TEXT.
runs()
{
	local file=$1 text=$2 way
	shift 2
	for way in $WAYS; do
		box "$way" "$@" "$T/$file"
		exits 0
		out_is "$text"
	done
}
