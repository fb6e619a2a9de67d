#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A box with the changes of earlier runs: it shows them over the directory, it tells what the program changed
# against that, and a mask holds over both. As root with directories of root's and of a user's, as a user
# with the user's own.
load helper
load workspace

needs()
{
	own_programs
	cp "$BUILD/tests/overlay-run" "$T/bin/"
}

# overlay WAY FILE|apply [SAVED]: see tests/overlay/run.c. S is the state directory.
overlay()
{
	local who=${1%%:*}
	[ -d "$S" ] || install -d -m 700 "$S"
	! is_root || [ "$who" != user ] || chown "$TEST_UID" "$S"
	status=0
	as "$who" timeout 60 "$T/bin/overlay-run" "$S" "$W" "${@:2}" >"$T/out" 2>"$T/err" || status=$?
	sort -o "$T/out" "$T/out"
}

later_runs()
{
	S=$T/overlays-$RANDOM
	overlay "$1" "$T/first.py"
	exits 0
	out_is "$(printf '%s\n' 'created deep' 'created deep/x' 'created new' 'created sub/in' 'deleted gone' \
		'modified run.sh' 'modified sub' 'pending deep' 'pending deep/x' 'pending gone' \
		'pending new' 'pending run.sh' 'pending sub/in' 'pending sub/kept')"
	untouched
	overlay "$1" "$T/second.py"
	exits 0
	out_is "$(printf '%s\n' 'created deep/y' 'created gone' 'deleted deep/x' 'deleted sub' 'modified file' \
		'modified new' 'pending deep' 'pending deep/y' 'pending file' 'pending gone' 'pending new' \
		'pending run.sh' 'pending sub' 'pending sub/kept' \
		"saw deep,file,link,new,run.sh,sub in new #!/bin/sh,echo 1000")"
	untouched
	overlay "$1" apply
	exits 0
	[ "$(cd "$W" && find . ! -type d | sort | tr '\n' ' ')" = './deep/y ./file ./gone ./link ./new ./run.sh ' ]
	[ "$(cat "$W/new")" = $'new\nmore' ]
	[ "$(find "$W" -printf '%U\n' | sort -u)" = "$(stat -c %u "$W")" ]
	overlay "$1" "$T/third.py"
	out_is 'saw more'
}
@test "a run sees the pending changes of its conversation, and reports its own against them" {
	cat <<'PY' | code first.py
import os, shutil
open("new", "w").write("new\n")
os.remove("gone")
shutil.rmtree("sub")
os.mkdir("sub")
open("sub/in", "w").write("in\n")
open("run.sh", "a").write("echo\n")
os.mkdir("deep")
open("deep/x", "w").write("x")
PY
	cat <<'PY' | code second.py
import os
print("saw", ",".join(sorted(os.listdir())), *os.listdir("sub"), open("new").read().strip(),
      ",".join(open("run.sh").read().split()), os.stat("new").st_uid)
open("new", "a").write("more\n")
open("gone", "w").write("again\n")
os.remove("sub/in")
os.rmdir("sub")
os.remove("deep/x")
open("deep/y", "w").write("y")
open("file", "w").write("changed")
PY
	echo 'print("saw", open("new").read().split()[1])' | code third.py
	every_owner later_runs
}

masked()
{
	S=$T/overlays-$RANDOM
	mkdir -p "$W/cache/cordon"
	echo secret >"$W/cache/cordon/key"
	! is_root || [ "$OWNER" != user ] || chown -R "$TEST_UID:$TEST_UID" "$W/cache"
	XDG_CACHE_HOME=$W/cache USER_CACHE=$W/cache overlay "$1" "$T/beside.py"
	exits 0
	out_has 'pending cache/beside'
	XDG_CACHE_HOME=$W/cache USER_CACHE=$W/cache overlay "$1" "$T/look.py"
	exits 0
	out_has 'saw beside,cordon'
	out_has 'hidden []'
	out_has 'fixed'
	# A saved tree that holds something at the masked place, or nothing above it.
	set -- "$1" "$S"/overlays/*/*/tree
	mkdir "$2/cache/cordon"
	echo planted >"$2/cache/cordon/key"
	! is_root || [ "$OWNER" != user ] || chown -R "$TEST_UID:$TEST_UID" "$2/cache"
	XDG_CACHE_HOME=$W/cache USER_CACHE=$W/cache overlay "$1" "$T/look.py"
	exits 0
	out_has 'hidden []'
	rm -r "$2/cache"
	mknod "$2/cache" c 0 0
	XDG_CACHE_HOME=$W/cache USER_CACHE=$W/cache overlay "$1" "$T/look.py"
	exits 1
	out_has "masking Cordon's own"
}
@test "a mask holds over the directory and the saved tree" {
	echo 'open("cache/beside", "w")' | code beside.py
	cat <<'PY' | code look.py
import os
print("saw", ",".join(sorted(os.listdir("cache"))))
print("hidden", os.listdir("cache/cordon"))
try:
    os.rename("cache", "cache2")
except OSError:
    print("fixed")
PY
	every_owner masked
}

planted()
{
	S=$T/overlays-$RANDOM
	overlay "$1" "$T/new.py"
	exits 0
	set -- "$1" "$S"/overlays/*/*/tree
	cp /bin/true "$2/suid"
	! is_root || mknod -m 666 "$2/device" c 1 5
	! is_root || [ "$OWNER" != user ] || chown -R "$TEST_UID:$TEST_UID" "$2"
	chmod 6755 "$2/suid"
	overlay "$1" "$T/use.py"
	exits 0
	out_has 'suid: PermissionError'
	! is_root || out_has 'device: PermissionError'
}
@test "set-user-ID files and devices planted in a saved tree do not work" {
	echo 'open("new", "w")' | code new.py
	cat <<'PY' | code use.py
import os
for name, use in (("suid", lambda: os.execv("./suid", ["suid"])), ("device", lambda: open("device", "rb").read(1))):
    try:
        print(name, use())
    except OSError as e:
        print(name + ":", type(e).__name__)
PY
	every_owner planted
}

replaced()
{
	S=$T/overlays-$RANDOM
	overlay "$1" "$T/new.py"
	exits 0
	mkdir -p "$T/other"
	echo forged >"$T/other/new"
	overlay "$1" "$T/new.py" "$T/other"
	if [ "${1%%:*}" = root ]; then
		exits 0 # by descriptor
	else
		exits 1
		out_has 'was replaced'
	fi
	[ "$(grep -c forged "$T/out")" -eq 0 ]
}
@test "another directory in the saved tree's place is not shown" {
	echo 'open("new", "a+").write("x"); print(open("new").read())' | code new.py
	every_owner replaced
}

inside()
{
	S=$W/state
	overlay "$1" "$T/new.py"
	exits 0
	overlay "$1" "$T/new.py"
	exits 1
	out_has "the workspace contains Cordon's state directory"
}
@test "a state directory in the workspace is an error that says so" {
	echo 'open("new", "a").write("x")' | code new.py
	every_owner inside
}
