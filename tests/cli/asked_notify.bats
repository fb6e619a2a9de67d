#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How people are notified of a request: by a command or a URL.
load helper
load scan
load gate
load deliver
load person

teardown()
{
	end_server
	cd /
	rm -rf --one-file-system "$T"
}

# notify WHO YAML: what the configuration says.
notify()
{
	mkdir -p "$XDG_CONFIG_HOME/cordon"
	printf 'version: 1\nnotify: %s\n' "$2" >"$XDG_CONFIG_HOME/cordon/config.yaml"
	! is_root || [ "$1" = root ] || chown -R "$TEST_UID" "$XDG_CONFIG_HOME"
	! is_root || [ "$1" = user ] || chown -R root "$XDG_CONFIG_HOME"
}

notifies_command()
{
	rm -rf "$T/told"
	mkdir -m 777 "$T/told"
	printf '#!/bin/sh\ncat >"%s/told/$CORDON_EVENT"\n' "$T" >"$T/take"
	chmod 755 "$T/take"
	notify "$1" "{command: [$T/take]}"
	exposed "$1"
	printf 'SECRET_CODE = 1\n' >"$T/job.py"
	submit "$1" 0 --net a.example:443 --title 'Hi' --purpose "$(printf 'p\342\200\256q')" "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	run ! grep -rq SECRET_CODE "$T/told"
	(cat "$T/told/approval.waiting"; echo) >"$T/out"
	holds "r['id'] == '$ID' and r['title'] == 'Hi' and r['type'] == 'approval.waiting' and r['status'] == 'pending'"
	holds "any('a.example:443' in s for s in r['summary']) and any('cordon approvals approve $ID' in s for s in r['summary'])"
	holds 'r["purpose"] == "p\\u202eq" and r["expires"] > 0'
	rm "$T/told/approval.waiting"
	submit "$1" 0 --net a.example:443 "$T/job.py" # the same request: no second notification
	[ ! -e "$T/told/approval.waiting" ]
	gate "$1" 0 approvals deny "$ID" --reason no
	(cat "$T/told/approval.denied"; echo) >"$T/out"
	holds "r['id'] == '$ID' and r['reason'] == 'no'"
	submit "$1" 0 --net b.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	person "$1" 0 approvals approve "$ID"
	(cat "$T/told/approval.approved"; echo) >"$T/out"
	holds "r['id'] == '$ID'"
	rm -rf "$T/told" "$XDG_CONFIG_HOME/cordon"
}
@test "the notify command gets each request and its end, without the code" { each notifies_command; }

# From the notification on: the developer reads the diff, signs it with their SSH key, and it is applied.
approves_in_time()
{
	local began
	need_etc
	rm -rf "$T/told" "$T/key-$1"
	mkdir -m 777 "$T/told" "$T/key-$1"
	as "$1" ssh-keygen -q -t ed25519 -N '' -f "$T/key-$1/id"
	"$CORDON" approvals key add developer "$T/key-$1/id.pub"
	printf '#!/bin/sh\ncat >"%s/told/$CORDON_EVENT"\n' "$T" >"$T/take"
	chmod 755 "$T/take"
	notify "$1" "{command: [$T/take]}"
	printf 'version: 2\nconfirmation: {write: no, net: no, secret: no}\n' >"$T/signed.yaml"
	tree "$1"
	exposed_changes "$1" 'open("file", "w").write("new\n")'
	gate "$1" 0 apply --conversation "$C" --policy "$T/signed.yaml" "$W"
	began=${EPOCHREALTIME/./}
	ID=$(grep -o 'cordon approvals approve [0-9a-f]*' "$T/told/approval.waiting" | cut -d' ' -f4)
	gate "$1" 0 approvals show "$ID"
	says '-      1 | old' '+      1 | new'
	person "$1" 0 approvals approve "$ID" --key "$T/key-$1/id" --as developer
	gate "$1" 0 apply --conversation "$C" --policy "$T/signed.yaml" "$W"
	[ $((${EPOCHREALTIME/./} - began)) -lt 10000000 ]
	[ "$(cat "$W/file")" = new ]
	rm -rf "$T/told" "$XDG_CONFIG_HOME/cordon"
	"$CORDON" approvals key remove developer
}
# bats test_tags=long
@test "a developer reads, signs and applies a diff within ten seconds of the notification" { each approves_in_time; }

notifies_url()
{
	rm -rf "$T/hook"
	start_server
	install -m 600 "$HOOK/secret" "$T/webhook-secret-$1"
	! is_root || [ "$1" = root ] || chown "$TEST_UID" "$T/webhook-secret-$1"
	notify "$1" "{url: \"$URL/ok\", secret_file: $T/webhook-secret-$1}"
	exposed "$1"
	echo 'print(1)' >"$T/job.py"
	submit "$1" 0 --net a.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	tail -n 1 "$HOOK/message" >"$T/out"
	holds "r['id'] == '$ID' and r['type'] == 'approval.waiting'"
	end_server
	server=
	rm -rf "$XDG_CONFIG_HOME/cordon"
}
@test "a notify server gets each request, signed" { each notifies_url; }

fails_to_notify()
{
	printf '#!/bin/sh\necho "no display" >&2\nexit 3\n' >"$T/take"
	chmod 755 "$T/take"
	notify "$1" "{command: [$T/take]}"
	exposed "$1"
	echo 'print(1)' >"$T/job.py"
	gate "$1" 0 run --tier "$(tier_of "$1")" --conversation "$C" --net a.example:443 "$T/job.py"
	grep -q 'the notification about request' "$T/err" && grep -q 'no display' "$T/err"
	submit "$1" 0 --net b.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	holds 'any("the notification about" in s for s in r["reasons"])'
	gate "$1" 0 audit tail -n 30 --json
	grep -q undelivered "$T/out"
	gate "$1" 0 audit verify
	printf '#!/bin/sh\nsleep 60\n' >"$T/take"
	before=$SECONDS
	submit "$1" 0 --net c.example:443 "$T/job.py"
	[ $((SECONDS - before)) -lt 20 ]
	holds 'r["effects"][0]["outcome"] == "waits"'
	rm -rf "$XDG_CONFIG_HOME/cordon"
}
# bats test_tags=long
@test "a failed notification is reported and recorded in time, and changes no decision" { each fails_to_notify; }

hides_secret()
{
	tree "$1"
	(umask 077; echo "whsec_$(head -c 32 /dev/urandom | base64)" >"$W/hook.secret")
	printf '#!/bin/sh\n' >"$W/take"
	chmod 755 "$W/take"
	! is_root || chown --reference "$W" "$W/hook.secret" "$W/take"
	notify "$1" "{url: \"http://127.0.0.1:1/\", secret_file: $W/hook.secret}"
	exposed "$1"
	echo 'print(repr(open("hook.secret").read()))' >"$T/job.py"
	run_gate "$1" run --json --tier "$(tier_of "$1")" --conversation "$C" --workspace "$W" "$T/job.py"
	holds 'r["ran"]'
	run ! grep -q whsec_ "$T/out"
	notify "$1" "{command: [$W/take]}"
	echo 'open("take", "w").write("evil")' >"$T/job.py"
	person "$1" 0 grant --conversation "$C" --write .
	run_gate "$1" run --json --tier "$(tier_of "$1")" --conversation "$C" --workspace "$W:rw" "$T/job.py"
	[ "$(cat "$W/take")" = '#!/bin/sh' ]
	# A script is a later word; what is no file, is not there or is the system's hinders nothing.
	notify "$1" "{command: [/bin/sh, $W/take, /, /usr, /tmp, /dev/stdin, /dev/null, /nowhere/x, $W/gone]}"
	run_gate "$1" run --json --tier "$(tier_of "$1")" --conversation "$C" --workspace "$W:rw" "$T/job.py" <"$T/job.py"
	holds 'r["ran"]'
	[ "$(cat "$W/take")" = '#!/bin/sh' ]
	# A directory may hold what the command runs.
	notify "$1" "{command: [/bin/sh, -c, true, $W]}"
	run_gate "$1" run --json --tier "$(tier_of "$1")" --conversation "$C" --workspace "$W:rw" "$T/job.py"
	holds 'not r["ran"]'
	rm -rf "$XDG_CONFIG_HOME/cordon"
}
@test "no box reads the secret of a notification, nor changes its command" { each hides_secret; }
