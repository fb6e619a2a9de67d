#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What means nothing is an error that says so, and never a call that quietly does something else: options that
# do not go together, words too many, empty words, closed streams. A mistyped word is told with the word that
# it is like, if there is one.
load helper

# The first column is what the error must say. A row is a whole call; nothing of it may happen.
refused()
{
	local words line status rows=0 call=()
	while IFS='|' read -r words line; do
		[ -n "$words" ] || continue
		rows=$((rows + 1)) status=0
		words=${words%"${words##*[! ]}"}
		eval "call=($line)"
		"$CORDON" "${call[@]}" </dev/null >"$T/out" 2>"$T/err" || status=$?
		[ "$status" = 2 ] || [ "$status" = 125 ] || { echo "$line: status $status"; show; }
		grep -qF -e "$words" "$T/out" "$T/err" || { echo "$line: not told: $words"; show; }
		[ ! -s "$T/out" ] || [ "${line/--json/}" != "$line" ] || { echo "$line: it printed"; show; }
	done
	[ "$rows" -gt 5 ]
}

@test "an option that means nothing without another names the other" {
	echo 'print(1)' >x.py
	refused <<-'END'
		--apply means nothing without --workspace         |run --user --apply x.py
		--diff means nothing without --workspace          |run --user --diff x.py
		--diff and --apply need --workspace DIR:overlay   |run --user --tier no-cgroup --workspace .:ro --apply x.py
		--plan means nothing without --conversation       |run --plan 0123456789abcdef x.py
		--net-out means nothing without --net or --secret |run --net-out 5M x.py
		--net-in means nothing without                    |run --net-in 5M x.py
		--connections means nothing without               |run --connections 5 x.py
		--as means nothing without --key                  |approvals approve abc --as anna
		--sent means nothing without --net or --secret    |grant --directory . --write . --sent 5M
		--conversation or --directory is required         |grant --write .
		--venv is not for --lang node                     |run --user --tier no-cgroup --lang node --venv /tmp x.py
	END
}

@test "two options that exclude each other" {
	echo 'print(1)' >x.py
	refused <<-'END'
		--json or --events, not both           |run --json --events x.py
		--user or --exposed, not both          |run --user --exposed x.py
		--effects or --no-code-view, not both  |scan --effects --no-code-view x.py
		--json or --format, not both           |scan --json --format sarif x.py
		--json or --try, not both              |doctor --json --try 80
		--before or --keep, not both           |audit archive --before 2026-08-31 --keep 90d x
		--json and --release - both use        |ingest --conversation x --kind web --name x --release - --json x.py
	END
}

@test "an option of another verb" {
	refused <<-'END'
		--mode is only for cordon rules test                 |rules list --mode reference
		--code-view is only for cordon rules test            |rules check --code-view .
		--rules means nothing to cordon rules fetch          |rules fetch --rules .
		--strict means nothing to cordon rules fetch         |rules fetch --strict
		--policy is only for cordon policy show              |policy check --policy x y
		--reason is only for cordon approvals deny           |approvals list --reason x
		--all is only for cordon approvals list              |approvals show abc --all
		--scope is only for cordon approvals approve, sign   |approvals list --scope once
		--key is only for cordon approvals approve, sign     |approvals deny abc --key x
		--id is only for cordon approvals sign               |approvals approve abc --id abc
		--deny is only for cordon approvals sign             |approvals add - --deny
		--timeout is only for cordon approvals wait          |approvals list --timeout 5s
		--wait is only for cordon approvals key add          |approvals approve abc --wait
		--title is only for cordon conversation new          |conversation list --title x
		--wait means nothing to cordon trust list            |trust list --wait
		--write means nothing to cordon grant list           |grant list --write .
		--for means nothing to cordon grant revoke           |grant revoke abc --for 5m
		-n is only for cordon audit tail                     |audit verify -n 5
		--follow is only for cordon audit tail               |audit verify --follow
		--checkpoint is only for cordon audit verify         |audit tail --checkpoint x
		--key is only for cordon audit verify, check         |audit tail --key x
		--format is only for cordon audit export             |audit tail --format ocsf
		--from is only for cordon audit export               |audit tail --from 3
	END
}

@test "cordon refuses an option twice, an empty value and a word too many" {
	echo 'print(1)' >x.py
	refused <<-'END'
		--time is given twice                  |run --time 5s --time 6s x.py
		--time is given twice                  |run --time 5s --time 5s x.py
		--policy is given twice                |policy show --policy a --policy b
		--workspace is given twice             |run --workspace . --workspace /tmp x.py
		--policy: the value is empty (FILE)    |run --policy '' x.py
		--policy: the value is empty (FILE)    |run --policy= x.py
		--stdin: the value is empty (FILE)     |run --stdin '' x.py
		--exec: the value is empty (PATH)      |run --exec '' x.py
		--rules: the value is empty (DIR)      |scan --rules '' x.py
		cordon run: word 1 is empty            |run ''
		cordon scan: word 2 is empty           |scan x.py ''
		cordon trust: word 1 is empty          |trust ''
		cordon diff: word 1 is empty           |diff --conversation x ''
		cordon ingest: word 1 is empty         |ingest --conversation x --kind web --name x ''
		only one file is accepted              |run x.py x.py
		only one file is accepted              |ingest --conversation x --kind web --name x x.py x.py
		only one directory is accepted         |trust . .
		only one directory is accepted         |trust . -- .
		only one directory is accepted         |diff --conversation x . .
		cordon audit tail: too many operands   |audit tail x
		cordon audit tail: too many operands   |audit tail -- x
		cordon audit trace: too few operands   |audit trace
		cordon policy show: too many operands  |policy show x
		cordon grant list: too many operands   |grant list x
		cordon doctor takes no "x"             |doctor x
		only one command is accepted           |help run scan
		only one shell is accepted             |completion bash zsh
	END
}

@test "a number with something behind it, a directory where a file is meant" {
	echo 'print(1)' >x.py
	mkdir dir.py
	refused <<-'END'
		--time: "5 s" is not a value     |run --time '5 s' x.py
		--time: " 5s" is not a value     |run --time ' 5s' x.py
		--time: "+5s" is not a value     |run --time +5s x.py
		--time: "5e3" is not a value     |run --time 5e3 x.py
		--memory: "0x10M" is not a value |run --memory 0x10M x.py
		--memory: "1.5G" is not a value  |run --memory 1.5G x.py
		--pids: "5x" is not a value      |run --pids 5x x.py
		--try 80x: a port                |doctor --try 80x
		--try  80: a port                |doctor --try ' 80'
		-n: a number up to               |audit tail -n 5x
		-n: a number up to               |audit tail -n -1
		--from: a number up to           |audit export --from 1e3
		--runs: at least 1               |grant --directory . --write . --runs 0
		--runs: a number up to           |grant --directory . --write . --runs 2x
		--sent: bytes that a run         |grant --directory . --net a.example:443 --sent 5X
		--for: a time like 10m           |grant --directory . --write . --for 5y
		--net                            |run --net a.example:443x x.py
		--net                            |run --net a.example:99999 x.py
		dir.py is a directory            |run --user --tier no-cgroup dir.py
		dir.py                           |run --user --tier no-cgroup --policy dir.py x.py
		dir.py                           |run --user --tier no-cgroup --stdin dir.py x.py
		not an executable file           |run --user --tier no-cgroup --lang binary dir.py
		x.py                             |run --user --tier no-cgroup --workspace x.py x.py
		dir.py                           |policy show --policy dir.py
		dir.py                           |ingest --conversation x --kind web --name x dir.py
		x.py                             |trust x.py
	END
}

@test "did you mean: commands, verbs, options, values, and nothing far from them" {
	echo 'print(1)' >x.py
	refused <<-'END'
		"rn"; did you mean cordon run?                 |rn x.py
		"aprovals"; did you mean cordon approvals?     |aprovals list
		did you mean cordon conversation?              |help conversatoin
		--worksapce; did you mean --workspace?         |run --worksapce . x.py
		--work=.; did you mean --workspace?            |run --work=. x.py
		--tme; did you mean --time?                    |run --tme 5s x.py
		--net_out; did you mean --net-out?             |run --net_out 5M x.py
		-time; did you mean --time?                    |run -time 5s x.py
		--exce; did you mean --exec?                   |plan --exce /bin/ls x.py
		did you mean no-cgroup?                        |run --tier no-cgruop x.py
		did you mean python?                           |run --lang pyhton x.py
		did you mean high?                             |scan --fail-on hihg x.py
		did you mean enforce?                          |scan --lane enforc x.py
		did you mean program?                          |approvals approve x --scope progam
		"cordon config shwo"; did you mean show?       |config shwo
		"cordon audit vreify"; did you mean verify?    |audit vreify
		"cordon approvals key ad"; did you mean add?   |approvals key ad x
		"cordon grant lst"; did you mean list?         |grant lst
		"cordon conversation nwe"; did you mean new?   |conversation nwe
		"cordon rules tset"; did you mean test?        |rules tset .
		"cordon policy chekc"; did you mean check?     |policy chekc x
	END
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words
		"$CORDON" $line </dev/null >"$T/out" 2>"$T/err" || true
		run ! grep -q 'did you mean' "$T/err"
	done <<-'END'
		frobnicate
		x
		run --x x.py
		run --quiet x.py
		run --lang ruby x.py
		audit gc
	END
	"$CORDON" $'r\e[2Jun' 2>"$T/err" || true
	run ! grep -q $'\e' "$T/err"
}

@test "did you mean: keys and words of a policy, limits, keys and words of rules" {
	local text want
	while IFS='|' read -r want text; do
		printf 'version: 2\n%s\n' "$text" >policy.yaml
		run -1 "$CORDON" policy check policy.yaml
		[[ $output == *"policy.yaml:2: "*"did you mean ${want// /}?"* ]] || { echo "$output"; return 1; }
	done <<-'END'
		profile  |profle: balanced
		balanced |profile: balancd
		time     |exposed: {limits: {tmie: 5s}}
		write    |exposed: {wriet: ask}
		deny     |exposed: {write: dney}
		approvers|approval: {aprovers: 2}
	END
	printf 'version: 2\nfrobnicate: 1\n' >policy.yaml
	run -1 "$CORDON" policy check policy.yaml
	[[ $output != *"did you mean"* ]]
	mkdir r
	sed -e 's/^severity:/severty:/' -e 's/^maturity: .*/maturity: stabel/' -e 's/operator: .*/operator: regx/' \
		"$TOP/rules/0001-reverse-shell-command.yaml" >r/a.yaml
	sed -e 's/field: .*/field: contant/' "$TOP/rules/0002-reverse-shell-python.yaml" >r/b.yaml
	run -1 "$CORDON" rules check r
	local line
	line=$(grep -n '^severty:' r/a.yaml)
	for want in "r/a.yaml:${line%%:*}: error: CORDON-2026-0001: severity is missing; did you mean it here?" \
		'maturity "stabel" is not in the schema: counts as experimental; did you mean stable?' \
		'no such operator; did you mean regex?' 'no event has a field "contant" of itself; did you mean content?'; do
		grep -qF "$want" <<<"$output" || { echo "not told: $want"; echo "$output"; return 1; }
	done
}

@test "closed standard input is an error where it is meant to be read, and nowhere else" {
	echo 'print(1)' >x.py
	local c
	while read -r c; do
		status=0
		# shellcheck disable=SC2086 # words
		"$CORDON" $c <&- >"$T/out" 2>"$T/err" || status=$?
		[ "$status" = 125 ] || [ "$status" = 2 ] || { echo "$c: status $status"; show; }
		err_has 'standard input is closed'
		err_has 'try: give it a file or a pipe'
	done <<-'END'
		run --user --tier no-cgroup --lang python -
		run --user --tier no-cgroup --stdin - x.py
		plan --conversation x --lang python -
		scan -
		ingest --conversation x --kind web --name x -
	END
	"$CORDON" run --user --tier no-cgroup x.py <&- >"$T/out"
	out_is 1
	"$CORDON" conversation list <&-
}

# bats test_tags=long
@test "output that cannot be written is a failure: closed, a full disk, a reader that is gone" {
	echo 'print("x" * 1000000)' >x.py
	local c to
	while read -r c; do
		for to in closed full; do
			status=0
			# shellcheck disable=SC2086 # words
			if [ $to = closed ]; then
				"$CORDON" $c >&- 2>"$T/err" || status=$?
			else
				"$CORDON" $c >/dev/full 2>"$T/err" || status=$?
			fi
			[ "$status" = 125 ] || { echo "$c: $to: status $status"; show; }
			err_has 'the output could not be written completely'
		done
	done <<-'END'
		version
		man
		completion
		doctor
		--help
		run --help
		help scan
		run --user --tier no-cgroup x.py
		run --user --tier no-cgroup --json x.py
		run --user --tier no-cgroup --events x.py
		scan x.py
		scan --json x.py
		scan --format sarif x.py
		rules list
		rules stats
		rules show CORDON-2026-0001
		policy show
		approvals list
		conversation new
		conversation list
		trust list --json
		grant list --json
		audit tail
		audit verify
		audit export
		audit key
		audit checkpoint
	END
	for c in 'run --user --tier no-cgroup --output 4M x.py' 'run --user --tier no-cgroup --output 4M --json x.py' man; do
		# shellcheck disable=SC2086 # words
		{ "$CORDON" $c 2>/dev/null; echo $? >"$T/rc"; } | true
		[ "$(cat "$T/rc")" != 0 ] || [ "$c" = man ]
	done
}
