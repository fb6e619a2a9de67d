# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of /etc/cordon/config.yaml share.

needs()
{
	need_etc
	printf 'version: 2\nprofile: strict\n' >/etc/cordon/policy.yaml && cp -r "$TOP/rules" /etc/cordon/rules
	config <<-'END'
		version: 1
		tier: no-cgroup
		enforced:
		  tier: no-cgroup
		  policy: /etc/cordon/policy.yaml
		  rules: [/etc/cordon/rules]
		  limits: {time: 20s, memory: 600M}
		  log: {keep: 90d}
		  notify: {command: [/usr/bin/true]}
		  heads: {command: [/usr/bin/true, x]}
	END
	printf 'version: 2\nprofile: observe\n' >"$T/lax.yaml"
	printf 'print(1)\n' >"$T/x.py"
	cp -r "$TOP/rules" "$T/rules"
	mkdir "$T/both" && chmod 777 "$T/both"
}

config() { cat >/etc/cordon/config.yaml; chmod 644 /etc/cordon/config.yaml; }
# users TEXT: the configuration of the user's own.
users() { mkdir -p "$T/config/cordon"; cat >"$T/config/cordon/config.yaml"; }

# call WHO ARG...: cordon as that account, with the variables in VARS.
VARS=()
call()
{
	local who=$1
	shift
	status=0
	as "$who" env "${VARS[@]}" timeout 60 "$CORDON" "$@" <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

# refuses KEY LINE ARG...: for both accounts it is refused, with these words; nothing was run.
refuses()
{
	local key=$1 line=$2 who whos
	shift 2
	take_turns whos root user
	for who in $whos; do
		call "$who" "$@"
		exits 126
		err_has "$key is"
		err_has "/etc/cordon/config.yaml:$line enforces $key"
		err_has 'ask the administrator of this machine (root)'
		[ ! -s "$T/out" ] || show
	done
}

# at_terminal ARG...: as the user, with "yes" typed; what is shown is in $T/out.
at_terminal()
{
	status=0
	as user script -qec "$(printf '%q ' "$CORDON" "$@")" /dev/null <<<yes >"$T/out" 2>"$T/err" || status=$?
}

works() { local who; for who in root user; do call "$who" "$@"; exits 0; done; }

# Every command that uses the configuration; with words that are enough for its options.
commands=('run --user x.py' 'exec -- true' 'scan x.py' 'rules list' 'policy show' 'approvals list' 'box list'
	'conversation new' 'trust list' "untrust ." 'grant list' 'diff --conversation x' 'apply --conversation x' 'reset --conversation x'
	'ingest --conversation x --kind web --name n x.py' 'plan --conversation x x.py' 'audit verify' 'state show' 'mcp' 'executor')

# stops WORDS [EVERY]: nothing runs but cordon config, doctor and what needs no configuration. In the short form
# each EVERYth command is tried.
stops()
{
	local c who whos some
	mapfile -t some < <(sample "${2:-6}" "${commands[@]}")
	take_turns whos root user
	for c in "${some[@]}"; do
		for who in $whos; do
			# shellcheck disable=SC2086 # words
			call $who $c
			[ "$status" -eq 125 ] || [ "$status" -eq 126 ] || show
			err_has "$1"
			[ ! -s "$T/out" ] || show
		done
	done
	for c in 'config check' 'config show'; do
		# shellcheck disable=SC2086
		call user $c
		exits 1
		err_has "$1"
	done
	call user doctor
	exits 125
	out_has "$1"
	mapfile -t some < <(sample "${2:-6}" 'run --help' version man help completion)
	for c in "${some[@]}"; do
		# shellcheck disable=SC2086
		call user $c
		exits 0
	done
}
