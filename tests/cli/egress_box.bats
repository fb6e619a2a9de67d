#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A live box with --net: its cordon-egress lives as long as the box. Answers of a host that is not trusted expose the
# box, and the connections of a start are in its result.
load helper
load egress

needs()
{
	need_root
	own_programs
	trust root "$T"
	trust user "$T"
	mkdir "$T/ws"
	chmod 755 "$T/ws"
}

# live WAY ARG...: cordon box in the world.
live()
{
	local who=${1%%:*} policy=
	WAY=$1
	shift
	status=0
	[ "$1" != create ] || policy="--policy $T/listed.yaml"
	# shellcheck disable=SC2086
	as "$who" timeout 60 "$CORDON" box "${@:1:2}" $policy "${@:3}" <"$IN" >"$T/out" 2>"$T/err" ||
		status=$?
}

connected() {
	printf 'version: 2\nnet: {allow: ["web.test:80"], trusted: ["web.test:80"]}\n' >"$T/listed.yaml"
	live "$1" create work --workspace "$T/ws" --user --tier "${1#*:}" --net web.test:80
	exits 0
	live "$1" exec work --json --user -- curl -sS http://web.test/x
	exits 0
	holds 'r["stdout"] == "hello web.test /x\n"' \
		'[(e["name"], e["verdict"]) for e in r["egress"]] == [("web.test", "connected")]' \
		'r["egress"][0]["bytes_in"] > 20' \
		'[(e["effect"], e["object"], e["done"]) for e in r["effects"]] == [("net", "web.test:80", True)]'
	live "$1" exec work --json --user -- curl -sS --max-time 5 http://other.test/x
	holds 'r["exit_code"] != 0' 'r["egress"][0]["verdict"] == "refused"'
	# Of a program that was left behind, when no command waits: with the next one.
	live "$1" exec work --user -- sh -c '(sleep 0.5; curl -sS http://web.test/late >late) >/dev/null 2>&1 &'
	exits 0
	live "$1" exec work --user -- sleep 0.1
	sleep 2
	live "$1" exec work --json --user -- cat late
	holds 'r["stdout"] == "hello web.test /late\n"' \
		'[(e["name"], e["verdict"]) for e in r["egress"]] == [("web.test", "connected")]'
	live "$1" stop work
	exits 0
	[ -z "$(own_egress)" ]
}
# bats test_tags=long
@test "a program connects, another one is refused, a third one that was left behind is recorded" { every connected; }

# More than cordon-egress lists: a start is told, and the next one has its own.
many() {
	printf 'version: 2\nnet: {allow: ["web.test:80"], trusted: ["web.test:80"]}\n' >"$T/listed.yaml"
	live "$1" create work --workspace "$T/ws" --user --tier "${1#*:}" --net web.test:80
	exits 0
	live "$1" exec work --json --user --time 60s -- python3 -c 'import socket
for i in range(2500):
    try: socket.getaddrinfo("h%d.test" % i, 80)
    except OSError: pass'
	holds 'r["exit_code"] == 0' 'r["egress_cut"]' 'len(r["egress"]) > 1000'
	live "$1" exec work --json --user -- sh -c 'curl -sS http://h1.test/; curl -sS http://web.test/x'
	holds 'not r["egress_cut"]' \
		'[(e["name"], e["verdict"]) for e in r["egress"]] == [("h1.test", "refused"), ("web.test", "connected")]'
	live "$1" stop work
	exits 0
}
# bats test_tags=long
@test "more attempts than the list has: the start is told, and the next one has its own" { every many; }

after_answers() {
	listed --net web.test:80
	live "$1" create work --workspace "$T/ws" --user --tier "${1#*:}" --net web.test:80
	live "$1" exec work --json --user -- curl -sS http://web.test/x
	# The answer has exposed the conversation, and what it left in the box is not the user's.
	for who in '' --user; do
		live "$1" exec work --json $who -- curl -sS http://web.test/x
		exits 126
		holds 'r["state"] == "exposed"'
	done
	live "$1" stop work
}
@test "after an answer every program of the box needs a grant for the host" { every after_answers; }

withdrawn() {
	listed --net web.test:80
	live "$1" create work --workspace "$T/ws" --user --tier "${1#*:}" --net web.test:80
	listed
	live "$1" exec work --user -- curl -sS http://web.test/x
	exits 126
	err_has 'is not the one that would be created now'
	live "$1" stop work
}
@test "when the policy does not list the host any more, no program starts in the box" { every withdrawn; }
