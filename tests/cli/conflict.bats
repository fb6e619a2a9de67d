#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --apply while another person works in the same directory: their work is never lost, and changes to
# different files do not conflict.
load helper
load workspace

# during WAY WORK COMMAND...: a run whose program does $FIRST, waits until COMMAND has been done
# outside, does WORK and ends. $T/out and $T/err as usual.
during() {
	local way=$1 work=$2 pid
	shift 2
	rm -f "$T/go"
	mkfifo "$T/go"
	printf 'import sys\n%s\nsys.stdin.buffer.read()\n%s\n' "${FIRST:-}" "$work" | code x.py
	# shellcheck disable=SC2086 # words
	as "${way%%:*}" timeout 60 "$CORDON" run --user --tier "${way#*:}" $EXTRA --stdin - \
		--workspace "$W:overlay" --apply "$T/x.py" <"$T/go" >"$T/out" 2>"$T/err" &
	pid=$!
	exec 7>"$T/go"
	much >&7
	"$@"
	exec 7>&-
	status=0 WAY=$way
	wait $pid || status=$?
}

host_edit() { printf 'mine\n' >"$W/file"; }

conflicting() {
	EXTRA=''
	during "$1" 'open("file", "a").write("its\n"); open("new", "w").close()' host_edit
	exits 125
	err_has 'nothing was applied'
	[ "$(cat "$W/file")" = mine ] && [ ! -e "$W/new" ]
	EXTRA=--json
	during "$1" 'open("file", "a").write("its\n"); open("new", "w").close()' host_edit
	exits 125
	holds 'r["status"] == "error" and r["error"]["kind"] == "conflict"'
	[ "$(cat "$W/file")" = mine ] && [ ! -e "$W/new" ]
}
@test "--apply never overwrites a file that another process edited during the run" {
	every_owner conflicting
}

host_delete() { rm "$W/file"; }

deleted_meanwhile() {
	EXTRA=''
	FIRST='open("file", "a").write("its\n")'
	during "$1" '' host_delete
	exits 125
	err_has 'nothing was applied'
	[ ! -e "$W/file" ]
}
@test "--apply does not restore a file that another process deleted during the run" {
	every_owner deleted_meanwhile
}

host_neighbour() { printf 'mine\n' >"$W/neighbour"; }

side_by_side() {
	EXTRA=''
	during "$1" 'open("file", "a").write("its\n"); open("new", "w").close()' host_neighbour
	exits 0
	[ "$(cat "$W/file")" = $'old\nits' ] && [ -e "$W/new" ] && [ "$(cat "$W/neighbour")" = mine ]
}
@test "--apply: work on different files goes well together" {
	every_owner side_by_side
}

just_before() {
	local i
	for i in 1 2 3 4 5; do
		printf '%d\n' "$i" >"$W/file"
		box "$1" --workspace "$W" --apply "$T/x.py"
		exits 0
	done
}
@test "--apply: a file written just before the run is no conflict" {
	printf 'open("file", "a").write("more")\n' | code x.py
	every_owner just_before
}

host_replace() { mv "$W/d" "$W/d.old"; mv "$W/d2" "$W/d"; }

replaced_above() {
	EXTRA='' FIRST=''
	mkdir -p "$W/d" "$W/d2"
	printf 'old\n' >"$W/d/f"
	printf 'mine\n' >"$W/d2/f"
	chown -R --reference="$W" "$W"
	during "$1" 'open("d/f", "a").write("its\n")' host_replace
	exits 125
	err_has 'nothing was applied'
	[ "$(cat "$W/d/f")" = mine ]
	rm -rf "$W/d" "$W/d.old"
}
@test "--apply leaves a directory alone that another process replaced during the run" {
	every_owner replaced_above
}
