#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --keep NAME: a home directory that stays for a project, and whose trust is that of the runs that had it.
load helper
load workspace

# keeps WAY NAME ARG...: cordon exec in the workspace with that home directory, as code that the user typed.
keeps()
{
	local who=${1%%:*} tier=${1#*:} name=$2
	WAY=$1
	shift 2
	status=0
	(cd "$W" && as "$who" timeout 60 "$CORDON" exec --tier "$tier" --json --keep "$name" "$@" <"$IN" \
		>"$T/out" 2>"$T/err") || status=$?
}
clean() { keeps "$1" "$2" --user -- sh -c "$3"; }
exposed() { keeps "$1" "$2" --exposed -- sh -c "$3"; }

# state WAY ARG...: cordon ARG... as the way's account.
state()
{
	local who=${1%%:*}
	WAY=$1
	shift
	status=0
	as "$who" "$CORDON" "$@" >"$T/out" 2>"$T/err" || status=$?
}
# home_of WAY NAME [FIELD]: where it is, or another field.
home_of()
{
	state "$1" state homes --json
	member "next(h['${3:-path}'] for h in r['homes'] if h['name'] == '$2' and h['directory'] == '$W')"
}

survives() {
	# shellcheck disable=SC2088
	clean "$1" npm 'echo $HOME; getent passwd agent | cut -d: -f6; printf "#!/bin/sh\necho made\n" >~/tool; chmod +x ~/tool; ls -A /home'
	exits 0
	holds 'r["stdout"] == "/cordon/home\n/cordon/home\n"' 'r["state"] == "clean"' 'r["home"].endswith("/npm")'
	clean "$1" npm '~/tool'
	holds 'r["stdout"] == "made\n"' 'r["state"] == "clean"' 'r["effects"] == []'
	clean "$1" pip 'ls -A ~'
	holds 'r["stdout"] == ""'
	local first=$W
	dir "$OWNER"
	clean "$1" npm 'ls -A ~'
	holds 'r["stdout"] == ""'
	W=$first untouched
}
@test "what is in it is there in the next run, for this project and this name only" { every_owner survives; }

ids() {
	clean "$1" a 'touch ~/file; mkdir -p ~/d/e; stat -c %U ~ ~/file ~/d/e'
	holds 'r["stdout"] == "agent\nagent\nagent\n"'
	local at
	at=$(home_of "$1" a)
	! is_root || [ -z "$(find "$at" -uid 0 -o -gid 0)" ]
	clean "$1" a 'rm -r ~/file ~/d; ls -A ~'
	holds 'r["stdout"] == ""'
}
@test "its files are the box's own, and on the disk never root's" { every_owner ids; }

marks() {
	clean "$1" a true
	clean "$1" b true
	exposed "$1" a true
	exits 0
	holds 'r["state"] == "exposed"'
	[ "$(home_of "$1" a state)" = exposed ]
	[ "$(home_of "$1" b state)" = clean ]
	clean "$1" a true
	exits 0
	holds 'r["state"] == "exposed"' 'r["cause"].endswith("/a was changed by exposed code")'
	clean "$1" b true
	holds 'r["state"] == "clean"' 'r["cause"] is None'
	local at
	at=$(home_of "$1" a)
	(cd "$W" && as "${1%%:*}" "$CORDON" exec --user --tier "${1#*:}" --keep a -- true) 2>"$T/err"
	err_has "try: cordon trust $at"
	trust "${1%%:*}" "$at"
	clean "$1" a true
	holds 'r["state"] == "clean"'
}
@test "an exposed run marks it: a later run that gets it is exposed" { every_owner marks; }

@test "it is marked before the exposed run starts" {
	dir user
	clean user:no-cgroup a true
	mkfifo "$T/gate"
	chmod 666 "$T/gate"
	IN=$T/gate exposed user:no-cgroup a 'echo running; cat' &
	exec 9>"$T/gate"
	local i
	for i in $(seq 100); do
		[ "$(home_of user:no-cgroup a state)" = clean ] || break
		sleep 0.1
	done
	[ "$(home_of user:no-cgroup a state)" = exposed ]
	exec 9>&-
	wait
}

@test "a clean run is exposed at its end if an exposed one had it meanwhile" {
	dir user
	(
		clean user:no-cgroup a 'touch ~/begun; until [ -e ~/go ]; do sleep 0.05; done'
		cp "$T/out" "$T/first"
	) &
	exposed user:no-cgroup b true
	local at i
	for i in $(seq 200); do
		at=$(home_of user:no-cgroup a 2>/dev/null) && [ -e "$at/begun" ] && break
		sleep 0.1
	done
	exposed user:no-cgroup a 'touch ~/go'
	wait
	cp "$T/first" "$T/out"
	holds 'r["state"] == "exposed"' 'r["exit_code"] == 0'
}

@test "a run that turns out to be exposed marks it too" {
	dir user
	mkdir "$T/input"
	trust user "$T/input"
	(keeps user:no-cgroup a --ro "$T/input" --user -- sh -c 'touch ~/begun; until [ -e ~/go ]; do sleep 0.05; done') &
	local at i
	for i in $(seq 200); do
		at=$(home_of user:no-cgroup a 2>/dev/null) && [ -e "$at/begun" ] && break
		sleep 0.1
	done
	state user:no-cgroup untrust "$T/input"
	[ "$(home_of user:no-cgroup a state)" = clean ]
	as user touch "$at/go"
	wait
	[ "$(home_of user:no-cgroup a state)" = exposed ]
}

@test "a directory of this name that Cordon did not make is untrusted" {
	dir user
	clean user:no-cgroup a true
	local at
	at=$(home_of user:no-cgroup a)
	as user sh -c "mv '$at' '$at-old'; mkdir '$at'"
	clean user:no-cgroup a true
	holds 'r["state"] == "exposed"' '"is not the directory that was trusted" in r["cause"]'
	as user mkdir "$(dirname "$at")/b"
	clean user:no-cgroup b true
	holds 'r["state"] == "exposed"' 'r["cause"].endswith("/b is untrusted")'
}

hidden() {
	clean "$1" a 'touch ~/secret'
	local at
	at=$(home_of "$1" a)
	box "$1" --workspace "$W" --ro "$at" "$T/x.sh"
	exits 126
	err_has "is Cordon's own"
	box "$1" --workspace "$at" "$T/x.sh"
	exits 126
	err_has "is Cordon's own"
	# The state directory in the workspace: only this home directory is shown, and only as such.
	local own=$W/own/cordon
	as user mkdir "$W/own"
	trust user "$W" "$W/own"
	keeps "$1" b --state "$own" --user -- sh -c 'touch ~/secret; ls -A ~'
	holds 'r["stdout"] == "secret\n"' 'r["home"].startswith("'"$own"'/homes/")'
	at=$(member 'r["home"]')
	[ -e "$at/secret" ]
	keeps "$1" c --state "$own" --user -- sh -c "ls -A ~ '$own'; ls '$at'; ls -A ~"
	holds "r['stdout'] == '/cordon/home:\\n\\n$own:\\n'" '"No such file" in r["stderr"]'
}
@test "no box shows the rest of the state directory, nor another one's home directory" {
	echo true | code x.sh
	dir user
	hidden user:no-cgroup
}

@test "wrong usage" {
	echo true | code x.sh
	echo pass | code x.py
	dir user
	box user:no-cgroup --keep a "$T/x.sh"
	exits 125
	err_has '--keep means nothing without --workspace'
	box user:no-cgroup --workspace "$W" --keep a "$T/x.py"
	exits 125
	err_has '--keep is for the profile dev'
	box user:no-cgroup --profile dev --workspace "$W" --keep a "$T/x.py"
	exits 0
	local name
	for name in . .. a/b .new .project -x "$(printf 'a%.0s' {1..32})"; do
		box user:no-cgroup --workspace "$W" --keep="$name" "$T/x.sh"
		exits 125
		err_has 'is no name of a kept home directory'
	done
	box user:no-userns --workspace "$W:ro" --keep a "$T/x.sh"
	exits 125
	err_has 'cannot show a kept home directory'
}

removes() {
	exposed "$1" a 'mkdir -p ~/d; touch ~/d/f; chmod 0 ~/d'
	clean "$1" b 'touch ~/kept'
	(cd "$W" && state "$1" state remove-home a)
	home_of "$1" b
	[ "$(member 'len(r["homes"])')" = 1 ]
	clean "$1" a 'ls -A ~'
	holds 'r["stdout"] == ""' 'r["state"] == "clean"'
	clean "$1" b 'ls -A ~'
	holds 'r["stdout"] == "kept\n"'
	state "$1" state remove-home no-such "$W"
	exits 125
	err_has "$W has no kept home directory no-such"
	state "$1" state homes
	out_has "clean    b"
}
# bats test_tags=long
@test "cordon state lists and removes them" {
	dir user
	removes user:no-cgroup
	! is_root || { dir root && removes root:full; }
}

@test "cordon reset does not touch it, and the log names it" {
	dir user
	state user:no-cgroup conversation new
	local c
	c=$(cat "$T/out")
	keeps user:no-cgroup a --conversation "$c" -- sh -c 'touch ~/kept new'
	exits 0
	state user:no-cgroup reset --conversation "$c" "$W"
	exits 0
	clean user:no-cgroup a 'ls ~; [ ! -e new ]'
	exits 0
	holds 'r["stdout"] == "kept\n"'
	state user:no-cgroup audit tail -n 30 --json
	grep -q '"keep":"a"' "$T/out"
	grep -q '"home":".*/a"' "$T/out"
}

live() {
	local who=${1%%:*} tier=${1#*:}
	(cd "$W" && as "$who" timeout 60 "$CORDON" box create work --user --tier "$tier" --idle 30s --keep a)
	status=0
	(cd "$W" && as "$who" timeout 60 "$CORDON" box exec --user work --json -- sh -c 'touch ~/live; echo ~' >"$T/out")
	holds 'r["stdout"] == "/cordon/home\n"' 'r["state"] == "clean"'
	exposed "$1" a 'ls ~'
	holds 'r["stdout"] == "live\n"'
	(cd "$W" && as "$who" timeout 60 "$CORDON" box exec --user work --json -- true >"$T/out")
	holds 'r["state"] == "exposed"'
	(cd "$W" && as "$who" timeout 60 "$CORDON" box stop work)
	clean "$1" b true
	(cd "$W" && as "$who" timeout 60 "$CORDON" box create work --user --tier "$tier" --idle 30s --keep b)
	as "$who" rm -r "$(home_of "$1" b)"
	(cd "$W" && as "$who" timeout 60 "$CORDON" box exec --user work -- true 2>"$T/err") || status=$?
	exits 126
	err_has 'is not the one that would be created now'
	(cd "$W" && as "$who" timeout 60 "$CORDON" box stop work)
}
@test "a box that lives between commands has it" { every_owner live; }

@test "a plan fixes it" {
	dir user
	echo true | code x.sh
	state user:no-cgroup conversation new
	local c p
	c=$(cat "$T/out")
	state user:no-cgroup plan --conversation "$c" --workspace "$W" --keep a "$T/x.sh"
	exits 0
	p=$(cat "$T/out")
	box user:no-cgroup --json --conversation "$c" --plan "$p" --workspace "$W" --keep b "$T/x.sh"
	holds 'any("the plan gives nothing" in w for w in r["reasons"])'
	box user:no-cgroup --json --conversation "$c" --plan "$p" --workspace "$W" --keep a "$T/x.sh"
	holds 'not any("the plan gives nothing" in w for w in r["reasons"])'
}
