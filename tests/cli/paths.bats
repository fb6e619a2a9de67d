#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --ro and --hide: what else a box shows, and what it does not.
load helper
load workspace

shown() {
	mkdir -p "$T/more/in"
	printf 'more\n' >"$T/more/in/file"
	printf '#!/bin/sh\necho tool\n' >"$T/more/tool"
	chmod 755 "$T/more" "$T/more/in" "$T/more/tool"
	ln -sfn "$T/more" "$T/way"
	printf 'cat %s/more/in/file %s/way/in/file; %s/more/tool; touch %s/more/x 2>/dev/null || echo read-only\n' \
		"$T" "$T" "$T" "$T" >"$T/x.sh"
	box "$1" --json --ro "$T/more" --ro "$T/way" --workspace "$W" "$T/x.sh"
	exits 0
	holds 'r["stdout"] == "more\nmore\ntool\nread-only\n"' \
		"r['state'] == 'exposed' and r['cause'] == 'directory $T/more is untrusted'"
	box "$1" --json --profile snippet --ro "$T/more/in/file" "$T/x.sh"
	holds 'r["stdout"].startswith("more\n") and "tool" not in r["stdout"]'
}
@test "--ro: a directory or a file at its own path, read-only; it is an input" { every_owner shown; }

@test "--ro: root's own directory, also one that only root may enter" {
	need_root
	mkdir -m 700 "$T/closed"
	mkdir "$T/closed/in"
	(umask 077 && echo mine >"$T/closed/in/file")
	printf 'cat %s/closed/in/file\n' "$T" >"$T/x.sh"
	box root:full --ro "$T/closed/in" "$T/x.sh"
	exits 0
	out_is mine
}

@test "--ro: what no box shows" {
	local path
	printf 'echo ran\n' >"$T/x.sh"
	mkdir -p "$T/as-user/state/cordon"
	! is_root || chown "$TEST_UID" "$T/as-user/state" "$T/as-user/state/cordon"
	for path in / /proc /proc/self /etc /tmp "$T/home" "$T/as-user/state/cordon"; do
		box user:no-cgroup --ro "$path" "$T/x.sh"
		[ "$status" -ge 125 ] || { echo "$path"; show; }
		out_is ''
		grep -qE 'not allowed|file system of the kernel|of the system|more than one|own' "$T/err" || show
	done
}

hidden() {
	printf 'cat file sub/kept; ls -A sub; (mv sub sub2; rm -r sub; mkdir sub) 2>/dev/null; cat sub/kept file\n' >"$T/x.sh"
	box "$1" --json --diff --hide file --hide "$W/sub" --workspace "$W" "$T/x.sh"
	holds '"old" not in r["stdout"] and "kept" not in r["stdout"]' 'r["changes"] == []'
	printf 'cat file sub/kept\n' >"$T/y.sh"
	box "$1" --hide "$W/sub/kept" --workspace "$W:ro" "$T/y.sh"
	out_is old
	untouched
}
@test "--hide: a file or directory of the workspace is empty, whatever the program does" { every_owner hidden; }

@test "--hide: a path that is not shown, or not there" {
	dir user
	printf 'echo ran\n' >"$T/x.sh"
	box user:no-cgroup --hide /etc/passwd --workspace "$W" "$T/x.sh"
	exits 125
	err_has 'does not show it'
	box user:no-cgroup --hide nothing --workspace "$W" "$T/x.sh"
	exits 125
	box user:no-userns --hide file --workspace "$W:ro" "$T/x.sh"
	exits 125
	err_has 'no mounts'
}
