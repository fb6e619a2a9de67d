#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The changes of a live box that are saved more than once, while its programs run.
load helper
load workspace
load live_box

forgets() {
	made "$1"
	live "$1" exec work -- sh -c 'mkdir dir; echo 1 >dir/a; echo 1 >made; echo 1 >file'
	live "$1" diff work
	out_has 'created dir/a'
	out_has 'modified file'
	live "$1" exec work -- sh -c 'rm -r dir made; echo old >file; echo 2 >last'
	live "$1" diff work
	exits 0
	out_has 'created last'
	out_lacks dir
	out_lacks made
	live "$1" exec work -- rm last
	live "$1" diff work
	out_is 'no pending changes'
	live "$1" exec work -- sh -c 'echo 3 >made'
	live "$1" apply work
	exits 0
	[ "$(cat "$W/made")" = 3 ]
	[ ! -e "$W/dir" ]
	[ ! -e "$W/last" ]
	rm "$W/made"
}
@test "a file that was saved by diff and then deleted is not pending" { every_owner forgets; }

@test "diff while programs make and delete files" {
	dir user
	made user:no-cgroup
	live user:no-cgroup exec work -- sh -c 'echo stays >stays
		while :; do for i in 1 2 3 4 5 6 7 8; do mkdir d$i; echo x >d$i/f; done; rm -r d*; done >/dev/null 2>&1 &'
	for ((i = 0; i < 15; i++)); do
		live user:no-cgroup diff work
		exits 0
		out_has 'created stays'
	done
}

@test "starts that write directly and end together: each protected file waits" {
	dir user
	trust user "$W"
	live user:no-cgroup create work --workspace "$W:rw"
	exits 0
	for ((i = 0; i < 12; i++)); do
		(cd "$W" && as user timeout 60 "$CORDON" box exec --user work -- sh -c "mkdir -p p$i/.git; echo $i >p$i/.git/config" \
			</dev/null >"$T/out$i" 2>&1 || touch "$T/failed$i") &
	done
	wait
	for ((i = 0; i < 12; i++)); do
		[ ! -e "$T/failed$i" ] || { cat "$T/out$i"; return 1; }
		[ ! -e "$W/p$i/.git/config" ]
	done
	live user:no-cgroup stop work
	as user "$CORDON" conversation list --json >"$T/talks"
	c=$(/usr/bin/python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["conversations"][0]["conversation"])' "$T/talks")
	as user "$CORDON" diff --conversation "$c" "$W" >"$T/out"
	[ "$(grep -c '^created p.*config' "$T/out")" -eq 12 ] || { cat "$T/out"; return 1; }
}
