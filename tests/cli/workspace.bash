# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Workspaces for the tests that need one; after helper.bash. It must never touch a directory of
# another account.

# dir OWNER: a fresh workspace with a few files, which every account trusts; its listing is kept to
# compare with.
dir()
{
	W=$T/ws-$RANDOM
	mkdir -p "$W/sub"
	printf 'old\n' >"$W/file"
	printf 'kept\n' >"$W/sub/kept"
	printf 'gone\n' >"$W/gone"
	ln -s file "$W/link"
	printf '#!/bin/sh\n' >"$W/run.sh"
	chmod 755 "$W/run.sh"
	! is_root || [ "$1" != user ] || chown -hR "$TEST_UID:$TEST_UID" "$W"
	listing "$W" >"$T/before"
	! is_root || trust root "$W"
	trust user "$W"
}

listing() { (cd "$1" && { find . -printf '%p %y %m %U %l\n' && find . -type f -exec sha256sum {} +; } | sort); }
untouched() { listing "$W" | diff "$T/before" - || { echo "the workspace was touched"; return 1; }; }

# Who runs, whose directory: WAY and OWNER. In the short form the pairs take turns.
every_owner()
{
	local pair pairs='user:no-cgroup/user'
	! is_root || take_turns pairs root:full/root root:full/user user:no-cgroup/user
	for pair in $pairs; do
		dir "${pair#*/}"
		OWNER=${pair#*/}
		"$1" "${pair%/*}"
	done
}
