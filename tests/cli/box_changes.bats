#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The changes of a live box that are saved more than once, while its programs run.
load helper
load workspace
load live_box

forgets() {
	made "$1"
	live "$1" exec work -- sh -c 'mkdir dir; echo 1 >dir/a; echo 1 >made; echo 1 >file'
	live "$1" diff work --names
	out_is $'created dir\ncreated dir/a\nmodified file\ncreated made'
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

@test "with a direct workspace no program is left behind" {
	dir user
	trust user "$W"
	live user:no-cgroup create work --workspace "$W:rw"
	exits 0
	live user:no-cgroup exec work -- sh -c '(sleep 0.3; mkdir -p evil/.git; echo x >evil/.git/config) & (setsid sleep 600 &) ; exit 3'
	exits 3
	[ "$(state_of user:no-cgroup)" = 'work lives 0' ]
	sleep 0.5
	[ ! -e "$W/evil" ]
}

@test "changes that cannot be saved: the box goes on, until they can" {
	dir user
	made user:no-cgroup
	# shellcheck disable=SC2016
	live user:no-cgroup exec work -- sh -c 'echo kept >new; d=; for i in $(seq 300); do d=$d/d; done; mkdir -p ./$d'
	exits 0
	for verb in diff apply stop; do
		live user:no-cgroup $verb work
		exits 125
		err_has '256 deep'
		[ "$(state_of user:no-cgroup)" = 'work lives 0' ]
	done
	live user:no-cgroup exec work -- rm -r d
	live user:no-cgroup stop work
	exits 0
	err_has '1 pending changes'
}

# bats test_tags=long
@test "more changes than a result lists are saved" {
	dir user
	made user:no-cgroup
	live user:no-cgroup exec work -- sh -c 'mkdir many; cd many; seq 20001 | xargs touch'
	live user:no-cgroup stop work
	exits 0
	err_has '20002 pending changes'
}

# bats test_tags=long
@test "reset and apply while commands run, and stop after a diff that was interrupted" {
	dir user
	for verb in reset apply; do
		made user:no-cgroup
		for _ in 1 2 3; do (cd "$W" && as user "$CORDON" box exec work --user -- sleep 30 </dev/null >/dev/null 2>&1 &); done
		for ((i = 0; i < 200; i++)); do
			[ "$(state_of user:no-cgroup)" != 'work lives 3' ] || break
			sleep 0.05
		done
		[ "$i" -lt 200 ]
		live user:no-cgroup $verb work
		exits 0
		[ "$(state_of user:no-cgroup)" = 'work lives 0' ]
	done
	live user:no-cgroup exec work -- python3 -c 'import os
for d in range(20):
    os.mkdir(str(d))
    for i in range(100): open(f"{d}/{i}", "w").write("x" * 16000)'
	(cd "$W" && as user timeout -s KILL 0.1 "$CORDON" box diff work </dev/null >/dev/null 2>&1) || :
	live user:no-cgroup stop work
	exits 0
	err_has '2020 pending changes'
}

# bats test_tags=long
@test "a conversation that ends stops its box; a box that ends by itself is explained" {
	dir user
	made user:no-cgroup
	live user:no-cgroup exec work -- sh -c 'echo new >new; sleep 600 & echo started'
	live user:no-cgroup list --json
	c=$(/usr/bin/python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["boxes"][0]["conversation"])' "$T/out")
	all=$(below "$(keeper_of user)")
	as user "$CORDON" conversation end "$c" >/dev/null
	# shellcheck disable=SC2086
	gone $all
	[ -z "$(state_of user:no-cgroup)" ]
	made user:no-cgroup
	live user:no-cgroup exec work -- sh -c 'echo new >new'
	live user:no-cgroup exec work -- sh -c 'kill -9 2; sleep 5'
	sleep 0.5 # the command may end before its box
	live user:no-cgroup exec work -- true
	exits 125
	err_has 'the box work has ended'
	err_has 'its changes were saved'
	[ "$(state_of user:no-cgroup)" = 'work died 0' ]
	live user:no-cgroup stop work
	[ -z "$(state_of user:no-cgroup)" ]
}
