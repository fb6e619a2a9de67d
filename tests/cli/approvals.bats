#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon approvals: a request cannot imitate Cordon's own lines. Only people who may answer can
# answer, and an answer holds for exactly what it says. People are accounts of their own.
load helper
load approvals.bash

@test "invalid subcommands and options are usage errors" {
	mkdir -m 700 "$T/fresh"
	STATE=$T/fresh
	for words in "" dance show "show a b" "key" "key dance" "key new x" "key add x" "read x" "list x"; do
		status=0
		# shellcheck disable=SC2086 # a list of words
		timeout 60 "$CORDON" approvals $words --state "$STATE" >"$T/out" 2>"$T/err" || status=$?
		exits 2
	done
	status=0
	"$CORDON" approvals approve 0123456789abcdef0123456789abcdef --state "$STATE" >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has "there is no approval"
	status=0
	"$CORDON" approvals approve x --scope forever >"$T/out" 2>"$T/err" || status=$?
	exits 2
	err_has "once, diff, program or grant"
	status=0
	"$CORDON" approvals list --state "$STATE" >"$T/out" || status=$?
	exits 0
	out_is "no request waits"
	status=0
	"$CORDON" approvals list --json --state "$STATE" >"$T/out" || status=$?
	holds "r == []"
	status=0
	"$CORDON" approvals show 0123456789abcdef0123456789abcdef --json --state "$STATE" >"$T/out" || status=$?
	exits 125
	holds "r['error']['kind'] == 'input'"
}

@test "approvals list puts the oldest request first" {
	local i asked=()
	people
	for i in 1 2 3 4 5 6; do
		printf 'print(%s)\n' "$i" >"$T/job.py"
		park
		asked+=("$ID")
	done
	approvals agent 0 list
	[ "$(grep -o '^[0-9a-f]\{32\}' "$T/out" | tr '\n' ' ')" = "${asked[*]} " ] || show
	approvals agent 0 list --json
	holds "[a['approval_id'] for a in r] == '${asked[*]}'.split()"
}

@test "approvals show escapes everything that a terminal would obey" {
	people
	/usr/bin/python3 -I - "$T/job.py" <<'PY'
import sys
open(sys.argv[1], "w", encoding="utf-8").write(
    'p\u0430th = "a\u202eb"\nhello = "\u043f\u0440\u0438\u0432\u0435\u0442"\nprint("\x1b[2J\r")\n'
    '  to approve  all is well\n' + "x" * 5000 + "\nlast")
PY
	park evidence=1-4:$'http://x.y/\e[31m' $'finding=one\nsource two' effect=$'opens\u200b files'
	approvals agent 0 show "$ID"
	run ! env LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' "$T/out"
	run ! grep -q $'\u202e' "$T/out"
	out_has 'p\u0430th = "a\u202eb"'
	out_has 'hello = "привет"'
	out_has 'print("^[[2J^M")'
	out_has 'http://x.y/^[[31m'
	out_has 'one^Jsource two'
	out_has 'opens\u200b files'
	grep -qF '       4 |   to approve  all is well' "$T/out"
	grep -q '^>>!    1 | ' "$T/out"
	grep -q '^         |  ^^^^^^^  *$' "$T/out"
	[ "$(grep -oE '^ +(5|[.][.]) [|] x+$' "$T/out" | tr -cd x | wc -c)" -eq 5000 ]
	[ "$(wc -L <"$T/out")" -le 80 ]
	grep -qF '  !    3 | print("^[[2J^M")' "$T/out"
	grep -qF '       6 | last' "$T/out"
	out_has "(no newline at the end)"
	out_has "wants       write"
	out_has "it cannot   send what it can read"
	out_has "to deny     cordon approvals deny $ID"
	approvals agent 0 show "$ID" --json
	holds "r['code'].startswith('p\u0430th')" "[r['evidence'][0][k] for k in ('from', 'to', 'tie', 'how')] == [1, 4, 'span', '']"
}

@test "a long line does not begin a row of the terminal" {
	people
	printf '%80s  to approve  all is well\nb = 1\n' '' >"$T/job.py"
	park evidence=1-4:"x$(printf '%70s  verdict     allow' '')"
	approvals agent 0 show "$ID"
	run ! grep -q '^  to approve  all' "$T/out"
	run ! grep -q '^  verdict     allow' "$T/out"
	grep -q '^      [.][.] |  *to approve  all is well$' "$T/out"
	grep -q '^           [.][.] ' "$T/out"
	[ "$(wc -L <"$T/out")" -le 80 ]
	approvals agent 0 list
	[ "$(wc -L <"$T/out")" -le 80 ]
}


@test "a person signs under another account, and it counts once" {
	people
	enrol anna
	park
	covered 1
	approvals agent 0 list
	out_has "$ID  pending "
	answer ben 126
	err_has "not enrolled under that name"
	answer anna 0
	out_is "$ID is approved"
	approvals agent 126 add "$T/answer"
	err_has "is approved"
	covered 0
	out_is "$ID"
	covered 1
	approvals agent 126 add "$T/answer"
	err_has "is used"
	approvals agent 0 list --all --json
	holds "r[0]['status'] == 'used'" "r[0]['signed'][0]['name'] == 'anna'" "r[0]['uses'] == 1" \
		"r[0]['signed'][0]['kind'] == 'signature'"
	[ -z "$(find "$STATE" ! -uid "$TEST_UID")" ] || { find "$STATE" -ls; false; }
}

# What was used up does not come back with an old copy, whatever else is taken away.
@test "an answer for once is over, also with an old copy of the log" {
	people
	enrol anna
	park
	answer anna 0
	cp -a "$STATE" "$T/old"
	covered 0
	rm "$STATE"/log.db*
	cp -a "$T"/old/log.db* "$STATE"
	covered 2
	err_has "not the one that was last written"
	rm "$STATE/heads"
	covered 2
	err_has "the file heads is missing"
}

# bats test_tags=long
@test "every kind of key: a file, an agent, a .pub file whose key the agent has" {
	people
	local kind n=0 socket=$T/anna/agent.sock
	for kind in "-t ed25519" "-t ecdsa -b 521" "-t rsa -b 3072"; do
		n=$((n + 1))
		rm -f "$T/anna/key" "$T/anna/key.pub"
		# shellcheck disable=SC2086 # options
		act anna ssh-keygen -q $kind -N '' -f "$T/anna/key"
		cp "$T/anna/key.pub" "$T/anna.pub"
		enrol anna
		printf 'print(%s)\n' "$n" >"$T/job.py"
		park
		answer anna 0
		covered 0
		act root "$CORDON" approvals key remove anna
	done
	enrol anna
	act anna ssh-agent -a "$socket"
	eval "$(sed -n 's/^SSH_AGENT_PID=\([0-9]*\);.*/SSH_AGENT_PID=\1/p' "$T/out")"
	act anna env SSH_AUTH_SOCK="$socket" ssh-add -q "$T/anna/key"
	exits 0
	rm "$T/anna/key"
	park
	act agent "$CORDON" approvals export "$ID" --state "$STATE"
	cp "$T/out" "$T/request"
	act anna "$CORDON" approvals sign "$T/request" --id "$ID" --key "$T/anna/key.pub" --as anna
	exits 125
	err_has "signing with the key"
	act anna env SSH_AUTH_SOCK="$socket" "$CORDON" approvals sign "$T/request" --id "$ID" --key "$T/anna/key.pub" --as anna
	kill "$SSH_AGENT_PID"
	exits 0
	cp "$T/out" "$T/answer"
	approvals agent 0 add "$T/answer"
	covered 0
}

@test "the account that asked cannot answer: not by name, not without a key, not from a box" {
	local login
	people
	login=$(id -un "$TEST_UID")
	enrol agent "$login"
	park
	sign agent --as "$login"
	approvals agent 126 add "$T/answer"
	err_has "the account of that name made the request"
	approvals agent 126 approve "$ID"
	err_has "does not accept a confirmation"
	approvals root 126 approve "$ID"
	err_has "another account made the request"
	approvals root 126 approve "$ID" --key "$T/root/key" --as root
	err_has "your key is not used there"
	status=0
	setpriv --no-new-privs "$CORDON" approvals sign "$T/request" --id "$ID" --key "$T/agent/key" --as anna \
		>"$T/out" 2>"$T/err" || status=$?
	exits 126
	err_has "in a box"
	covered 1
}

@test "in a user namespace cordon enrols no people, and its requests cannot be approved" {
	people
	as user unshare -Urm true || skip "no user namespaces for ordinary accounts here"
	park
	sed 's/^/evil /' "$T/ben.pub" >"$T/evil"
	act agent unshare -Urm bash -c 'mount -t tmpfs t /etc/cordon && cp "$1" /etc/cordon/allowed_signers && shift && exec "$@"' \
		etc "$T/evil" "$CORDON" approvals key list --state "$STATE"
	[ "$status" -ne 0 ]
	err_has "user namespace"
	enrol anna
	park uid=4294967295
	answer anna 126
	err_has "user namespace"
	covered 1
}

@test "two people: two names and two keys" {
	people
	enrol anna
	park approvers=2
	approvals agent 0 show "$ID" --json
	holds "r['approvers'] == 2"
	answer anna 0
	out_is "$ID waits for 1 more"
	approvals agent 0 add "$T/answer"
	out_is "$ID waits for 1 more"
	act root "$CORDON" approvals key add anna "$T/ben.pub"
	sign ben --as anna
	approvals agent 0 add "$T/answer"
	out_is "$ID waits for 1 more"
	act root "$CORDON" approvals key add ben "$T/ben.pub"
	exits 125
	err_has "an earlier line has the same key"
	act root "$CORDON" approvals key remove anna
	enrol anna
	enrol ben
	answer anna 0
	sign ben --as anna
	approvals agent 126 add "$T/answer"
	err_has "not enrolled under that name"
	covered 1 approvers=2
	answer ben 0 --scope program
	out_is "$ID is approved"
	covered 0 approvers=2
	covered 1 approvers=2 # anna said once
}

@test "an answer covers one request, with the bytes that the signer read" {
	people
	enrol anna
	park
	READ=$ID
	sign anna
	cp "$T/answer" "$T/first"
	park conversation=d2
	sed "s/^request .*/request $(sign anna; sed -n 's/^request //p' "$T/answer")/" "$T/first" >"$T/forged"
	approvals agent 126 add "$T/forged"
	err_has "does not match this answer and key"
	sed 's/^scope once/scope program/' "$T/first" >"$T/forged"
	approvals agent 126 add "$T/forged"
	err_has "does not match this answer and key"
	for change in '1s/1/2/' '$d' '1i x' '$a x' '3s/$/ /' 's/$/\r/' '2p' '5s/until /until 0/'; do
		sed "$change" "$T/first" >"$T/forged"
		approvals agent 125 add "$T/forged"
		err_has "not an answer of this version"
	done
	head -c 100000 /dev/zero >"$T/forged"
	approvals agent 125 add "$T/forged"
	covered 1 conversation=d2
	act anna "$CORDON" approvals sign "$T/request" --id "$READ" --key "$T/anna/key" --as anna
	exits 126
	err_has "is another request"
	out_is ""
	act anna "$CORDON" approvals sign "$T/request" --key "$T/anna/key" --as anna
	exits 2
	err_has "--id ID is required: the request that you have read"
	sed 's/getcwd/geteuid/' "$T/request" >"$T/changed"
	act anna "$CORDON" approvals show "$T/changed"
	exits 125
	err_has "the code does not match the request"
	head -c 400 "$T/request" >"$T/changed"
	act anna "$CORDON" approvals show "$T/changed"
	exits 125
}

@test "sign shows the request at the terminal and writes the answer to the file" {
	people
	enrol anna
	park
	approvals agent 0 export "$ID"
	cp "$T/out" "$T/request"
	OUTPUT=$T/anna/answer at_terminal anna no approvals sign "$T/request" --key "$T/anna/key" --as anna
	exits 126
	[ ! -s "$T/anna/answer" ]
	OUTPUT=$T/anna/answer at_terminal anna yes approvals sign "$T/request" --key "$T/anna/key" --as anna
	exits 0
	out_has "$ID: pending"
	out_has "       1 | import os"
	out_has "Your answer is yes."
	[ "$(head -1 "$T/anna/answer")" = "cordon approval 1" ]
	cp "$T/anna/answer" "$T/answer"
	approvals agent 0 add "$T/answer"
	at_terminal agent "" approvals export "$ID" --state "$STATE"
	exits 2
	out_has "this needs a file"
}

# bats test_tags=long
@test "any change asks again" {
	people
	enrol anna
	park
	answer anna 0 --scope program
	covered 1 env=A=B
	covered 1 caps=2
	printf '#' >>"$T/job.py"
	covered 1
	printf 'import os\nprint(os.getcwd())\n' >"$T/job.py"
	# What only describes the request may differ: what an earlier run printed may be new evidence.
	covered 0 origin=2
	covered 0 evidence=0-6:page
	covered 0
	act root "$CORDON" approvals key remove anna
	covered 1
	printf 'print(1)\n' >"$T/job.py"
	enrol anna
	park
	answer anna 0 --scope program --for 2s
	covered 0
	sleep 3
	covered 1
	park
	approvals agent 0 export "$ID"
	act anna "$CORDON" approvals sign "$T/request" --id "$ID" --key "$T/anna/key" --as anna --for 20h
	[ "$status" -ne 0 ]
}

@test "if the policy allows it, a single account confirms at a terminal and reads how little that proves" {
	people
	park
	at_terminal agent yes approvals approve "$ID" --state "$STATE"
	exits 126
	out_has "the policy does not accept a confirmation"
	park confirm=1
	approvals agent 126 approve "$ID"
	err_has "standard input is not a terminal"
	at_terminal root yes approvals approve "$ID" --state "$STATE"
	exits 126
	out_has "another account made the request"
	at_terminal agent no approvals approve "$ID" --state "$STATE"
	exits 126
	covered 1 confirm=1
	at_terminal agent yes approvals approve "$ID" --state "$STATE"
	exits 0
	out_has "This is a confirmation, not a signature: a program of your account outside a box could type it too."
	out_has "$ID is approved"
	at_terminal agent yes approvals approve "$ID" --state "$STATE"
	exits 126
	out_has "$ID is approved"
	! grep -q "This is a confirmation" "$T/out" || return 1 # it is not asked about again
	covered 0 confirm=1
	covered 1 confirm=1
	approvals agent 0 list --all --json
	holds "[a['signed'][0] for a in r if a['signed']][0]['kind'] == 'confirmation'" \
		"[a['signed'][0] for a in r if a['signed']][0]['name'] == 'uid:$TEST_UID'"
	park confirm=1 "pgid=$(ps -o pgid= $$ | tr -d ' ')"
	at_terminal agent yes approvals approve "$ID" --state "$STATE"
	exits 126
	out_has "started this one"
	park confirm=1 approvers=2
	at_terminal agent yes approvals approve "$ID" --state "$STATE"
	exits 126
	out_has "more than one person"
}

@test "denied, with a reason or with a signature" {
	people
	enrol anna
	park
	approvals agent 0 deny "$ID" --reason "not today"
	out_is "$ID is denied"
	answer anna 126
	err_has "not today"
	approvals agent 0 show "$ID"
	out_has "because     not today"
	covered 1
	park
	answer anna 0 --scope program
	covered 0
	approvals agent 0 deny "$ID"
	covered 1
	park
	answer anna 0 --deny
	out_is "$ID is denied"
	approvals agent 0 show "$ID" --json
	holds "r['reason'] == 'anna denied it'"
}

# bats test_tags=long
@test "no answer in time: it is denied, and says so" {
	people
	enrol anna
	park wait=3000
	sign anna
	sleep 3
	approvals agent 126 add "$T/answer"
	err_has "no answer came in time"
	approvals agent 0 show "$ID" --json
	holds "r['status'] == 'expired'" "r['reason'] == 'no answer came in time'"
	covered 1
}

@test "approvals show prints the difference from an earlier request" {
	people
	enrol anna
	park
	approvals agent 0 show "$ID"
	out_has "all: nothing of that name"
	LAST=$ID
	answer anna 0
	printf 'import os\nimport sys\nprint(os.listdir())\n' >"$T/job.py"
	park
	approvals agent 0 show "$ID"
	out_has "against $LAST"
	grep -qF -- '+      2 | import sys' "$T/out"
	grep -qF -- '-      2 | print(os.getcwd())' "$T/out"
	grep -qF -- '+      3 | print(os.listdir())' "$T/out"
	[ "$(grep -c '^[-+] ' "$T/out")" -eq 3 ]
}

# bats test_tags=long
@test "root enrols in the file, others by two answers; to remove is easy" {
	people
	approvals agent 126 key add ben "$T/ben.pub"
	err_has "no person is enrolled"
	enrol anna
	enrol root
	[ "$(stat -c '%a %u' /etc/cordon/allowed_signers)" = "644 0" ]
	approvals agent 0 key list --json
	holds "[p['name'] for p in r] == ['anna', 'root']" "r[0]['line'] == 1" "r[0]['enrolled_by'] == ['root']" \
		"r[0]['type'] == 'ED25519'" "r[0]['fingerprint'].startswith('SHA256:')" "r[0]['counts']"
	approvals agent 2 key add 'a/b' "$T/ben.pub"
	approvals agent 125 key add ben "$T/job.py"
	err_has "give the person's .pub file"
	approvals agent 75 key add ben "$T/ben.pub" --json
	holds "r['status'] == 'pending'"
	ID=$(/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["approval_id"])' <"$T/out")
	at_terminal agent yes approvals approve "$ID" --state "$STATE"
	exits 126
	answer anna 0
	approvals agent 75 key add ben "$T/ben.pub"
	answer root 0
	approvals agent 75 key add eve "$T/ben.pub" # other words
	approvals agent 0 key add ben "$T/ben.pub"
	out_has "ben is enrolled"
	approvals agent 125 key add ben "$T/ben.pub"
	park
	answer ben 0
	covered 0
	approvals agent 0 key list
	out_has "enrolled by anna, root"
	act root "$CORDON" approvals key remove root
	approvals agent 0 key list
	out_has "does not count"
	park
	answer ben 126
	enrol root
	approvals agent 0 key remove ben
	approvals agent 125 key remove ben
	approvals agent 125 key remove anna
	err_has "sudo cordon approvals key remove"
	act root "$CORDON" approvals key remove anna
	exits 0
	act root "$CORDON" approvals key remove anna
	exits 125
}

@test "a file of signers that others can write, or that has an error, enrols no people" {
	people
	enrol anna
	park
	sign anna
	for how in "chmod 666" "chown $TEST_UID" "ln -sf $T/anna.pub" "sed -i s/anna/*/" "sed -i s/ssh-/cert-authority ssh-/"; do
		cp -a /etc/cordon/allowed_signers "$T/kept"
		case $how in
		"sed -i s/ssh-/"*) sed -i 's/namespaces="[^"]*"/cert-authority/' /etc/cordon/allowed_signers ;;
		"sed "*) sed -i 's/^anna/*/' /etc/cordon/allowed_signers ;;
		*) $how /etc/cordon/allowed_signers ;;
		esac
		act agent "$CORDON" approvals add "$T/answer" --state "$STATE"
		[ "$status" -ne 0 ] || { echo "after $how it counts"; false; }
		err_has "/etc/cordon/allowed_signers"
		rm -f /etc/cordon/allowed_signers
		cp -a "$T/kept" /etc/cordon/allowed_signers
	done
	chmod 777 /etc/cordon
	act agent "$CORDON" approvals add "$T/answer" --state "$STATE"
	chmod 755 /etc/cordon
	[ "$status" -ne 0 ]
	approvals agent 0 add "$T/answer"
	covered 0
}
