#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Messages to a command or a URL: what arrives, what is refused before anything is sent, and that nothing that
# the other side does takes long or passes for a success.
load helper
load deliver

needs()
{
	own_programs
	cp "$BUILD/tests/deliver-send" "$T/bin/"
}

teardown()
{
	end_server
	cd /
	rm -rf --one-file-system "$T"
}

# send WHAT...: see tests/deliver/send.c. What is sent is BODY.
BODY='{"id":"abc","n":1}'
send()
{
	status=0
	"$T/bin/deliver-send" a.test "$@" <<<"$BODY" >"$T/out" 2>"$T/err" || status=$?
	grep -qx 'in time' "$T/out" || { cat "$T/out"; return 1; }
}

taken() { [ "$status" -eq 0 ] || { cat "$T/out" "$T/err"; return 1; }; }

# failed TEXT: not taken, and it says so.
failed()
{
	[ "$status" -ne 0 ] && grep -qF -- "$1" "$T/out" || { cat "$T/out" "$T/err"; return 1; }
}

@test "a command gets the object on standard input, its words as they are, and the event" {
	cat >"$T/take" <<-'END'
		#!/bin/sh
		cat >"$1"
		printf '%s\n' "$CORDON_EVENT" "$2" "$3" >>"$1"
	END
	chmod 755 "$T/take"
	CORDON_EVENT=other send command "$T/take" "$T/got" '$(id); *' ''
	taken
	diff - "$T/got" <<-END
		$BODY
		a.test
		\$(id); *

	END
}

@test "a command is found by its path or in the system's directories, and never by the caller's search path" {
	mkdir "$T/own"
	printf '#!/bin/sh\ntouch %s\n' "$T/ran" >"$T/own/own-notify"
	chmod 755 "$T/own/own-notify"
	PATH=$T/own:$PATH send command own-notify
	failed 'there is no command own-notify'
	(cd "$T/own" && send command ./own-notify; failed 'there is no command ./own-notify')
	[ ! -e "$T/ran" ]
	send command true
	taken
}

# bats test_tags=long
@test "a command that fails, is killed or hangs is reported, and does not hang cordon" {
	printf '#!/bin/sh\necho "no such\nroom" >&2; exit 3\n' >"$T/fails"
	printf '#!/bin/sh\nkill -9 $$\n' >"$T/dies"
	printf '#!/bin/sh\nsleep 77777 & echo $! >%s; wait\n' "$T/child" >"$T/hangs"
	printf '#!/bin/sh\nyes >&2 & exit 0\n' >"$T/loud" # it ends with the pipe
	chmod 755 "$T/fails" "$T/dies" "$T/hangs" "$T/loud"
	send command "$T/fails"
	failed 'failed with status 3'
	failed 'no such room'
	send command "$T/dies"
	failed 'was ended by signal 9'
	send command "$T/hangs"
	failed 'did not end within 5 seconds'
	run ! grep -q '^State:.[^Z]' "/proc/$(cat "$T/child")/status"
	send command "$T/loud"
	taken
}

@test "a command that has ended is seen, whatever its children go on to write" {
	command -v strace >/dev/null || skip "no strace"
	printf '#!/bin/sh\nyes >&2 & exit 0\n' >"$T/loud"
	chmod 755 "$T/loud"
	status=0
	# So slow a reader never finds the pipe empty.
	strace -qq -o /dev/null -e trace=read -e inject=read:delay_enter=3000 \
		"$T/bin/deliver-send" a.test command "$T/loud" <<<"$BODY" >"$T/out" 2>"$T/err" || status=$?
	taken
}

@test "a command whose end cannot be seen is reported as such and ended" {
	command -v strace >/dev/null || skip "no strace"
	printf '#!/bin/sh\necho $$ >%s; sleep 77777\n' "$T/child" >"$T/hangs"
	chmod 755 "$T/hangs"
	status=0
	strace -qq -o /dev/null -e trace=pidfd_open -e inject=pidfd_open:error=EMFILE \
		"$T/bin/deliver-send" a.test command "$T/hangs" <<<"$BODY" >"$T/out" 2>"$T/err" || status=$?
	failed 'hangs: Too many open files'
	[ ! -e "$T/child" ] || run ! grep -q '^State:.[^Z]' "/proc/$(cat "$T/child")/status"
}

@test "a server gets the object, signed as Standard Webhooks says, and takes it" {
	start_server
	send url "$URL/ok" "$HOOK/secret"
	taken
	[ "$(head -n 1 "$HOOK/message")" = "$BODY" ]
	/usr/bin/python3 - "$HOOK/headers" <<-'END'
		import json, re, sys
		h = json.load(open(sys.argv[1]))
		assert h["content-type"] == "application/json" and h["cordon-event"] == "a.test", h
		assert re.fullmatch("msg_[0-9a-f]{32}", h["webhook-id"]), h
		assert "authorization" not in h, h
	END
}

@test "a server with another secret rejects the message" {
	start_server
	(umask 077; echo "whsec_$(head -c 32 /dev/zero | base64)" >"$T/other")
	send url "$URL/ok" "$T/other"
	failed 'the server answered 401'
	[ ! -e "$HOOK/message" ]
}

# bats test_tags=long
@test "an error, a redirect, a closed connection, an endless answer and silence are failures, in time" {
	start_server
	send url "$URL/500" "$HOOK/secret"
	failed 'the server answered 500'
	for n in 301 302 307 308; do
		send url "$URL/$n" "$HOOK/secret"
		failed 'a redirect is not followed'
	done
	send url "$URL/close" "$HOOK/secret"
	failed 'cordon-notify failed'
	send url "$URL/flood" "$HOOK/secret"
	failed 'cordon-notify failed'
	send url "$URL/hang" "$HOOK/secret"
	failed 'cordon-notify failed'
	[ ! -e "$HOOK/message" ]
	end_server
	send url "$URL/ok" "$HOOK/secret"
	failed 'cordon-notify failed'
}

@test "only http and https, without a name and password" {
	start_server
	for url in "ftp://127.0.0.1/x" "file:///etc/passwd" "gopher://127.0.0.1/x" "//127.0.0.1/ok" "" \
		"${URL/\/\////me:word@}/ok" "${URL/\/\////me@}/ok" "${URL/\/\////:word@}/ok"; do
		send url "$url" "$HOOK/secret"
		[ "$status" -ne 0 ] || { echo "$url"; return 1; }
	done
	[ ! -e "$HOOK/seen" ]
}

@test "the secret is a file that only its owner reads, with one secret in it" {
	start_server
	send url "$URL/ok"
	failed 'no secret_file is configured'
	send url "$URL/ok" "$T/nowhere"
	failed 'No such file'
	! is_root || chown 0:0 "$HOOK/secret"
	for mode in 640 604 620 644; do
		[ $mode != 640 ] || ! is_root || continue # see below
		chmod $mode "$HOOK/secret"
		send url "$URL/ok" "$HOOK/secret"
		failed 'other users can read or write it'
	done
	chmod 600 "$HOOK/secret"
	(umask 077; mkfifo "$T/pipe"; for text in '' secret whsec_ whsec_AAAA 'whsec_!!!!' "$(cat "$HOOK/secret")
more"; do echo "$text" >"$T/bad"; send url "$URL/ok" "$T/bad"; [ "$status" -ne 0 ] || exit 1; done)
	send url "$URL/ok" "$T/pipe"
	failed 'it is not a regular file owned by you or root'
	[ ! -e "$HOOK/seen" ]
}

@test "a secret of root's may be for a group too; a user's may not" {
	need_root
	start_server
	chmod 755 "$T" "$T/bin" "$HOOK"
	# sends_as GID WORDS: as a user of that group.
	sends_as()
	{
		status=0
		setpriv --reuid "$TEST_UID" --regid "$1" --clear-groups "$T/bin/deliver-send" a.test url "$URL/ok" \
			"$HOOK/secret" <<<"$BODY" >"$T/out" 2>"$T/err" || status=$?
	}
	chown "0:$TEST_UID" "$HOOK/secret"
	chmod 640 "$HOOK/secret"
	sends_as "$TEST_UID"
	taken
	sends_as $((TEST_UID + 9))
	failed 'Permission denied'
	failed 'as root: chgrp GROUP'
	for mode in 660 644 641 650; do
		chmod $mode "$HOOK/secret"
		sends_as "$TEST_UID"
		failed 'other users can read or write it'
		failed 'chmod 640'
	done
	chown "$TEST_UID:$TEST_UID" "$HOOK/secret"
	chmod 640 "$HOOK/secret"
	sends_as "$TEST_UID"
	failed 'other users can read or write it'
	failed 'chmod 600'
	chmod 600 "$HOOK/secret"
	sends_as "$TEST_UID"
	taken
}

@test "neither the URL nor the secret can be read by others in the list of processes" {
	start_server
	"$T/bin/deliver-send" a.test url "$URL/hang?token" "$HOOK/secret" <<<"$BODY" >"$T/out" 2>&1 3>&- &
	sender=$!
	# It has no other child; until that executes, it has the sender's own words.
	for _ in $(seq 1000); do
		read -r pid <"/proc/$sender/task/$sender/children" || true
		words=
		[ -z "$pid" ] || words=$(tr '\0' ' ' <"/proc/$pid/cmdline")
		case $words in *deliver-send* | '') sleep 0.002 ;; *) break ;; esac
	done
	[ "$words" = 'cordon-notify ' ]
	! is_root || [ ! -s "/proc/$pid/environ" ]
	if wait "$sender"; then false; fi
}

@test "a proxy of the environment is not used" {
	start_server
	http_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1 send url "$URL/ok" "$HOOK/secret"
	taken
}

@test "cordon-notify started by hand says that cordon starts it, and sends nothing" {
	status=0
	"$T/bin/cordon-notify" </dev/null 3<&- 2>"$T/err" || status=$?
	[ "$status" -ne 0 ] && [ -s "$T/err" ]
}
