#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Core dumps must not leave the box: not to a file, not to a command, not to a socket. The host's
# core_pattern is covered with a file of the test's own, in a mount namespace that goes with it.
load helper

# cores HARD PATTERN WHO TIER: a run where the kernel hands cores to PATTERN.
cores()
{
	echo "$2" >"$T/pattern"
	as_who=()
	[ "$3" = root ] || as_who=(env "XDG_STATE_HOME=$T/as-user/state" "XDG_CACHE_HOME=$USER_CACHE" setpriv --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups)
	status=0
	# shellcheck disable=SC2016 # the inner shell's words
	unshare --mount --propagation private sh -c '
		mount --bind "$1" /proc/sys/kernel/core_pattern && shift && exec "$@"' sh "$T/pattern" \
		prlimit "--core=0:$1" "${as_who[@]}" timeout 60 "$CORDON" run --user --json --tier "$4" \
		--lang binary /bin/true <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

refused()
{
	exits 125
	holds 'r["error"]["layer"] == "rlimits"' "'$1' in r['error']['cause']" 'r["error"]["cure"]'
}

needs() { need_root; }

@test "cores: a hard limit of 0 does not keep them from a command" {
	for tier in no-cgroup no-userns; do
		cores 0 '|/bin/false %p' user "$tier"
		refused command
	done
}

@test "cores: a limit that can be set does" {
	cores unlimited '|/bin/false %p' user no-userns
	exits 0
	# Root may raise it, unless that was taken from him (CAP_SYS_RESOURCE).
	cores 0 '|/bin/false %p' root no-userns
	prlimit --core=0:0 prlimit --core=1:1 true 2>/dev/null || { refused command; return; }
	exits 0
}

@test "cores: no limit keeps them from a socket" {
	cores unlimited '@/run/cores' user no-userns
	refused socket
}

@test "cores: a file is no way out" {
	cores 0 core user no-userns
	exits 0
}
