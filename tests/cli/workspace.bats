#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The user's directory in the box: read-only, read-write, or copy-on-write with diff and apply.
# Nothing may be left in it that was not applied. As root with directories of root's and of a
# user's, as a user with his own.
load helper
load workspace

change_things() {
	cat <<'PY' | code change.py
import os
print(sorted(os.listdir()), open("file").read().strip(), os.getcwd())
open("new", "w").write("new\n")
open("file", "a").write("more\n")
os.remove("gone")
os.makedirs("deep/er")
open("deep/er/x", "w").write("x")
os.rename("sub/kept", "sub/moved")
os.chmod("run.sh", 0o700)
PY
}

read_only() {
	box "$1" --json --workspace "$W:ro" "$T/x.py"
	exits 0
	holds 'r["stdout"] == "old 30\n"' 'r["changes"] == []'
	untouched
}
@test "ro: it can be read and not written" {
	cat <<'PY' | code x.py
import errno
t = open("file").read().strip()
try:
    open("new", "w")
    print("written")
except OSError as e:
    print(t, 30 if e.errno in (errno.EROFS, errno.EACCES, errno.EPERM) else e.errno)
PY
	every_owner read_only
}

read_write() {
	box "$1" --json --workspace "$W:rw" "$T/change.py"
	exits 0
	[ "$(cat "$W/new")" = new ]
	[ "$(cat "$W/file")" = $'old\nmore' ]
	[ ! -e "$W/gone" ] && [ -e "$W/deep/er/x" ]
	[ "$(stat -c %u "$W/new")" = "$(stat -c %u "$W")" ] || { ls -ln "$W"; return 1; }
	[ "$(ls -A "$W")" = "$(printf 'deep\nfile\nlink\nnew\nrun.sh\nsub')" ] || { ls -lA "$W"; return 1; }
}
@test "rw: changes are there, and belong to the directory's owner" {
	change_things
	every_owner read_write
}

overlay() {
	box "$1" --json --workspace "$W" "$T/change.py"
	exits 0
	holds "r['stdout'].startswith(\"['file', 'gone', 'link', 'run.sh', 'sub'] old $W\")" \
		'r["effects"] == []'
	untouched
}
@test "overlay: the default, the program may write, nothing stays" {
	change_things
	every_owner overlay
}

diffed() {
	box "$1" --json --workspace "$W:overlay" --diff "$T/change.py"
	exits 0
	holds '{(c["path"], c["change"]) for c in r["changes"]} == {("new", "created"),
		("file", "modified"), ("gone", "deleted"), ("deep", "created"), ("deep/er", "created"),
		("deep/er/x", "created"), ("sub/kept", "deleted"), ("sub/moved", "created"),
		("run.sh", "modified")}' \
		'{c["path"]: c for c in r["changes"]}["file"]["size"] == 9' \
		'{c["path"]: c for c in r["changes"]}["run.sh"]["mode"] == "0700"' \
		'{c["path"]: c for c in r["changes"]}["deep"]["type"] == "directory"' \
		'not r["changes_cut"] and r["effects"] == []'
	untouched
}
@test "--diff reports every change and keeps none" {
	change_things
	every_owner diffed
}

applied() {
	box "$1" --json --workspace "$W:overlay" --apply "$T/change.py"
	exits 0
	holds 'r["state"] == "clean" and len(r["changes"]) == len(r["effects"]) == 9' \
		'all(e["done"] and e["outcome"] == "policy" for e in r["effects"])'
	[ "$(cat "$W/new")" = new ]
	[ "$(cat "$W/file")" = $'old\nmore' ]
	[ ! -e "$W/gone" ] && [ ! -e "$W/sub/kept" ]
	[ "$(cat "$W/sub/moved")" = kept ] && [ "$(cat "$W/deep/er/x")" = x ]
	[ "$(stat -c %a "$W/run.sh")" = 700 ]
	[ "$(find "$W" | wc -l)" -eq 10 ] || { find "$W"; return 1; }
}
@test "--apply: the changes are written back" {
	change_things
	every_owner applied
}

apply_owner() {
	box "$1" --workspace "$W:overlay" --apply "$T/change.py"
	exits 0
	[ "$(find "$W" -printf '%U\n' | sort -u)" = "$(stat -c %u "$W")" ] || { ls -lnR "$W"; return 1; }
}
@test "--apply gives new files to the owner of the directory" {
	change_things
	every_owner apply_owner
}

not_applied() {
	printf 'open("new", "w").write("x")\nraise SystemExit(3)\n' | code fail.py
	box "$1" --json --workspace "$W:overlay" --apply "$T/fail.py"
	exits 3
	holds 'r["effects"] == [] and len(r["changes"]) == 1'
	untouched
	printf 'open("new", "w").write("x")\nwhile True: pass\n' | code hang.py
	box "$1" --json --time 500ms --workspace "$W:overlay" --apply "$T/hang.py"
	exits 124
	holds 'r["effects"] == []'
	untouched
}
@test "--apply: a program that failed or was stopped writes nothing back" {
	every_owner not_applied
}

refused() {
	cat <<'PY' | code x.py
import os
os.symlink("/etc/passwd", "evil")
os.makedirs(".git/hooks")
open(".git/hooks/pre-commit", "w").write("#!/bin/sh\n")
open(".bashrc", "w").write("id\n")
os.remove("link")
os.symlink("/etc", "link")
open("plain", "w").write("x")
os.close(os.open("suid", os.O_CREAT | os.O_WRONLY, 0o4755))
try:
    os.chmod("suid", 0o6755)
    print("set-id")
except PermissionError:
    pass
os.mkfifo("fifo")
PY
	box "$1" --json --rules "$HARMLESS" --workspace "$W:overlay" --apply "$T/x.py"
	exits 0
	holds '{e["object"] for e in r["effects"] if not e["done"]} >= {"evil", "link", ".bashrc",
		".git/hooks/pre-commit"}' \
		'[e["done"] for e in r["effects"] if e["object"] == "plain"] == [True]'
	[ ! -e "$W/evil" ] && [ ! -L "$W/evil" ] && [ ! -e "$W/.bashrc" ] && [ ! -e "$W/fifo" ]
	[ ! -e "$W/.git/hooks/pre-commit" ] && [ -e "$W/plain" ]
	[ "$(readlink "$W/link")" != /etc ]
	holds 'r["stdout"] == ""'
	[ "$(stat -c %a "$W/suid")" = 755 ]
}
@test "--apply: links, hooks, fifos and set-id bits do not come through" {
	every_owner refused
}

big_tree() {
	printf 'import os\nfor i in range(500):\n os.makedirs(f"d{i}"); open(f"d{i}/f", "w").write(str(i))\n' |
		code x.py
	box "$1" --json --workspace "$W:overlay" --apply "$T/x.py"
	exits 0
	holds 'len(r["changes"]) == 1000 and all(e["done"] for e in r["effects"])'
	[ "$(cat "$W/d499/f")" = 499 ]
}
# bats test_tags=long
@test "--apply: a thousand changes" {
	every_owner big_tree
}

odd_names() {
	cat <<'PY' | code x.py
for n in (b"a b", b"new\nline", b"\xff\xfe", b"cordon: x", "\u00e4".encode(), b"-rf", b"\x1b[31m",
          "\u202e\u200b".encode()):
    open(n, "w").close()
PY
	box "$1" --json --workspace "$W:overlay" --diff "$T/x.py"
	exits 0
	holds 'len(r["changes"]) == 8' \
		'any(c.get("path_encoding") == "base64" and base64.b64decode(c["path"]) == b"\xff\xfe"
		for c in r["changes"])' 'any(c["path"] == "new\nline" for c in r["changes"])'
	box "$1" --workspace "$W:overlay" --diff "$T/x.py"
	! grep -qP '\x1b|^line' "$T/err" || show
	! grep -qF -e $'\u202e' -e $'\u200b' "$T/err" || show
}
@test "--diff reports odd names exactly, and escapes them for a terminal" {
	every_owner odd_names
}

@test "a relative workspace, one with spaces, the current directory" {
	mkdir -p "$T/my dir/in"
	printf 'here\n' >"$T/my dir/in/file"
	printf 'print(open("file").read().strip())\n' | code x.py
	cd "$T/my dir"
	local way
	for way in $WAYS; do
		box "$way" --workspace in "$T/x.py"
		exits 0
		out_is here
		box "$way" --workspace "$T/my dir/in:ro" "$T/x.py"
		out_is here
		cd in
		box "$way" --workspace . "$T/x.py"
		out_is here
		cd ..
	done
}

import_own() {
	printf 'def f(): return "own module"\n' >"$W/mymodule.py"
	box "$1" --workspace "$W" "$T/x.py"
	exits 0
	out_is 'own module'
}
@test "python imports modules of the workspace" {
	printf 'import mymodule\nprint(mymodule.f())\n' | code x.py
	every_owner import_own
}

@test "wrong workspaces are refused" {
	printf 'print(1)\n' | code x.py
	: >"$T/plain"
	local w
	for w in "$T/nothing" "$T/plain" / :ro ''; do
		box user:no-cgroup --workspace "$w" "$T/x.py"
		exits 125
		out_is ''
	done
	box user:no-cgroup --diff "$T/x.py"
	exits 125
	err_has workspace
	mkdir "$T/w"
	box user:no-cgroup --workspace "$T/w:ro" --apply "$T/x.py"
	exits 125
	trust user "$T/w"
	box user:no-userns --workspace "$T/w" "$T/x.py"
	exits 125
	err_has overlay
}

@test "without namespaces: ro and rw" {
	dir user
	printf 'print(open("file").read().strip())\nopen("new", "w").write("x")\n' | code x.py
	box user:no-userns --workspace "$W:rw" "$T/x.py"
	exits 0
	out_is old
	[ "$(cat "$W/new")" = x ]
	rm "$W/new"
	box user:no-userns --workspace "$W:ro" "$T/x.py"
	exits 1
	[ ! -e "$W/new" ]
	[ -z "$(find /tmp -maxdepth 1 -name 'cordon-??????' -user "$TEST_UID" -mmin -1 2>/dev/null)" ] ||
		{ ls -ld /tmp/cordon-*; return 1; }
}

@test "a workspace that the user may not read" {
	need_root
	dir root
	chmod 700 "$W"
	printf 'print(1)\n' | code x.py
	box user:no-cgroup --workspace "$W" "$T/x.py"
	exits 125
	err_has "$W"
}

too_deep() {
	cat <<'PY' | code x.py
import os
for i in range(600):
    os.mkdir("d")
    os.chdir("d")
open("hidden", "w").write("x")
PY
	box "$1" --json --workspace "$W:overlay" --apply "$T/x.py"
	holds 'r["effects"] == []' 'r["changes_cut"]' '"nothing was kept" in r["error"]["message"]'
	[ ! -e "$W/d" ]
}
@test "--apply refuses a diff that cannot be listed in full" {
	every_owner too_deep
}

amplified() {
	cat <<'PY' | code x.py
import os
for i in range(40):
    with open(f"sparse{i}", "wb") as f:
        f.truncate(1 << 20)
PY
	box "$1" --json --disk 8M --workspace "$W:overlay" --apply "$T/x.py"
	holds 'r["effects"] == []' '"larger than --disk" in r["error"]["message"]'
	[ ! -e "$W/sparse0" ]
}
@test "--apply: holes do not become the host's disk" {
	every_owner amplified
}

@test "--apply: in a directory that cannot be written to the changes stay pending" {
	need_root
	dir root
	local c
	c=$(as user "$CORDON" conversation new)
	printf 'open("new", "w").write("x")\n' | code x.py
	box user:no-cgroup --json --conversation "$c" --workspace "$W" --apply "$T/x.py"
	exits 125
	holds 'r["ran"] and r["error"]["kind"] == "input"'
	untouched
	as user "$CORDON" diff --conversation "$c" "$W" >"$T/out"
	out_has 'created new'
}

# mounted MODE: a workspace with something mounted below it.
mounted() {
	unshare -m sh -c "mount -t $2 none '$W/sub' && exec timeout 60 '$CORDON' run --user --tier no-cgroup \
		--workspace '$W:$1' '$T/x.py'" >"$T/out" 2>"$T/err"
}
@test "mounts below the workspace: shown, or refused where they cannot be" {
	need_root
	dir user
	printf 'import os\nprint(os.listdir("sub"))\n' | code x.py
	status=0
	mounted ro tmpfs || status=$?
	exits 0
	out_is '[]'
	mounted overlay tmpfs || status=$?
	exits 125
	out_is ''
	err_has 'mounted below'
	err_has "$W/sub"
	err_has 'try: '
	mv "$W" "$W a b"
	W="$W a b"
	mounted overlay tmpfs || status=$?
	exits 125
	# The host's processes are not a workspace, wherever they are shown.
	for mode in ro rw overlay; do
		status=0
		mounted $mode proc || status=$?
		exits 125
		err_has 'it is proc'
	done
}

# bats test_tags=long
@test "an invalid workspace is refused with the reason and a hint" {
	mkdir "$T/w"
	printf 'print("ran")\n' | code x.py
	local w
	for w in /proc:ro /sys:ro /proc/self:ro /sys/kernel:rw /proc "$T/w:zz" "$T/w:r" /; do
		box user:no-cgroup --workspace "$w" "$T/x.py"
		exits 125
		out_is ''
		err_has 'because: '
		err_has 'try: '
	done
	mkdir "$T/w:zz"
	box user:no-cgroup --workspace "$T/w:zz" "$T/x.py"
	exits 0
	box user:no-cgroup --venv "$T/w" "$T/x.py"
	exits 125
	err_has 'not a virtualenv'
	err_has "because: $T/w/bin/python3"
	err_has 'python3 -m venv'
}

@test "without namespaces: what was killed is swept away, also when the directory is a user's" {
	need_root
	dir user
	printf 'import os, time\nprint(os.environ["HOME"], flush=True)\ntime.sleep(30)\n' | code x.py
	"$CORDON" run --user --tier no-userns --workspace "$W:ro" "$T/x.py" >"$T/out" 2>"$T/err" &
	local pid=$! box home i
	for i in $(seq 100); do
		[ ! -s "$T/out" ] || break
		sleep 0.05
	done
	home=$(cat "$T/out")
	[ -d "$home" ]
	box=$(pgrep -P $pid)
	kill -9 $pid "$box"
	wait $pid || true
	# Its init may take a moment to follow.
	for i in $(seq 100); do
		box root:no-userns --lang binary /bin/true
		exits 0
		[ -e "$home" ] || break
		sleep 0.05
	done
	[ ! -e "$home" ] || { ls -ld "$home"; rm -rf "$home"; return 1; }
	[ "$(dirname "$home")" = /tmp ] || [ ! -e "$(dirname "$home")" ]
}

# Two directories change places all the time, and Landlock opens by name: what a run can read must be
# of the directory that it was given, which is the one that cordon holds open meanwhile. Races until
# one run was refused and one was not.
# bats test_tags=long
@test "no-userns: a workspace that is replaced meanwhile is not taken" {
	mkdir a b
	trust user "$T"
	stat -c %i a >a/who
	stat -c %i b >b/who
	cat >swap.py <<-'END'
		import ctypes, time
		end = time.time() + 120
		while time.time() < end:
		    ctypes.CDLL(None).renameat2(-100, b"a", -100, b"b", 2)
		    time.sleep(0.0005)
	END
	cat >x.py <<-'END'
		import sys
		seen = set()
		for i in range(100):
		    for name in ("who", *sys.argv[1:]):
		        try:
		            seen.add(open(name).read().strip())
		        except OSError:
		            pass
		print(*seen, flush=True)
		sys.stdin.read()
	END
	cat >race.py <<-'END'
		import os, subprocess, sys
		both, cordon = set(sys.argv[1:3]), sys.argv[3:]
		def given(pid):
		    fds = f"/proc/{pid}/fd/"
		    return {str(os.stat(fds + fd).st_ino) for fd in os.listdir(fds)} & both
		def race():
		    run = subprocess.Popen(cordon, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
		                           stderr=subprocess.PIPE, text=True)
		    seen = set(run.stdout.readline().split())
		    meant = given(run.pid) if seen else set()
		    told = run.communicate()[1]
		    if run.returncode == 125 and not seen:
		        moved = "the directory has been moved" in told
		        assert moved or "was replaced while the run was prepared" in told and "do not replace the file" in told, told
		        return "refused"
		    assert run.returncode == 0 and len(meant) == 1 and seen == meant, (seen, meant, told)
		    return "ran"
		came = set()
		for i in range(400):
		    came.add(race())
		    if i >= 40 and len(came) == 2:
		        break
		assert came == {"refused", "ran"}, came
	END
	local both swapper status=0
	both=$(cat a/who b/who)
	/usr/bin/python3 swap.py &
	swapper=$!
	# shellcheck disable=SC2086 # two words
	as user timeout 100 /usr/bin/python3 race.py $both "$CORDON" run --user --tier no-userns --stdin - \
		--workspace "$T/a:ro" x.py -- "$T/a/who" "$T/b/who" || status=$?
	kill $swapper
	[ $status -eq 0 ]
}

@test "--diff says that files are missing which lie too deep for its descriptors" {
	dir user
	code x.py <<-'END'
		import os
		for i in range(90):
		    os.mkdir("d"); os.chdir("d")
		open("bottom", "w").close()
	END
	local n
	for n in 80 81 82; do
		(ulimit -n $n; as user "$CORDON" run --user --tier no-cgroup --json --diff --workspace "$W" \
			"$T/x.py") >"$T/out" 2>"$T/err" || [ $? -eq 125 ] || show
		holds 'r["changes_cut"] and "nothing was kept" in r["error"]["message"] or any(c["path"].endswith("bottom") for c in r["changes"])'
	done
}

# bats test_tags=long
@test "without namespaces: the private directory is gone when cordon returns" {
	need_root
	code x.py <<-'END'
		import os
		for i in range(3000):
		    open("f%d" % i, "w").close()
		for i in range(100):
		    os.makedirs("%d/a/b" % i)
		print(os.path.dirname(os.environ["HOME"]))
	END
	local i
	for i in $(seq 20); do
		box root:no-userns "$T/x.py"
		exits 0
		[ ! -e "$(cat "$T/out")" ] || show
	done
}
