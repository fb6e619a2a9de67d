#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon approvals: what waits is shown so that nothing in it can lie, who may answer can, who may
# not cannot, and an answer is good for exactly what it says. People are accounts of their own.
load helper
load approvals.bash

@test "words that are off" {
	mkdir -m 700 "$T/fresh"
	STATE=$T/fresh
	for words in "" dance show "show a b" "key" "key dance" "key add x" "list x"; do
		status=0
		# shellcheck disable=SC2086 # a list of words
		timeout 60 "$CORDON" approvals $words --state "$STATE" >"$T/out" 2>"$T/err" || status=$?
		exits 2
	done
	status=0
	"$CORDON" approvals approve 0123456789abcdef0123456789abcdef --state "$STATE" >"$T/out" 2>"$T/err" || status=$?
	exits 2
	err_has "with which key?"
	status=0
	"$CORDON" approvals approve x --scope forever >"$T/out" 2>"$T/err" || status=$?
	exits 2
	err_has "once, conversation or program"
	status=0
	"$CORDON" approvals list --state "$STATE" >"$T/out" || status=$?
	exits 0
	out_is "nothing waits for a person"
	status=0
	"$CORDON" approvals list --json --state "$STATE" >"$T/out" || status=$?
	holds "r == []"
	status=0
	"$CORDON" approvals show 0123456789abcdef0123456789abcdef --json --state "$STATE" >"$T/out" || status=$?
	exits 125
	holds "r['error']['kind'] == 'input'"
}

@test "another account approves, once" {
	people
	enrol anna
	park
	covered 1
	approvals agent 0 list
	out_has "$ID  pending   derived  0 of 1"
	approvals root 126 approve "$ID" --key "$T/root/key"
	err_has "is not enrolled"
	enrol root
	approvals root 0 approve "$ID" --key "$T/root/key"
	out_is "$ID is approved"
	approvals root 126 approve "$ID" --key "$T/root/key"
	covered 0
	out_is "$ID"
	covered 1
	approvals agent 0 list
	out_is "nothing waits for a person"
	approvals agent 0 list --all --json
	holds "r[0]['status'] == 'used'" "r[0]['signed'][0]['name'] == 'root'" "r[0]['uses'] == 1"
}

@test "who has waited longest is first in the list" {
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

@test "root leaves nothing of its own in somebody's directory" {
	people
	enrol root
	park
	approvals root 0 approve "$ID" --key "$T/root/key" --scope program
	[ -z "$(find "$STATE" ! -uid "$TEST_UID")" ] || { find "$STATE" -ls; false; }
	covered 0
	covered 0
}

# What was used up does not come back with an old copy, whatever else is taken away.
@test "a word for once is over, also with an old copy of the log" {
	people
	enrol root
	park
	approvals root 0 approve "$ID" --key "$T/root/key"
	cp -a "$STATE" "$T/old"
	covered 0
	rm "$STATE"/log.db*
	cp -a "$T"/old/log.db* "$STATE"
	covered 2
	err_has "not the one that was signed"
	rm "$STATE/checkpoints"
	covered 2
	err_has "the file checkpoints is gone"
}

@test "who asked does not answer" {
	people
	enrol agent
	park
	approvals agent 126 approve "$ID" --key "$T/agent/key"
	err_has "your account asked for it"
	act agent "$CORDON" approvals key add mallory "$(cat "$T/ben.pub")" --state "$STATE"
	exits 0
	approvals root 126 approve "$ID" --key "$T/ben/key" # not root's file
	cp "$T/ben/key" "$T/root/stolen"
	approvals root 126 approve "$ID" --key "$T/root/stolen"
	err_has "enrolled the key"
	covered 1
}

@test "from a box nobody answers" {
	people
	enrol root
	park
	status=0
	setpriv --no-new-privs "$CORDON" approvals approve "$ID" --key "$T/root/key" --state "$STATE" \
		>"$T/out" 2>"$T/err" || status=$?
	exits 126
	err_has "in a box"
	covered 1
}

# A real one, that is given the program, a request and a key: more than anybody should. The state no box is
# given.
@test "code that was given everything does not answer from its box" {
	local boxed desk=$T/agent/desk
	readelf -Ws "$CORDON" | grep -q __asan_init && skip "the sanitizer needs more than a box gives"
	people
	enrol anna
	park
	mkdir "$desk"
	approvals agent 0 export "$ID"
	cp "$T/out" "$desk/request"
	cp "$T/anna/key" "$desk/key"
	chown -R "$TEST_UID" "$desk"
	boxed=("$CORDON" run --tier no-cgroup --user --lang binary)
	act agent env XDG_STATE_HOME="$T/agent/other" "${boxed[@]}" --workspace "$desk:rw" "$CORDON" -- \
		approvals sign "$ID" /workspace/request --key /workspace/key --name anna
	exits 126
	err_has "in a box"
	act agent env XDG_STATE_HOME="$T/agent/other" "${boxed[@]}" --workspace "$STATE:rw" "$CORDON" -- \
		approvals approve "$ID" --key /workspace/key --state /workspace
	exits 126
	err_has "is Cordon's own"
	covered 1
}

# In a user namespace of its own everybody is root.
in_userns()
{
	act agent unshare -Ur "$CORDON" approvals "$@" --state "$STATE"
}

@test "who calls himself root in a user namespace does not answer, nor enrol" {
	people
	as user unshare -Ur true || skip "no user namespaces for ordinary accounts here"
	enrol agent
	in_userns key add evil "$(cat "$T/ben.pub")" --uid 0
	exits 126
	err_has "in a user namespace"
	park
	in_userns approve "$ID" --key "$T/agent/key"
	exits 126
	err_has "this process is in a user namespace"
	act agent unshare -Ur unshare -Ur "$CORDON" approvals approve "$ID" --key "$T/agent/key" --state "$STATE"
	exits 126
	park single=1
	in_userns approve "$ID" --key "$T/agent/key"
	exits 126
	err_has "this process is in a user namespace"
	act agent "$CORDON" approvals export "$ID" --state "$STATE"
	cp "$T/out" "$T/request"
	act agent unshare -Ur "$CORDON" approvals sign "$ID" "$T/request" --key "$T/agent/key" --name agent
	exits 126
	in_userns deny "$ID"
	exits 0
	act agent "$CORDON" audit export --state "$STATE"
	/usr/bin/python3 - "$T/out" <<-'END'
		import json, sys
		said = [r["body"] for r in map(json.loads, open(sys.argv[1])) if r["kind"] == "approval"]
		denied, = [b for b in said if b["event"] == "denied"]
		assert "by" not in denied, denied
	END
}

# Who is root there can mount: a map of their own making over the kernel's.
with_own_map()
{
	act agent unshare -Urm bash -c 'mount --bind "$1" "/proc/$$/uid_map" && shift && exec "$@"' map "$T/map" \
		"$CORDON" approvals "$@" --state "$STATE"
}

@test "a map of accounts that somebody mounts is not believed" {
	people
	as user unshare -Urm true || skip "no user namespaces for ordinary accounts here"
	enrol agent
	echo '0 0 4294967295' >"$T/map"
	with_own_map key add evil "$(cat "$T/ben.pub")" --uid 0
	exits 126
	err_has "in a user namespace"
	park
	with_own_map approve "$ID" --key "$T/agent/key"
	exits 126
	err_has "this process is in a user namespace"
}

@test "what was asked in a user namespace is nobody else's: only root answers" {
	people
	as user unshare -Ur true || skip "no user namespaces for ordinary accounts here"
	printf 'version: 2\nprofile: strict\nexposed: {tier: no-cgroup}\n' >"$T/ask.yaml"
	act agent env XDG_STATE_HOME="$T/agent" "$CORDON" conversation new
	local c
	c=$(cat "$T/out")
	printf 'import os\nfor name in sorted(os.listdir("/tmp")):\n    print(name, len(name))\n' >"$T/job.py"
	act agent env XDG_STATE_HOME="$T/agent" "$CORDON" ingest --conversation "$c" --kind web --name page \
		--rules "$HARMLESS" "$T/job.py"
	exits 0
	act agent env XDG_STATE_HOME="$T/agent" unshare -Ur "$CORDON" run --json --tier no-cgroup \
		--conversation "$c" --policy "$T/ask.yaml" "$T/job.py"
	exits 75
	ID=$(/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["approval_id"])' <"$T/out")
	STATE=$T/agent/cordon
	enrol agent
	enrol root
	approvals agent 0 show "$ID" --json
	holds 'r["uid"] is None'
	approvals agent 0 show "$ID"
	out_has "an account in a user namespace"
	approvals agent 126 approve "$ID" --key "$T/agent/key"
	err_has "asked for in a user namespace"
	approvals agent 0 export "$ID"
	cp "$T/out" "$T/request"
	act anna "$CORDON" approvals sign "$ID" "$T/request" --key "$T/anna/key" --name anna
	exits 126
	act agent "$CORDON" audit export --state "$STATE"
	run ! grep -q '"uid":0\|"uid:0"' "$T/out"
	approvals root 0 approve "$ID" --key "$T/root/key"
	act agent env XDG_STATE_HOME="$T/agent" unshare -Ur "$CORDON" run --json --tier no-cgroup \
		--conversation "$c" --policy "$T/ask.yaml" "$T/job.py"
	exits 0
}

@test "two people: two keys, of two accounts" {
	people
	enrol root
	enrol anna
	park approvers=2
	approvals agent 0 show "$ID" --json
	holds "r['approvers'] == 2"
	approvals root 0 approve "$ID" --key "$T/root/key"
	out_is "$ID waits for 1 more"
	approvals root 0 approve "$ID" --key "$T/root/key"
	out_is "$ID waits for 1 more"
	covered 1 approvers=2
	approvals root 0 key add second "$(act root "$CORDON" approvals key new "$T/root/2" --plain; cat "$T/out")"
	approvals root 0 approve "$ID" --key "$T/root/2"
	out_is "$ID waits for 1 more"
	covered 1 approvers=2
	approvals agent 0 export "$ID"
	cp "$T/out" "$T/request"
	act anna "$CORDON" approvals sign "$ID" "$T/request" --key "$T/anna/key" --name anna
	approvals agent 0 add "$ID" "$(cat "$T/out")"
	out_is "$ID is approved"
	covered 0 approvers=2
	covered 1 approvers=2
}

# carried WHO STATUS [OPTION...]: WHO signs $T/request, the agent adds the word.
carried()
{
	local who=$1 expected=$2
	shift 2
	act "$who" "$CORDON" approvals sign "$ID" "$T/request" --key "$T/$who/key" --name "$who" "$@"
	exits 0
	approvals agent "$expected" add "$ID" "$(cat "$T/out")"
}

@test "two people who may not enter the directory" {
	people
	enrol anna
	enrol ben
	enrol agent
	park approvers=2
	approvals agent 0 export "$ID"
	cp "$T/out" "$T/request"
	act anna "$CORDON" approvals read "$T/request"
	exits 0
	out_has "$ID: pending"
	out_has "       1 | import os"
	at_terminal agent "" export "$ID" --state "$STATE"
	exits 2
	out_has "that is for a file"
	act agent "$CORDON" approvals sign "$ID" "$T/request" --key "$T/agent/key" --name agent
	exits 126
	carried anna 0
	out_is "$ID waits for 1 more"
	carried anna 0
	out_is "$ID waits for 1 more"
	act ben "$CORDON" approvals sign "$ID" "$T/request" --key "$T/ben/key" --name anna
	approvals agent 126 add "$ID" "$(cat "$T/out")"
	err_has "not enrolled under that name"
	covered 1 approvers=2
	carried ben 0 --scope conversation
	out_is "$ID is approved"
	covered 0 approvers=2
	covered 1 approvers=2 # anna said once
	sed 's/getcwd/geteuid/' "$T/request" >"$T/changed"
	act ben "$CORDON" approvals sign "$ID" "$T/changed" --key "$T/ben/key" --name ben
	exits 125
	err_has "not the one that the request is about"
	head -c 400 "$T/request" >"$T/changed"
	act ben "$CORDON" approvals read "$T/changed"
	exits 125
}

@test "a word for one request is no word for another" {
	people
	enrol anna
	park
	approvals agent 0 export "$ID"
	cp "$T/out" "$T/request"
	act anna "$CORDON" approvals sign "$ID" "$T/request" --key "$T/anna/key" --name anna
	exits 0
	VOTE=$(cat "$T/out")
	park conversation=d2
	approvals agent 126 add "$ID" "$VOTE"
	err_has "not signed for this request"
	approvals agent 125 add "$ID" "${VOTE%?}"
	echo "$VOTE" >"$T/agent/my vote"
	approvals agent 125 add "$ID" "$T/agent/my vote"
	err_has "give its text, for example \"\$(cat '$T/agent/my vote')\""
	approvals agent 125 add "$ID" "cordon-vote-1:00"
	covered 1 conversation=d2
}

@test "what is signed is what was read" {
	people
	enrol anna
	park
	approvals agent 0 export "$ID"
	cp "$T/out" "$T/request"
	act anna "$CORDON" approvals read "$T/request"
	exits 0
	READ=$ID
	printf 'import os\nos.abort()\n' >"$T/job.py"
	park
	approvals agent 0 export "$ID"
	cp "$T/out" "$T/request"
	act anna "$CORDON" approvals sign "$READ" "$T/request" --key "$T/anna/key" --name anna
	exits 126
	err_has "is another request"
	out_is ""
}

@test "any change asks again" {
	people
	enrol root
	park
	approvals root 0 approve "$ID" --key "$T/root/key" --scope conversation
	covered 1 env=A=B
	covered 1 caps=2
	covered 1 conversation=d2
	printf '#' >>"$T/job.py"
	covered 1
	printf 'import os\nprint(os.getcwd())\n' >"$T/job.py"
	# What only describes the request may differ: what an earlier run printed may be new evidence.
	covered 0 origin=2
	covered 0 evidence=0-6:page
	covered 0
}

@test "one account alone: a terminal, a passphrase, and not the agent" {
	people
	at_terminal agent "open sesame" key new "$T/agent/guarded"
	exits 0
	grep -o 'cordon-public-1:[0-9a-f]*' "$T/out" >"$T/guarded.pub"
	grep -q argon2id "$T/agent/guarded"
	[ "$(stat -c %a "$T/agent/guarded")" = 600 ]
	act agent "$CORDON" approvals key add me "$(cat "$T/guarded.pub")" --state "$STATE"
	enrol agent
	park
	at_terminal agent "open sesame" approve "$ID" --key "$T/agent/guarded" --state "$STATE"
	exits 126
	out_has "your account asked for it"
	park single=1
	approvals agent 126 approve "$ID" --key "$T/agent/key"
	err_has "no passphrase"
	approvals agent 125 approve "$ID" --key "$T/agent/guarded"
	err_has "no terminal"
	at_terminal agent "wrong" approve "$ID" --key "$T/agent/guarded" --state "$STATE"
	exits 126
	out_has "not the key's passphrase"
	covered 1 single=1
	at_terminal agent "open sesame" approve "$ID" --key "$T/agent/guarded" --state "$STATE"
	exits 0
	out_has "$ID is approved"
	covered 0 single=1
	park single=1 "pgid=$(ps -o pgid= $$ | tr -d ' ')"
	at_terminal agent "open sesame" approve "$ID" --key "$T/agent/guarded" --state "$STATE"
	exits 126
	out_has "started this process"
}

@test "denied, with a reason" {
	people
	enrol root
	park
	approvals root 0 deny "$ID" --reason "not today"
	out_is "$ID is denied"
	approvals root 126 approve "$ID" --key "$T/root/key"
	err_has "not today"
	approvals agent 0 show "$ID"
	out_has "because     not today"
	covered 1
	park
	approvals root 0 approve "$ID" --key "$T/root/key" --scope program
	covered 0
	approvals root 0 deny "$ID"
	covered 1
}

@test "nobody answers: it is denied, and says so" {
	people
	enrol root
	park wait=1
	approvals root 126 approve "$ID" --key "$T/root/key"
	err_has "no answer came in time"
	approvals agent 0 show "$ID" --json
	holds "r['status'] == 'expired'" "r['reason'] == 'no answer came in time'"
	covered 1
}

@test "what is shown cannot lie" {
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

@test "what is new since the last time" {
	people
	enrol root
	park
	approvals agent 0 show "$ID"
	out_has "all: nothing of that name"
	LAST=$ID
	approvals root 0 approve "$ID" --key "$T/root/key"
	printf 'import os\nimport sys\nprint(os.listdir())\n' >"$T/job.py"
	park
	approvals agent 0 show "$ID"
	out_has "against $LAST"
	grep -qF -- '+      2 | import sys' "$T/out"
	grep -qF -- '-      2 | print(os.getcwd())' "$T/out"
	grep -qF -- '+      3 | print(os.listdir())' "$T/out"
	[ "$(grep -c '^[-+] ' "$T/out")" -eq 3 ]
}

@test "keys" {
	people
	enrol anna
	approvals agent 0 key list --json
	holds "r[0]['name'] == 'anna'" "r[0]['uid'] == $(account anna)" "r[0]['enrolled_by'] == 0"
	approvals root 125 key add anna "$(cat "$T/ben.pub")"
	err_has "enrolled as anna already"
	approvals root 125 key add anna2 "$(cat "$T/anna.pub")"
	err_has "that key is enrolled already"
	approvals root 2 key add 'a/b' "$(cat "$T/ben.pub")"
	approvals root 2 key add ben nonsense
	[ "$(grep -c 'cat' "$T/err")" = 0 ]
	cp "$T/ben.pub" "$T/root/ben.pub"
	approvals root 2 key add ben "$T/root/ben.pub"
	err_has "give its text, for example \"\$(cat $T/root/ben.pub)\""
	approvals root 0 key remove anna
	approvals root 125 key remove anna
	act anna "$CORDON" approvals key list --state "$STATE"
	exits 125
	act anna "$CORDON" approvals key new "$T/anna/key" --plain
	exits 125
	act anna "$CORDON" approvals key new "$T/anna/another"
	exits 125
	err_has "no terminal"
	park
	chmod 644 "$T/root/key"
	approvals root 126 approve "$ID" --key "$T/root/key"
	err_has "only you can read"
}
