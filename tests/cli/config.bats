#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The configuration: which place wins, what cordon config shows and finds wrong, what a run costs without one,
# and that the documents have the keys of the table. What is enforced is in config_enforced.bats.
load helper

needs() { mkdir -p "$T/config/cordon"; printf 'print(1)\n' >x.py; }

users() { cat >"$T/config/cordon/config.yaml"; }
shows() { "$CORDON" config show >"$T/out"; grep -qE "^$1 +$2 +$3\$" "$T/out" || show; }
config() { status=0; "$CORDON" config "$@" >"$T/out" 2>"$T/err" || status=$?; }

@test "later places win: operator, user, variable, option" {
	need_etc
	printf 'version: 2\nprofile: observe\n' >o.yaml
	printf 'version: 2\nprofile: strict\n' >u.yaml
	shows policy 'the profile balanced' default
	printf 'version: 1\npolicy: %s/o.yaml\ntier: no-userns\n' "$T" >/etc/cordon/config.yaml
	shows policy "$T/o.yaml" /etc/cordon/config.yaml:2
	users <<<$'version: 1\npolicy: '"$T/u.yaml"
	shows policy "$T/u.yaml" "$T/config/cordon/config.yaml:2"
	shows tier no-userns /etc/cordon/config.yaml:3
	"$CORDON" policy show | grep -q 'profile strict'
	CORDON_POLICY=$T/o.yaml shows policy "$T/o.yaml" CORDON_POLICY
	CORDON_POLICY=$T/o.yaml "$CORDON" policy show | grep -q 'profile observe'
	CORDON_POLICY=$T/o.yaml "$CORDON" policy show --policy u.yaml | grep -q 'profile strict'
	CORDON_POLICY='' shows policy "$T/u.yaml" "$T/config/cordon/config.yaml:2"
}

@test "every variable is read" {
	local v n=0
	local -A said=([CORDON_TIER]=no-userns [CORDON_POLICY]=/p [CORDON_STATE]=/s [CORDON_RULES]=/a:/b [CORDON_LOG_KEEP]=2h)
	for v in $("$CORDON" man | sed -n '/^\.SH ENVIRONMENT/,/^\.SH FILES/s/^\.B \(CORDON_[A-Z_]*\)$/\1/p'); do
		case $v in
		CORDON_STORE_URL | CORDON_BINARY) continue ;;
		CORDON_LIMITS_CPU | CORDON_LIMITS_PIDS | CORDON_LIMITS_FILES | CORDON_LIMITS_CONNECTIONS) said[$v]=77 ;;
		CORDON_LIMITS_*TIME) said[$v]=77s ;;
		CORDON_LIMITS_*) said[$v]=77M ;;
		esac
		env "$v=${said[$v]}" "$CORDON" config show | grep -qE " ${said[$v]}%? +$v\$" || { echo "$v"; return 1; }
		run -1 env "$v=@" "$CORDON" config check
		[[ $output == *"cordon: $v: "* ]] || { echo "$output"; return 1; }
		n=$((n + 1))
	done
	[ $n -ge 17 ]
}

@test "the state, the rules and the limits of a file are used" {
	mkdir -m 700 mine
	cp -r "$TOP/rules" rules
	users <<-END
		version: 1
		state: $T/mine
		rules: [$T/rules]
		limits: {time: 300ms}
		tier: no-cgroup
	END
	"$CORDON" run --user x.py
	[ -e mine/log.db ] && [ ! -e "$T/state/cordon/log.db" ]
	"$CORDON" audit verify
	"$CORDON" conversation new
	"$CORDON" scan x.py 2>&1 | grep -q "$T/rules"
	"$CORDON" rules list | grep -q CORDON-2026-0001
	printf 'import time; time.sleep(9)\n' >long.py
	run -124 "$CORDON" run --user long.py
	run -0 "$CORDON" run --user --time 5s x.py
}

@test "config check lists every error with its line and the nearest key, and a run is refused" {
	users <<-'END'
		version: 1
		teir: full
		limits: {memroy: 1G, time: 5x}
		policy: policy.yaml
		enforced: {tier: full}
	END
	config check
	exits 1
	local f=$T/config/cordon/config.yaml
	err_has "$f:2: there is no key \"teir\""
	err_has 'did you mean "tier"?'
	err_has "$f:3: there is no key \"limits.memroy\""
	err_has 'did you mean "limits.memory"?'
	err_has "$f:3: limits.time: \"5x\" is not a value"
	err_has "$f:4: policy: \"policy.yaml\" is not an absolute path"
	err_has "$f:5: enforced can only be in /etc/cordon/config.yaml"
	config check --json
	exits 1
	holds 'len(r["problems"]) == 5' 'all(set(p) == {"message", "cause", "cure"} for p in r["problems"])'
	config show
	exits 1
	run -125 "$CORDON" run --user x.py
	[[ $output == *"$f:2: there is no key"* ]]
	run -125 "$CORDON" run --user --json x.py
	[[ $output == *'"kind":"input"'*'teir'* ]]
}

@test "config check refuses a policy and rules that cannot be used" {
	printf 'version: 2\nprofil: x\n' >p.yaml
	users <<<$'version: 1\npolicy: '"$T/p.yaml"$'\nrules: ['"$T/none]"
	config check
	exits 1
	err_has "config.yaml:2: policy: $T/p.yaml:2: there is no key"
	err_has "config.yaml:3: rules: $T/none: No such file"
	printf 'version: 2\n' >p.yaml
	mkdir none
	chmod 666 p.yaml
	config check
	exits 1
	err_has "config.yaml:2: policy: others can change $T/p.yaml"
	err_has "chmod go-w $T/p.yaml"
	chmod 644 p.yaml
	config check
	exits 0
	printf 'notify: {url: "https://a.example/", secret_file: %s}\nheads: {command: [%s/gone]}\n' "$T/secret" "$T" \
		>>"$T/config/cordon/config.yaml"
	config check
	exits 1
	err_has "config.yaml:4: notify: the secret $T/secret cannot be used"
	err_has 'No such file'
	err_has "config.yaml:5: heads: $T/gone: No such file"
	echo "whsec_$(head -c 32 /dev/zero | base64)" >secret
	printf '#!/bin/sh\n' >gone
	config check
	exits 1
	err_has 'other users can read or write it'
	chmod 600 secret
	config check
	exits 0
	echo x >secret
	config check
	exits 1
	err_has 'it is not one line whsec_BASE64'
	echo "whsec_$(head -c 32 /dev/zero | base64)" >secret
	config check
	exits 0
	out_is 'no errors'
}

@test "a file that another account can change" {
	users <<<'version: 1'
	chmod 664 "$T/config/cordon/config.yaml"
	config check
	exits 1
	err_has 'another account can change it'
	err_has "chmod go-w $T/config/cordon/config.yaml"
	run -126 "$CORDON" run --user x.py
	chmod 644 "$T/config/cordon/config.yaml"
	if is_root; then
		chown 12345 "$T/config/cordon/config.yaml"
		run -126 "$CORDON" run --user x.py
		[[ $output == *'its owner is 12345'* ]]
	fi
}

@test "a file that this account cannot read; and a home that is not its own" {
	need_root
	users <<<$'version: 1\ntier: no-userns'
	chown "$TEST_UID" "$T/config/cordon/config.yaml"
	chmod 0 "$T/config/cordon/config.yaml"
	status=0
	as user "$CORDON" run --user --tier no-cgroup x.py >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'config.yaml: Permission denied'
	chmod 600 "$T/config/cordon/config.yaml"
	chown "$TEST_UID" "$T/config"
	chmod 0 "$T/config"
	as user "$CORDON" run --user --tier no-cgroup x.py >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'config.yaml: Permission denied'
	chown 0 "$T/config"
	chmod 700 "$T/config"
	as user "$CORDON" run --user --tier no-cgroup x.py >"$T/out"
	out_is 1
	chmod 755 "$T/config"
	chown 0 "$T/config/cordon"
	chmod 700 "$T/config/cordon"
	as user "$CORDON" config show >"$T/out"
	grep -qE '^tier +full +default$' "$T/out" || show
}

@test "a variable that is misspelt" {
	CORDON_TEIR=full CORDON_WHATEVER=1 config check
	exits 1
	err_has 'CORDON_TEIR: there is no such variable'
	err_has 'did you mean CORDON_TIER?'
	[ "$(wc -l <"$T/err")" -eq 2 ] || show
}

@test "a draft is checked as the operator's file that it may become" {
	printf 'version: 1\nenforced: {teir: full}\n' >draft.yaml
	config check draft.yaml
	exits 1
	err_has 'draft.yaml:2: there is no key "teir"'
	printf 'version: 1\nenforced: {policy: %s/p.yaml}\n' "$T" >draft.yaml
	printf 'version: 2\n' >p.yaml
	config check draft.yaml
	exits 1
	err_has 'draft.yaml:2: enforced.policy'
	err_has 'users other than root can change it'
	printf 'version: 1\nenforced: {tier: full, limits: {time: 5s}}\n' >draft.yaml
	config check draft.yaml
	exits 0
	printf 'version: 1\ntier: no-cgroup\nenforced: {tier: full}\n' >draft.yaml
	config check draft.yaml
	exits 1
	err_has 'draft.yaml:2: tier is never used'
	err_has 'draft.yaml:3 enforces another value'
	config check none.yaml
	exits 1
	config check a b
	exits 2
}

@test "a draft or a broken file names no receiver of heads" {
	local way
	"$CORDON" conversation new >"$T/out"
	printf '#!/bin/sh\necho ran >>%s\n' "$T/ran" >take
	chmod 755 take
	for way in '' 'teir: full'; do
		printf 'version: 1\nheads: {command: [%s]}\n%s\n' "$T/take" "$way" >draft.yaml
		config check draft.yaml
	done
	exits 1
	mkdir -p "$T/config/cordon"
	cp draft.yaml "$T/config/cordon/config.yaml"
	for way in 'config show' 'config check' doctor; do
		# shellcheck disable=SC2086 # two words
		"$CORDON" $way >"$T/out" 2>&1 || true
	done
	rm "$T/config/cordon/config.yaml"
	sleep 0.5
	[ ! -e ran ] || show
}

@test "the first refusal of an ordinary user names the line, and the line works" {
	need_root
	mkdir -m 700 home2
	chown "$TEST_UID" home2
	without() { as user env -u XDG_CONFIG_HOME HOME="$T/home2" "$CORDON" "$@" >"$T/out" 2>"$T/err"; }
	status=0
	without run --user x.py || status=$?
	exits 125
	err_has "printf 'version: 1\\ntier: no-cgroup\\n' >$T/home2/.config/cordon/config.yaml"
	without run --user --json x.py || true
	holds '"printf" in r["error"]["cure"]'
	local line
	without run --user x.py || true
	line=$(sed -n 's/.*as the default: //p' "$T/err")
	without doctor || true
	grep -qF -- "$line" "$T/out" || show
	as user bash -c "$line"
	without run --user x.py
	out_is 1
	without doctor
	out_has 'runs have the tier no-cgroup'
	printf 'version: 1\n' >home2/.config/cordon/config.yaml
	without run --user x.py || true
	err_has "write this line into $T/home2/.config/cordon/config.yaml: tier: no-cgroup"
	# A command that is too long to be shown whole is not shown.
	local long
	long=$T/home2/$(printf "%0200d" 0)
	as user env XDG_CONFIG_HOME="$long" "$CORDON" run --user x.py >"$T/out" 2>"$T/err" || true
	err_has 'write two lines into cordon/config.yaml below $XDG_CONFIG_HOME: version: 1 and tier: no-cgroup'
	# It says nothing of it where something else has named the tier.
	without run --user --tier full x.py || true
	[[ $(cat "$T/err") != *'as the default'* ]] || show
}

@test "the error of an enforced tier that does not work names the operator's file" {
	need_etc
	printf 'version: 1\nenforced: {tier: full}\n' >/etc/cordon/config.yaml
	as user "$CORDON" run --user x.py >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has '/etc/cordon/config.yaml:2 allows no weaker tier: ask the administrator'
}

@test "without a file it costs two calls" {
	command -v strace >/dev/null || skip "no strace"
	strace -o calls "$CORDON" run --user --tier no-cgroup x.py
	grep -c 'config\.yaml' calls >"$T/out"
	out_is 2
	[ "$(grep 'config\.yaml' calls | grep -c 'open.*ENOENT')" -eq 2 ]
}

@test "help, man and completion have the command" {
	run -0 "$CORDON" config --help
	[[ $output == *'show|check [FILE]'* ]]
	run -2 "$CORDON" config
	run -2 "$CORDON" config show x
	"$CORDON" completion | grep -q 'config)'
}

@test "an operator's secret works for accounts of its group; config check warns the others" {
	need_etc
	(umask 027; echo "whsec_$(head -c 32 /dev/zero | base64)" >/etc/cordon/notify.secret)
	printf 'version: 1\ntier: no-cgroup\nenforced: {notify: {url: "http://127.0.0.1:1/", secret_file: /etc/cordon/notify.secret}}\n' \
		>/etc/cordon/config.yaml
	chgrp "$TEST_UID" /etc/cordon/notify.secret
	config check
	exits 0
	as user "$CORDON" config check
	chgrp 0 /etc/cordon/notify.secret
	status=0
	as user "$CORDON" config check >"$T/out" 2>"$T/err" || status=$?
	exits 1
	err_has '/etc/cordon/config.yaml:3: notify: the secret /etc/cordon/notify.secret cannot be used'
	err_has 'Permission denied'
	err_has 'chgrp GROUP /etc/cordon/notify.secret'
}

@test "config show lists values that are never used, as JSON too" {
	need_etc
	printf 'version: 1\ntier: no-cgroup\nenforced: {tier: full}\n' >/etc/cordon/config.yaml
	config show
	exits 0
	err_has 'config.yaml:2: tier is never used'
	config show --json
	exits 0
	holds 'len(r["problems"]) == 1' '"tier is never used" in r["problems"][0]["message"]' \
		'r["values"][0]["value"] == "full"'
}

# same OBJECT LIST: the keys of the objects in LIST are the rows of OBJECT, in the manual page.
same()
{
	local rows
	rows=$("$CORDON" man | sed -n "s/^\.B config\.$1\[\]\.//p" | sort)
	/usr/bin/python3 -I -c 'import json, sys
r = json.load(open(sys.argv[1]))
print("\n".join(sorted({k for o in r[sys.argv[2]] for k in o})))' "$T/out" "$1" | diff <(echo "$rows") - || show
}
@test "the rows of its JSON are the fields" {
	config show --json
	same values
	holds '[v["name"] for v in r["values"]][:3] == ["tier", "policy", "state"]' \
		'all(v["from"] == "default" and v["where"] is None for v in r["values"])'
	users <<<'x: 1'
	config check --json
	same problems
}
