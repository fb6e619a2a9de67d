# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests of cordon box; a file loads helper and workspace before this. Every box ends with its test.

# live WAY VERB ARG...: cordon box in the workspace, as code that the user typed.
live()
{
	local who=${1%%:*} tier=${1#*:} verb=$2
	WAY=$1
	shift 2
	set -- "$verb" "$@"
	[ "$verb" != create ] || set -- "$@" --tier "$tier" --user
	case $verb in exec | cp | ls) set -- "$verb" --user "${@:2}" ;; esac
	status=0
	(cd "$W" && as "$who" timeout 60 "$CORDON" box "$@" <"$IN" >"$T/out" 2>"$T/err") || status=$?
}

# made WAY [OPTION...]: a new box in the workspace, in place of that of the way before.
made()
{
	live "$1" stop work
	live "$1" create work "${@:2}"
	exits 0
	out_is work
}

teardown()
{
	local who
	for who in root user; do
		as "$who" "$CORDON" box list --json >"$T/left" 2>/dev/null || continue
		for name in $(/usr/bin/python3 -c 'import json,sys; print(*[b["name"] for b in json.load(sys.stdin)["boxes"]])' <"$T/left"); do
			as "$who" timeout 30 "$CORDON" box stop "$name" >/dev/null 2>&1 || :
		done
	done
	cd /
	rm -rf --one-file-system "$T"
}

state_of() { # state_of WAY: the name, state and running of each box
	live "$1" list --json
	/usr/bin/python3 -c 'import json,sys
for b in json.load(open(sys.argv[1]))["boxes"]: print(b["name"], b["state"], b["running"])' "$T/out"
}

keeper_of() { # the keeper that has this test's state directory open
	local pid who=$1 state
	state=$([ "$who" = user ] && is_root && echo "$T/as-user/state/cordon" || echo "$T/state/cordon")
	for pid in $(pgrep -x cordon-keeper); do
		[ "$(readlink "/proc/$pid/fd/3")" != "$state" ] || echo "$pid"
	done
}

# below PID: all its descendants.
below()
{
	local child
	for child in $(pgrep -P "$1"); do
		echo "$child"
		below "$child"
	done
}

lives() { [[ -e /proc/$1/stat && $(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null) != [ZX] ]]; }
gone() { # gone PID...: none of them lives
	local pid i
	for ((i = 0; i < 100; i++)); do
		for pid; do ! lives "$pid" || { sleep 0.1; continue 2; }; done
		return
		sleep 0.1
	done
	return 1
}

out_lacks() { ! grep -qF -- "$1" "$T/out" || { echo "not expected in the output: $1"; show; }; }
