#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --workspace DIR:rw: the directory itself is written. What would be run or obeyed outside the box stays as
# it was, under its own name, and a new path of that kind goes to the pending changes.
load helper
load scan.bash
load gate.bash

# begin: a trusted repository of the user's, with an editor's tasks in a directory below, and a grant for an
# exposed conversation.
begin()
{
	gate_setup
	tree user
	as user bash -c 'cd "$1" && mkdir -p sub/.vscode bare/objects bare/refs && echo {} >sub/.vscode/tasks.json &&
		echo "ref: refs/heads/main" >bare/HEAD && echo "[core]" >bare/config &&
		export HOME=/nonexistent && git init -q . && git add file && git -c user.name=u -c user.email=u@x commit -qm one' _ "$W"
	person user 0 trust "$W"
	exposed user
	person user 0 grant --conversation "$C" --write .
}

# direct STATUS LANG CODE: run in the directory itself.
direct()
{
	printf '%b\n' "$3" >"$T/job.$2"
	submit user "$1" --workspace "$W:rw" --exec /usr/bin/git "$T/job.$2"
	holds 'r["effects"][0]["outcome"] == "ticket" and r["effects"][0]["object"] == "."'
}

# bats test_tags=long
@test "the directory itself is written, and git commits" {
	begin
	direct 0 sh 'echo new >file; mkdir made; echo x >made/y
export HOME=/tmp; git add file made; git -c user.name=u -c user.email=u@x commit -qm two; git log --oneline | wc -l'
	holds 'r["stdout"] == "2\n"'
	[ "$(cat "$W/file" "$W/made/y")" = $'new\nx' ]
	[ "$(as user git -C "$W" log --oneline | wc -l)" = 2 ]
	gate user 0 diff --conversation "$C" "$W"
	out_is "no pending changes"
}

@test "exposed code cannot change or move a protected path" {
	begin
	(cd "$W" && find . -path ./made -prune -o -type f -print0 | sort -z | xargs -0 sha256sum) >"$T/before"
	direct 0 py '
import os
def attempt(what):
    try: what(); print("done")
    except OSError as e: pass
def put(path, text): open(path, "w").write(text)
for path in ".git/config", ".git/hooks/post-commit", ".git/info/attributes", "sub/.vscode/tasks.json", "bare/config":
    attempt(lambda: put(path, "evil"))
for path in ".git", ".git/hooks", ".git/config", "sub", "sub/.vscode", "sub/.vscode/tasks.json", "bare", "bare/config":
    attempt(lambda: os.rename(path, "moved"))
    attempt(lambda: os.rename(path, "/tmp/moved"))
for path in ".git/config", "sub/.vscode/tasks.json", "bare/config":
    attempt(lambda: os.unlink(path))
    attempt(lambda: os.link(path, "linked"))
    attempt(lambda: os.chmod(path, 0o777))
attempt(lambda: os.symlink("../evil", ".git/hooks/x"))
put("ordinary", "x")'
	holds 'r["stdout"] == ""'
	(cd "$W" && rm ordinary && find . -path ./made -prune -o -type f -print0 | sort -z | xargs -0 sha256sum) >"$T/after"
	diff "$T/before" "$T/after"
}

@test "a new path of that kind goes to the pending changes" {
	begin
	direct 0 py '
import os, pathlib
for path in (".vscode/tasks.json", "deep/er/AGENTS.md", "sub/.envrc", ".git/hooks2", ".git/worktrees/w/commondir", "other/.git",
             "made/HEAD", "made/objects/x", "made/refs/x", "made/config", "made/below/.npmrc", "bare/hooks/post-commit",
             "bare/below/CLAUDE.md", "__pycache__/file.pyc", "plain/file"):
    p = pathlib.Path(path)
    p.parent.mkdir(parents=True, exist_ok=True)
    p.write_text("x")'
	for path in .vscode deep/er/AGENTS.md sub/.envrc .git/worktrees other/.git made/config made/below/.npmrc bare/hooks \
		bare/below/CLAUDE.md __pycache__/file.pyc .git/hooks2; do
		[ ! -e "$W/$path" ] || { echo "$path is there"; false; }
	done
	[ "$(cat "$W/plain/file" "$W/made/HEAD")" = xx ]
	gate user 0 diff --conversation "$C" "$W" --json
	holds '{c["path"] for c in r["changes"] if c["after"]["type"] != "directory"} == {".vscode/tasks.json", "deep/er/AGENTS.md", "sub/.envrc", ".git/hooks2", ".git/worktrees/w/commondir", "other/.git", "made/config", "made/below/.npmrc", "bare/hooks/post-commit", "bare/below/CLAUDE.md"}' \
		'all(c["rule"] == "named" for c in r["changes"] if c["after"]["type"] != "directory")'
	# A grant for all of the directory does not write them; one that names a path does.
	gate user 0 apply --conversation "$C" "$W"
	[ ! -e "$W/sub/.envrc" ] && [ ! -e "$W/.vscode" ]
	person user 0 grant --conversation "$C" --write sub/.envrc
	gate user 0 apply --conversation "$C" "$W"
	[ -e "$W/sub/.envrc" ] && [ ! -e "$W/.vscode" ]
}

@test "what --hide covers stays as it is, whatever lies below it" {
	begin
	as user bash -c 'cd "$1" && mkdir -p sub/__pycache__ && echo mine >.envrc && echo x >sub/__pycache__/file.pyc' _ "$W"
	printf 'ls -A sub; cat .envrc; mkdir -p made/.vscode && echo x >made/.vscode/tasks.json\n' >"$T/job.sh"
	submit user 0 --workspace "$W:rw" --hide sub --hide .envrc "$T/job.sh"
	holds 'r["stdout"] == ""'
	[ "$(cat "$W/.envrc" "$W/sub/.vscode/tasks.json" "$W/sub/__pycache__/file.pyc")" = $'mine\n{}\nx' ]
	pending made/.vscode/tasks.json
}

# pending PATH...: these, and no others, wait; none is in the directory.
pending()
{
	gate user 0 diff --conversation "$C" "$W" --json
	holds "sorted(c['path'] for c in r['changes'] if c['after']['type'] != 'directory') == sorted('$*'.split())"
	for path; do
		[ ! -e "$W/$path" ] || { echo "$path is there"; false; }
	done
	[ -z "$(find "$W" -name 'cordon-took*')" ]
}

@test "renaming what an earlier run wrote to a protected path moves it to the pending changes" {
	begin
	direct 0 py '
import os
for d in "x/hooks", "x/objects", "x/refs", "y": os.makedirs(d)
open("x/config", "w").write("[core]\\n\\tfsmonitor = touch /tmp/ran\\n")
open("y/tasks.json", "w").write("x")
open("late", "w").write("x")'
	direct 0 py '
import os
open("x/HEAD", "w").write("ref: refs/heads/main\\n")
os.mkdir("lib")
os.rename("x", "lib/.git")
os.rename("y", ".vscode")
os.rename("late", "late.pyc")'
	pending lib/.git/config .vscode/tasks.json
	[ ! -e "$W/late.pyc" ] && [ ! -e "$W/lib/.git/hooks" ]
}

@test "a directory that is closed to its owner is looked into" {
	begin
	direct 0 py 'import os\nos.chmod(".git", 0o111)\nos.mkdir("closed")\nopen("closed/.envrc", "w").write("x")\nos.chmod("closed", 0o311)'
	pending closed/.envrc
	as user chmod 755 "$W/.git"
	as user mkdir "$W/shut"
	as user chmod 0 "$W/shut"
	printf 'print(1)\n' >"$T/job.py"
	if ! is_root || [ -n "$TEST_UID" ]; then
		submit user 125 --workspace "$W:rw" "$T/job.py"
		holds '"looking into shut" in r["error"]["message"] and not r["ran"]'
	fi
}

# bats test_tags=long
@test "a new protected path that cannot be kept is removed" {
	begin
	direct 125 py '
import os
open("AGENTS.md", "w").write("x")
os.mkdir(".vscode")
open(".vscode/a", "w").write("x")
os.chmod(".vscode/a", 0)' || true
	[ ! -e "$W/AGENTS.md" ] && [ ! -e "$W/.vscode" ]
	is_root || holds '"cordon-took-" in r["error"]["message"]'
	rm -rf "$W"/cordon-took*
	printf 'import os\nfor _ in range(600):\n    os.mkdir("d")\n    os.chdir("d")\nopen(".envrc", "w").write("x")\n' >"$T/deep.py"
	run_gate user run --json --tier no-cgroup --conversation "$C" --workspace "$W:rw" "$T/deep.py"
	rm -rf "$W"/cordon-took*
	[ -z "$(find "$W" -name .envrc)" ]
	submit user 0 --workspace "$W:rw" "$T/job.py" || true
}

# bats test_tags=long
@test "compiled code that was there is not written to; the user's own work stays" {
	begin
	as user bash -c 'cd "$1/sub" && echo "def f(): return 1" >calc.py && python3 -m py_compile calc.py' _ "$W"
	local compiled
	compiled=$(echo "$W"/sub/__pycache__/calc*.pyc)
	[ -e "$compiled" ]
	printf 'import glob, os, time\np = glob.glob("sub/__pycache__/calc*.pyc")[0]\nf = open(p, "r+b")\nf.seek(20)\nf.write(b"evil")\nf.close()\nprint("go", flush=True)\ntime.sleep(3)\n' >"$T/slow.py"
	submit user 0 --workspace "$W:rw" "$T/slow.py" &
	sleep 1.5
	as user bash -c 'cd "$1" && echo "# mine" >>.git/config && echo mine >>sub/.vscode/tasks.json && echo new >sub/.vscode/more' _ "$W"
	wait $!
	[ ! -e "$compiled" ]
	grep -q mine "$W/.git/config"
	grep -q mine "$W/sub/.vscode/tasks.json"
	grep -q new "$W/sub/.vscode/more"
}

# bats test_tags=long
@test "a protected file that is replaced during a run is no longer protected, and is taken" {
	begin
	printf 'import time\nfor _ in range(40):\n    try: open(".git/config", "a").write("# evil\\n"); break\n    except OSError: time.sleep(0.1)\n' >"$T/slow.py"
	submit user 0 --workspace "$W:rw" "$T/slow.py" &
	sleep 1.5
	as user bash -c 'cd "$1" && cp .git/config .git/config.new && mv .git/config.new .git/config' _ "$W"
	wait $!
	[ ! -e "$W/.git/config" ] || [ "$(grep -c evil "$W/.git/config")" = 0 ]
}

@test "a run that closes the directory hides nothing, and destroys nothing" {
	begin
	printf 'import os, time\nopen("AGENTS.md", "w").write("evil")\nos.mkdir(".vscode")\nopen(".vscode/a", "w").write("x")\nopen("ready", "w")\nos.chmod(".", 0o555)\nwhile not os.path.exists("sub/go"): time.sleep(0.05)\n' >"$T/slow.py"
	submit user 0 --workspace "$W:rw" --time 60s "$T/slow.py" &
	for _ in $(seq 600); do [ -e "$W/ready" ] && break; sleep 0.1; done
	as user bash -c 'mkdir "$1/sub/.idea" && echo mine >"$1/sub/.idea/mine" && touch "$1/sub/go"' _ "$W"
	wait $!
	as user chmod 755 "$W"
	pending AGENTS.md .vscode/a sub/.idea/mine
	[ "$(find "$T/user" -name mine -exec cat {} +)" = mine ]
}

@test "two runs at once leave nothing that one of them made" {
	begin
	printf 'import os, time\nopen("AGENTS.md", "w").write("first")\nos.mkdir("sub2")\nopen("ready", "w")\nwhile not os.path.exists("go"): time.sleep(0.05)\n' >"$T/first.py"
	printf 'import os, time\nopen("go", "w")\nfor _ in range(200):\n    if not os.path.exists("AGENTS.md"): break\n    time.sleep(0.05)\ntime.sleep(0.5)\nopen("AGENTS.md", "w").write("second")\n' >"$T/second.py"
	submit user 0 --workspace "$W:rw" --time 30s "$T/first.py" &
	for _ in $(seq 200); do [ -e "$W/ready" ] && break; sleep 0.05; done
	as user env HOME=/nonexistent XDG_STATE_HOME="$T/user" "$CORDON" run --tier no-cgroup --conversation "$C" --time 30s \
		--workspace "$W:rw" "$T/second.py" >/dev/null 2>&1 </dev/null || true
	wait $!
	[ ! -e "$W/AGENTS.md" ]
}

@test "git's data files cannot become links" {
	begin
	printf 'import os\nos.unlink(".git/COMMIT_EDITMSG")\nos.symlink("config", ".git/COMMIT_EDITMSG")\nopen(".git/MERGE_MSG", "w").write("[core]")\n' >"$T/job.py"
	submit user 0 --workspace "$W" --apply "$T/job.py"
	[ ! -L "$W/.git/COMMIT_EDITMSG" ] && [ -e "$W/.git/MERGE_MSG" ]
	gate user 0 reset --conversation "$C" "$W"
	submit user 0 --workspace "$W:rw" "$T/job.py"
	[ ! -L "$W/.git/COMMIT_EDITMSG" ]
}

# bats test_tags=long
@test "trust during a run does not clear what the run writes afterwards" {
	begin
	printf 'import time\ntime.sleep(3)\nopen("late.py", "w").write("x")\n' >"$T/slow.py"
	submit user 0 --workspace "$W:rw" "$T/slow.py" &
	sleep 1.5
	ANSWER=yes person user 0 trust "$W"
	wait $!
	conversation user
	printf 'print(1)\n' >"$T/job.py"
	submit user 0 --workspace "$W" "$T/job.py"
	holds 'r["state"] == "exposed" and "was changed by exposed code" in r["cause"]'
}

@test "no repository can be hidden among a repository's data" {
	begin
	printf 'import os\nfor d in "objects", "refs", "hooks": os.makedirs(".git/objects/evil/" + d)\nfor f in "HEAD", "config", "hooks/x", "objects/x": open(".git/objects/evil/" + f, "w").write("x")\nos.makedirs(".git/refs/heads/fix")\nopen(".git/refs/heads/fix/config", "w").write("x")\n' >"$T/job.py"
	submit user 0 --workspace "$W" "$T/job.py"
	gate user 0 diff --conversation "$C" "$W" --json
	holds '{c["path"] for c in r["changes"] if c["rule"] == "named"} == {".git/objects/evil/objects", ".git/objects/evil/objects/x"}'
	gate user 0 apply --conversation "$C" "$W"
	[ ! -e "$W/.git/objects/evil/objects" ] && [ -e "$W/.git/refs/heads/fix/config" ]
	as user rm -r "$W/.git/objects/evil"
	gate user 0 reset --conversation "$C" "$W"
	submit user 0 --workspace "$W:rw" "$T/job.py" || submit user 1 --workspace "$W:rw" "$T/job.py"
	[ ! -e "$W/.git/objects/evil/objects" ]
}

@test "a killed run leaves no protected path in the directory" {
	begin
	printf 'import os, time\nos.mkdir(".vscode")\nopen(".vscode/tasks.json", "w").write("x")\nopen("ok", "w").write("x")\nos.kill(os.getpid(), 9)\n' >"$T/killed.py"
	submit user 137 --workspace "$W:rw" "$T/killed.py"
	[ -e "$W/ok" ] && [ ! -e "$W/.vscode" ]
}

@test "a run writes to a directory of root through the overlay, and says so" {
	need_root
	gate_setup
	trusted_tree root
	exposed root
	person root 0 grant --conversation "$C" --write .
	printf 'open("new", "w").write("x")\n' >"$T/job.py"
	submit root 0 --workspace "$W:rw" "$T/job.py"
	holds 'any("applied when the program has ended" in x for x in r["reasons"])'
	[ "$(cat "$W/new")" = x ]
}

@test "a tier without mounts refuses a directory with protected paths" {
	begin
	printf 'open("new", "w").write("x")\n' >"$T/job.py"
	conversation user
	gate user 125 run --tier no-userns --conversation "$C" --workspace "$W:rw" "$T/job.py"
	err_has "cannot protect $W/"
	tree user
	person user 0 trust "$W"
	gate user 0 run --tier no-userns --conversation "$C" --workspace "$W:rw" "$T/job.py"
	[ -e "$W/new" ]
}
