# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# An internet for the tests of --net (tests/egress/world): one for all tests of a file. `box` then runs
# cordon in there. `reached NAME PORT` and `refused WHAT WORDS` look at the attempts of the result.

# Every file that loads this has such a world, and may say more of what its tests need.
setup_file() { ! is_root || world_begin; }
teardown_file() { world_end; }
needs()
{
	need_root
	own_programs
}

world_begin()
{
	W=$(mktemp -d /tmp/egress-world.XXXXXX)
	export W
	chmod 755 "$W"
	mkfifo "$W/life"
	"$BATS_TEST_DIRNAME/../egress/world" "$W" <"$W/life" >"$W/log" 2>&1 3>&- &
	exec 9>"$W/life"
	for _ in $(seq 300); do
		[ -e "$W/ready" ] && break
		sleep 0.1
	done
	[ -e "$W/ready" ] || { cat "$W"/*log >&2; return 1; }
}

world_end()
{
	[ -n "${W:-}" ] || return 0
	local pid
	pid=$(cat "$W/client" 2>/dev/null) && kill "$pid" 2>/dev/null
	exec 9>&-
	for _ in $(seq 50); do
		[ -n "$pid" ] && [ -d "/proc/$pid" ] || break
		sleep 0.1
	done
	# Its servers may still be on their way out, and remove files of theirs.
	rm -rf --one-file-system "$W" 2>/dev/null || { sleep 2 && rm -rf --one-file-system "$W"; }
}

# as WHO COMMAND...: in the world.
as()
{
	local who=$1
	shift
	if [ "$who" = user ]; then
		set -- setpriv --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups \
			env XDG_STATE_HOME="$T/as-user/state" XDG_CACHE_HOME="$USER_CACHE" "$@"
	fi
	nsenter -t "$(cat "$W/client")" -n -m -- "$@"
}

# listed WORD...: $T/listed.yaml is a policy that lists every host that a --net among the words names.
listed()
{
	local word hosts='' last=''
	for word; do
		[ "$last" != --net ] || hosts+="${hosts:+, }\"$word\""
		last=$word
	done
	printf 'version: 2\nexposed: {tier: no-userns}\nnet: {allow: [%s]}\n' "$hosts" >"$T/listed.yaml"
}

# box WAY ARG...: as in helper.bash, where the policy lists the hosts that the call names.
box()
{
	local who=${1%%:*} tier=${1#*:}
	WAY=$1
	shift
	listed "$@"
	status=0
	as "$who" timeout 60 "$CORDON" run --user --policy "$T/listed.yaml" --tier "$tier" "$@" \
		<"$IN" >"$T/out" 2>"$T/err" || status=$?
}

# The cordon-egress that this test has started, and no other.
own_egress()
{
	local pid
	for pid in $(pgrep -x cordon-egress); do
		[ "$(readlink "/proc/$pid/exe")" != "$(dirname "$CORDON")/cordon-egress" ] || echo "$pid"
	done
}

# What left the world's client for DNS.
asked() { [ ! -e "$W/asked" ] || cat "$W/asked"; }

# Its number, when it has been at work for a moment.
await_egress()
{
	local pid
	for _ in $(seq 100); do
		pid=$(own_egress)
		[ -z "$pid" ] || break
		sleep 0.1
	done
	sleep 1
	echo "$pid"
}
