#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What people are shown when they are asked, how the caller learns of the end, and how many requests one
# conversation may have.
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

# early TEXT: in its first lines.
early() { head -n 16 "$T/out" | grep -qF -- "$1" || { echo "not early: $1"; cat "$T/out"; return 1; }; }

CHANGES='import os
open("file", "w").write("new\n")
open("more.py", "w").write("import os\nprint(1)\n")
open("big", "w").write("line\n" * 100000)
open("raw", "wb").write(bytes(range(256)))
open("lie\u202etxt", "w").write("a\x1b[2Jb\n")
os.mkdir(".git"); os.mkdir(".git/hooks")
open(".git/hooks/pre-commit", "w").write("#!/bin/sh\nid\n")
os.chmod(".git/hooks/pre-commit", 0o755)'

shows_changes()
{
	tree "$1"
	exposed_changes "$1" "$CHANGES"
	gate "$1" 0 apply --conversation "$C" --title 'Fix the file' --purpose 'makes it new' "$W"
	waiting "$1"
	gate "$1" 0 approvals show "$ID"
	early 'asks to     change 6 files'
	early 'title       "Fix the file"'
	early 'agent says  "makes it new"'
	early 'web page https://page.example/'
	early 'big (too large, 500 KB)'
	early 'raw (not text, 256 bytes)'
	early '.git/hooks/pre-commit, .git, .git/hooks: run or obeyed outside the'
	early 'on no       nothing is written'
	early "cordon approvals approve $ID"
	says '-      1 | old' '+      1 | new' '+      2 | print(1)' 'lie\u202etxt' 'a^[[2Jb' \
		'a program: mode 0755'
	run ! grep -q "$(printf '\033')" "$T/out"
	gate "$1" 0 approvals show --json "$ID"
	holds 'r["title"] == "Fix the file" and r["purpose"] == "makes it new"'
	holds '{c["path"]: c["shown"] for c in r["changes"]}["big"] == "too_large"'
	holds '{c["path"]: (c["added"], c["removed"]) for c in r["changes"]}["file"] == (1, 1)'
	holds '{k["name"]: k["text"] for k in r["kept"]}["after file"] == "new\n"'
	holds 'any("too large" in s for s in r["summary"])'
}
@test "approvals show prints the diff of changes, and its first lines list those it cannot show" { each shows_changes; }

colours_changes()
{
	tree "$1"
	exposed_changes "$1" 'open("file", "w").write("new\n")'
	gate "$1" 0 apply --conversation "$C" "$W"
	waiting "$1"
	at_tty "$1" approvals show "$ID"
	grep -q "$(printf '\033')\[32m+" "$T/out"
	grep -q "$(printf '\033')\[31m-" "$T/out"
}
@test "at a terminal the diff has colours" { each colours_changes; }

applied_is_shown()
{
	tree "$1"
	exposed_changes "$1" 'open("file", "w").write("new\n")'
	gate "$1" 0 apply --conversation "$C" "$W"
	waiting "$1"
	person "$1" 0 approvals approve "$ID"
	echo 'open("file", "w").write("other\n")' >"$T/job.py"
	submit "$1" 0 --workspace "$W" "$T/job.py"
	gate "$1" 0 apply --conversation "$C" --json "$W"
	holds 'r["written"] == 0'
	[ "$(cat "$W/file")" = old ]
	holds "r['reasons'] == ['approval $ID no longer covers this, because it changed: the changes (file)']"
}
@test "other changes than those that were approved are not applied, and the difference is named" { each applied_is_shown; }

shows_program()
{
	exposed "$1"
	tree "$1"
	printf 'def f(): return 1\n' >"$W/helper.py"
	! is_root || chown --reference "$W" "$W/helper.py"
	printf 'row\nimport os # \xe2\x80\xae\n' >"$T/input"
	printf 'import helper\nprint(1)\n' >"$T/job.py"
	submit "$1" 0 --workspace "$W" --stdin "$T/input" --net a.example:443 --title 'Send rows' \
		--purpose 'sends them' "$T/job.py" -- --fast
	ID=$(member 'r["effects"][0]["waits"]')
	gate "$1" 0 approvals show "$ID"
	early 'let python code connect to a.example:443'
	early '"Send rows"'
	early 'it could send up to'
	early 'bytes of standard input'
	says 'exactly what would run' 'exactly what it would read' 'import os # \u202e' 'helper.py' '--fast'
	gate "$1" 0 approvals show "$ID" --file helper.py
	says 'def f(): return 1'
	gate "$1" 2 approvals show "$ID" --file no.py
	printf 'def f(): return 2\n' >"$W/helper.py"
	run_gate "$1" approvals show "$ID" --file helper.py
	[ "$status" -ne 0 ]
	grep -q 'is not the file that the request is about' "$T/err"
	run ! grep -q 'return 2' "$T/out"
}
@test "of a program everything is shown that can execute: code, input, modules on request" { each shows_program; }

refuses_long_input()
{
	exposed "$1"
	head -c 262145 /dev/zero | tr '\0' x >"$T/input"
	echo 'print(1)' >"$T/job.py"
	submit "$1" 0 --stdin "$T/input" --net a.example:443 "$T/job.py"
	holds 'r["effects"][0]["outcome"] == "withheld" and "standard input" in r["effects"][0]["reason"]'
	head -c 262144 /dev/zero | tr '\0' x >"$T/input"
	submit "$1" 0 --stdin "$T/input" --net a.example:443 "$T/job.py"
	holds 'r["effects"][0]["outcome"] == "waits"'
}
@test "standard input that the approver could not read cannot be approved" { each refuses_long_input; }

names_changes()
{
	exposed "$1"
	tree "$1"
	printf 'one\n' >"$T/input"
	echo 'print(1)' >"$T/job.py"
	submit "$1" 0 --workspace "$W" --stdin "$T/input" --net a.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	confirm_net "$1" "$ID"
	printf 'two\n' >"$T/input"
	printf 'x\n' >"$W/app.py"
	submit "$1" 0 --workspace "$W" --stdin "$T/input" --net a.example:443 "$T/job.py"
	holds "any('approval $ID no longer covers this' in s and 'standard input' in s and 'app.py' in s for s in r['reasons'])"
	printf 'three\n' >"$T/input"
	gate "$1" 0 run --tier "$(tier_of "$1")" --conversation "$C" --workspace "$W" --stdin "$T/input" --net a.example:443 "$T/job.py"
	err_has "approval $ID no longer covers this"
}
# The profile lets a confirmation be enough for net.
confirm_net() { person "$1" 0 approvals approve "$2"; }
@test "a change that voids an approval is named, with the file" { each names_changes; }

list_is_plain()
{
	exposed "$1"
	for n in 1 2 3; do
		echo "print($n)" | gate "$1" 0 run --tier "$(tier_of "$1")" --lang python --conversation "$C" \
			--net "h$n.example:443" --title "Job $n" - || true
	done
	IN=/dev/null
	gate "$1" 0 approvals list
	[ "$(grep -c '^[0-9a-f]\{32\}  pending  in 5' "$T/out")" -eq 3 ] || show
	says '"Job 1": let python code'
	[ "$(grep -o 'Job [123]' "$T/out" | tr '\n' ' ')" = 'Job 1 Job 2 Job 3 ' ]
}
@test "the list has a line each, oldest first, and no two are alike" { each list_is_plain; }

bounds_titles()
{
	echo 'print(1)' >"$T/job.py"
	gate "$1" 125 run --title "$(printf '%0201d' 0)" "$T/job.py"
	gate "$1" 125 run --purpose "$(printf '%0501d' 0)" "$T/job.py"
	exposed "$1"
	submit "$1" 0 --net a.example:443 --title "$(printf 'x\n  asks to     nothing')" "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	gate "$1" 0 approvals show "$ID"
	[ "$(grep -c '^  asks to' "$T/out")" -eq 1 ] || show
}
@test "a title is bounded and begins no line" { each bounds_titles; }

asks_about_acts()
{
	tree "$1"
	! is_root || chown "$TEST_UID" "$W"
	as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" timeout 20 "$CORDON" trust "$W" --wait --title 'Trust it' \
		--purpose 'to build' >"$T/trust.out" 2>&1 &
	for _ in $(seq 50); do
		gate "$1" 0 approvals list --json
		[ "$(member 'len(r)')" = 0 ] || break
		sleep 0.1
	done
	holds 'r[0]["title"] == "Trust it" and r[0]["purpose"] == "to build" and r[0]["headline"].startswith("trust: ")'
	ID=$(member 'r[0]["approval_id"]')
	gate "$1" 0 approvals show "$ID"
	early '"Trust it"'
	early 'on no       nothing is changed'
	gate "$1" 0 approvals deny "$ID"
	wait
}
@test "an act that waits has a title and a purpose too" { each asks_about_acts; }

waits()
{
	exposed "$1"
	echo 'print(1)' >"$T/job.py"
	submit "$1" 0 --net a.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	gate "$1" 75 approvals wait "$ID" --timeout 1s
	gate "$1" 75 approvals wait "$ID" --timeout 0s --json
	holds 'r["status"] == "pending"'
	run_gate "$1" approvals wait "$ID" --timeout 20s &
	sleep 0.5
	gate "$1" 0 approvals deny "$ID" --reason 'not today'
	wait
	gate "$1" 126 approvals wait "$ID" --json
	holds 'r["status"] == "denied" and r["reason"] == "not today"'
	submit "$1" 0 --net b.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	person "$1" 0 approvals approve "$ID"
	gate "$1" 0 approvals wait "$ID"
	gate "$1" 2 approvals wait no-such-id
}
@test "approvals wait: 0, 75 or 126" { each waits; }

gives_grant()
{
	exposed "$1"
	echo 'print(1)' >"$T/job.py"
	submit "$1" 0 --net a.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	person "$1" 0 approvals approve "$ID" --scope grant --for 5m
	gate "$1" 0 grant list --json
	holds 'r["tickets"] == []'
	submit "$1" 0 --net a.example:443 "$T/job.py"
	holds "r['effects'][0]['by'] == 'apr:$ID'"
	gate "$1" 0 grant list --json
	holds "[t['net'] for t in r['tickets']] == [['a.example:443']] and r['tickets'][0]['by'].endswith('(confirmation) in approval $ID') and r['tickets'][0]['by'].count('(') == 1"
	holds "r['tickets'][0]['conversation'] == '$C'"
	echo 'print("other code")' >"$T/job.py"
	submit "$1" 0 --net a.example:443 --net b.example:443 "$T/job.py"
	holds 'r["effects"][0]["outcome"] == "ticket" and r["effects"][1]["outcome"] == "waits"'
	# Not for changes of a run, nor a pattern; and it is used up.
	tree "$1"
	exposed_changes "$1" 'open("file", "w").write("new\n")'
	gate "$1" 0 apply --conversation "$C" "$W"
	waiting "$1"
	ANSWER=yes person "$1" 2 approvals approve "$ID" --scope program
	person "$1" 0 approvals approve "$ID" --scope grant
	gate "$1" 0 apply --conversation "$C" --json "$W"
	holds 'r["written"] == 1'
	[ "$(cat "$W/file")" = new ]
	echo 'open("file", "w").write("newer\n"); open("x", "w")' >"$T/job.py"
	submit "$1" 0 --workspace "$W" --apply "$T/job.py"
	[ "$(cat "$W/file")" = newer ] && [ ! -e "$W/x" ]
}
# bats test_tags=long
@test "an approval can give its conversation a grant of what was asked, and no more" { each gives_grant; }

# A grant for a directory would hold for all below it.
grants_files()
{
	exposed "$1"
	tree "$1"
	mkdir "$W/src"
	! is_root || chown --reference "$W" "$W/src"
	ask_changes "$1" 'import os; os.chmod("src", 0o700)'
	run ! grep -q -e '--scope grant' -e 'all code of the conversation may' "$T/out"
	ANSWER=yes person "$1" 126 approvals approve "$ID" --scope grant
	grep -q 'only directories change' "$T/out" || show
	ask_changes "$1" 'import os; os.chmod("src", 0o700); os.mkdir("lib"); open("lib/a b", "w"); open("src/x.py", "w")'
	says "grant       all code of the conversation may write 'lib/a b', src/x.py until "
	person "$1" 0 approvals approve "$ID" --scope grant --for 5m
	tr -d '\r' <"$T/out" >"$T/prompt"
	gate "$1" 0 apply --conversation "$C" "$W"
	grep -q "grant .*'lib/a b', src/x.py until" "$T/prompt" || { cat "$T/prompt"; return 1; }
	gate "$1" 0 grant list --json
	holds '[t["write"] for t in r["tickets"]] == [["lib/a b", "src/x.py"]]'
	echo 'open("src/main.py", "w"); open("lib/b", "w"); open("src/x.py", "w").write("2")' >"$T/job.py"
	submit "$1" 0 --workspace "$W" --apply "$T/job.py"
	[ "$(cat "$W/src/x.py")" = 2 ] && [ ! -e "$W/src/main.py" ] && [ ! -e "$W/lib/b" ]
}
# ask_changes WHO CODE: its changes wait as $ID, and are shown.
ask_changes()
{
	printf '%s\n' "$2" >"$T/job.py"
	submit "$1" 0 --workspace "$W" "$T/job.py"
	gate "$1" 0 apply --conversation "$C" "$W"
	waiting "$1"
	gate "$1" 0 approvals show "$ID"
}
# bats test_tags=long
@test "a grant of an approval has the files and links of its changes, and no directory" { each grants_files; }

too_many_changes()
{
	exposed "$1"
	tree "$1"
	echo 'for i in range(1100): open("n%d" % i, "w")' >"$T/job.py"
	submit "$1" 0 --workspace "$W" --apply "$T/job.py"
	holds 'r["status"] == "exited" and r["exit_code"] == 0 and r["approval_id"] is None'
	holds '{e["outcome"] for e in r["effects"]} == {"withheld"}'
	holds '"asked about at most 1024 changes" in r["effects"][0]["reason"]'
	gate "$1" 0 diff --conversation "$C" --json "$W"
	holds 'len(r["changes"]) == 1100'
}
@test "more changes than people are asked about stay pending, and the run has its result" { each too_many_changes; }

# The run is over and its write waits: run --apply --wait waits for that too.
waits_for_write()
{
	exposed "$1"
	tree "$1"
	echo 'open("file", "w").write("new\n")' >"$T/job.py"
	run_and_answer "$1" deny
	grep -qF "because: not applied: the request $ID is denied" "$T/run.err"
	[ "$(cat "$W/file")" = old ]
	gate "$1" 0 reset --conversation "$C" "$W"
	run_and_answer "$1" approve
	[ "$(cat "$W/file")" = new ]
	run ! grep -q -e waits: -e withheld: "$T/run.err"
}
# run_and_answer WHO ANSWER: as $ID, when the run says on its standard error that it waits.
run_and_answer()
{
	: >"$T/run.err"
	as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" timeout 60 "$CORDON" run --tier "$(tier_of "$1")" \
		--conversation "$C" --workspace "$W" --apply --wait "$T/job.py" >"$T/run.out" 2>"$T/run.err" &
	for _ in $(seq 100); do
		ID=$(sed -n 's/^cordon: waiting for people: cordon approvals show //p' "$T/run.err")
		[ -z "$ID" ] || break
		sleep 0.2
	done
	person "$1" 0 approvals "$2" "$ID"
	wait $! || { cat "$T/run.err"; return 1; }
}
# bats test_tags=long
@test "run --apply --wait says that it waits, and applies when people have agreed" { each waits_for_write; }

grant_in_words()
{
	exposed "$1"
	as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" timeout 20 "$CORDON" grant --wait --conversation "$C" \
		--write . --net a.example:443 --for 30d >"$T/grant.out" 2>&1 &
	for _ in $(seq 50); do
		gate "$1" 0 approvals list --json
		[ "$(member 'len(r)')" = 0 ] || break
		sleep 0.1
	done
	holds "r[0]['headline'] == 'grant conversation $C: write below ., connect to a.example:443, for 30 days, each run sends ' + r[0]['headline'].split('sends ')[1]"
	ID=$(member 'r[0]["approval_id"]')
	gate "$1" 0 approvals show "$ID"
	says ', for 30 days.' '  grant       conversation'
	run ! grep -q -e 'directory 0' -e '000000' -e 'secret' "$T/out"
	gate "$1" 0 approvals deny "$ID"
	wait
	gate "$1" 125 approvals show xyz
	err_has 'no request and no file xyz'
}
@test "approvals show describes a waiting grant in words" { each grant_in_words; }

counts_all()
{
	exposed "$1"
	tree "$1"
	ask_changes "$1" 'import os
for d in ".git", ".git/hooks", ".husky", ".vscode", "lib": os.mkdir(d)
for n in ".git/hooks/a", ".git/hooks/b", ".husky/c", ".vscode/d.json": open(n, "w")
os.chmod("file", 0o755)'
	early 'asks to     change 5 files and 5 directories in '
	early '.git/hooks/a, .git/hooks/b, .husky/c, .vscode/d.json and 4 more:'
}
@test "the first lines count all changes, and all that are run outside the box" { each counts_all; }

floods()
{
	local n other
	exposed "$1"
	other=$C
	exposed "$1"
	for n in $(seq 40); do
		echo "print($n)" >"$T/job.py"
		submit "$1" 0 --net a.example:443 "$T/job.py"
	done
	holds 'r["effects"][0]["outcome"] == "withheld" and "32 requests of this conversation" in r["effects"][0]["reason"]'
	gate "$1" 0 approvals list --json
	holds 'len(r) == 32'
	C=$other
	submit "$1" 0 --net a.example:443 "$T/job.py"
	holds 'r["effects"][0]["outcome"] == "waits"'
	for n in $(seq 40); do
		echo "print($n, 0)" >"$T/job.py"
		gate "$1" 0 run --json --tier "$(tier_of "$1")" --net a.example:443 "$T/job.py"
	done
	holds '"runs without a conversation" in r["effects"][0]["reason"]'
	gate "$1" 0 approvals list --json
	holds 'len(r) == 65'
}
# bats test_tags=long
@test "one conversation, and runs without one, do not take the places of others" { each floods; }

# elsewhere WHO WORDS: cordon with these words at a terminal, its output somewhere else.
elsewhere()
{
	as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" timeout 60 \
		script -qec "$CORDON $2 >$T/both/else 2>&1" /dev/null <<<"${ANSWER:-yes}" >"$T/out" 2>"$T/err"
}

shows_at_terminal()
{
	mkdir -p "$T/both" && chmod 777 "$T/both"
	tree "$1"
	elsewhere "$1" "trust $W"
	says "$W" 'Do you agree?'
	exposed "$1"
	echo 'print(1)' >"$T/job.py"
	submit "$1" 0 --net a.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	ANSWER=no elsewhere "$1" "approvals approve $ID" || true
	says 'print(1)' 'let python code connect to a.example:443' 'Do you agree?'
	# shellcheck disable=SC2031 # the function's own
	rm -f "$T/both/else"
}
@test "what is confirmed is shown at the terminal, wherever the output goes" { each shows_at_terminal; }

ends_newlines()
{
	tree "$1"
	printf 'c' >"$W/c"
	printf 'd\n' >"$W/d"
	! is_root || chown --reference "$W" "$W/c" "$W/d"
	exposed_changes "$1" 'open("c", "w").write("c\n"); open("d", "w").write("d")'
	gate "$1" 0 apply --conversation "$C" "$W"
	waiting "$1"
	gate "$1" 0 approvals show "$ID"
	says 'change 2 files' '+2 -2' '(no newline at the end)'
	gate "$1" 0 diff --conversation "$C" "$W"
	says '(no newline at the end)'
}
@test "a newline at the end of a file is a change that is shown" { each ends_newlines; }

other_encoding()
{
	tree "$1"
	printf '# coding: utf-7\ndef f(): print("+AGEAYg-")\n' >"$W/modu.py"
	printf 'def g(): pass\n' >"$W/plain.py"
	! is_root || chown --reference "$W" "$W"/*.py
	exposed "$1"
	echo 'import modu' >"$T/job.py"
	submit "$1" 0 --workspace "$W" --net a.example:443 "$T/job.py"
	ID=$(member 'r["effects"][0]["waits"]')
	gate "$1" 0 approvals show "$ID" --file modu.py
	says 'BEWARE' 'utf-7'
	gate "$1" 0 approvals show "$ID" --file plain.py
	run ! grep -q BEWARE "$T/out"
}
@test "a module in another encoding is marked when it is shown" { each other_encoding; }

child_signal()
{
	exposed "$1"
	echo 'print(1)' >"$T/job.py"
	submit "$1" 0 --net a.example:443 "$T/job.py"
	USER_STATE=$T/$1 approve "$(member 'r["effects"][0]["waits"]')"
	as "$1" env --ignore-signal=SIGCHLD XDG_STATE_HOME="$T/$1" HOME=/nonexistent "$CORDON" run --json --tier no-cgroup \
		--conversation "$C" --net a.example:443 "$T/job.py" >"$T/out" 2>"$T/err" || true
	! grep -q 'took longer' "$T/err" "$T/out" || show
}
@test "a caller that ignores SIGCHLD takes no signature away" { gate_setup; child_signal user; }
