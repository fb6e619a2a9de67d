#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The checks of the gate's goals that a person runs (make goal-corpus, goal-verify): they fail when a goal is
# missed. No time is compared with anything here but with none at all.
load helper

# corpus NAME CODE...: a collection of programs of the shell.
corpus()
{
	local name=$1
	shift
	/usr/bin/python3 -I - "$@" >"$T/$name.jsonl" <<-'END'
		import json, sys
		for i, code in enumerate(sys.argv[1:]):
		    print(json.dumps({"id": f"p{i}", "lang": "sh", "code": code}))
	END
}

# goal STATUS COLLECTION ARG...
goal()
{
	local expected=$1 file=$2
	shift 2
	status=0
	"$TOP/tests/corpora/gate" --goal 2 "$CORDON" "$T/$file.jsonl" --rules "$TOP/rules" "$@" \
		>"$T/out" 2>"$T/err" || status=$?
	exits "$expected"
}

# bats test_tags=long
@test "harmless programs: met, asked about, denied, none, no collection" {
	corpus good 'for number in 1 2 3; do echo "the number is $number"; done' 'ls -l /usr/share/doc | sort | head -n 3' \
		'printf "%s\n" one two three | sort -r | tail -n 2'
	goal 0 good
	out_has "goal corpus: of 3 programs 0 lead to a question (the goal is below 2 %), 0 denied"
	out_has "0 failed (none): met"
	printf 'version: 2\nprofile: strict\nexposed: {tier: no-cgroup}\n' >"$T/ask.yaml"
	goal 1 good --policy "$T/ask.yaml"
	out_has "of 3 programs 3 lead to a question"
	out_has MISSED
	mkdir "$T/r"
	sed "s/no attack says this 7f3a/o/" "$HARMLESS/nothing.yaml" >"$T/r/finds.yaml"
	printf 'version: 2\nrules: {TEST-2026-0001: asks}\n' >"$T/asks.yaml"
	goal 1 good --rules "$T/r" --policy "$T/asks.yaml"
	out_has "of 3 programs 3 lead to a question"
	printf 'version: 2\nrules: {TEST-2026-0001: denies}\n' >"$T/deny.yaml"
	goal 1 good --rules "$T/r" --policy "$T/deny.yaml"
	out_has "3 denied, 0 failed (none): MISSED"
	goal 1 good --policy "$T/none.yaml"
	out_has "3 failed (none): MISSED"
	corpus empty
	goal 1 empty
	out_has "of 0 programs"
	goal 2 nothing
	err_has "there is no collection of programs at"
	err_has "make goal-corpus CORPUS=FILE"
}

# bats test_tags=long
@test "programs that run on the host: the same in the box, other ones, and what is not counted" {
	mkdir "$T/none"
	: >"$T/none/programs.jsonl"
	corpus few 'echo one; seq 3 | tac' 'printf made >file; cat file' 'exit 3' 'date +%N' 'id; hostname' 'hostid' 'echo kept >~/x; cat ~/x'
	status=0
	"$TOP/tests/corpora/utility" "$CORDON" "$T/none" "$T/few.jsonl" >"$T/out" 2>"$T/err" || status=$?
	exits 0
	out_has 'corpus sh: 3 the same, 1 differ, 3 not counted'
	out_has 'p5: output: '
	"$TOP/tests/corpora/utility" --goal 99 "$CORDON" "$T/none" "$T/few.jsonl" >"$T/out" 2>"$T/err" || status=$?
	exits 1
	out_has "0 of 0 packages' programs"
	out_has "3 of 4 the collection's programs are the same (75.0 %; the goal is 99 %): MISSED"
}

@test "verifying: met, and missed" {
	mkdir "$T/m"
	"$BUILD/tests/store/measure" "$T/m" 1000 3600 >"$T/out"
	out_has "3600 at most: met"
	status=0
	"$BUILD/tests/store/measure" "$T/m" 1000 0 >"$T/out" || status=$?
	exits 1
	out_has "0 at most: MISSED"
}
