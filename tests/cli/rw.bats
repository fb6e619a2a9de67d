#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --rw: directories besides the workspace that a program writes to directly.
load helper
load scan.bash
load gate.bash
load workspace
load live_box

# more OWNER: a directory $D with a protected path, which every account trusts.
more()
{
	D=$T/more-$RANDOM
	mkdir -p "$D/sub" "$D/.vscode"
	printf 'old\n' >"$D/file"
	printf '{}\n' >"$D/.vscode/tasks.json"
	! is_root || [ "$1" != user ] || chown -hR "$TEST_UID:$TEST_UID" "$D"
	! is_root || trust root "$D"
	trust user "$D"
}

# begun: a trusted workspace $W, trusted directories $D and $E, and an exposed conversation $C.
begun()
{
	gate_setup
	trusted_tree user
	E=$W
	trusted_tree user
	D=$W
	as user mkdir -p "$D/sub/in" "$D/.vscode" "$E/sub"
	as user sh -c 'echo {} >"$1/.vscode/tasks.json"; echo mine >"$1/sub/in/.envrc"' - "$D"
	person user 0 trust "$D"
	trusted_tree user
	exposed user
}

# replaced: the directory $D is another one with the same files.
replaced() { mv "$D" "$D.old" && cp -a "$D.old" "$D"; }

granted() { person user 0 grant --conversation "$C" --directory "$1" --write "$2"; }

written()
{
	more "${OWNER:-user}"
	printf 'echo new >%s/file; mkdir %s/made && echo x >%s/made/y; pwd; cat %s/file; echo mine >file\n' "$D" "$D" "$D" "$D" >"$T/x.sh"
	box "$1" --json --user --workspace "$W" --rw "$D" "$T/x.sh"
	if [ "$OWNER" = root ]; then
		exits 126
		holds '"root" in r["error"]["message"] and "--rw" in r["error"]["message"] and "--apply" in r["error"]["cure"]'
		return
	fi
	exits 0
	holds "r['stdout'] == '$W\nnew\n'" "[(e['effect'], e['object'], e['outcome'], e['done']) for e in r['effects']] == [('write', '$D', 'policy', True)]" \
		"r['state'] == 'clean'"
	[ "$(cat "$D/file" "$D/made/y")" = $'new\nx' ]
	[ "$(stat -c %u "$D/made/y")" = "$(stat -c %u "$D")" ]
	untouched
}
@test "run: the directory itself is written, the workspace has its overlay" { every_owner written; }

@test "root: a directory of another account than the workspace's" {
	need_root
	dir root
	more user
	chmod 700 "$D"
	printf 'echo new >%s/made; cat %s/file; echo x >%s/.vscode/tasks.json\n' "$D" "$D" "$D" >"$T/x.sh"
	box root:full --user --workspace "$W" --rw "$D" "$T/x.sh"
	out_is old
	err_has 'Read-only file system'
	[ "$(stat -c %u "$D/made")" = "$TEST_UID" ]
	box root:full --user --rw "$D" "$T/x.sh"
	out_is old
	untouched
}

@test "exec, a snippet, a link to the directory, --hide below it" {
	dir user
	more user
	as user ln -s "$D" "$T/as-user/way"
	(cd "$W" && as user "$CORDON" exec --tier no-cgroup --user --rw "$T/as-user/way" --hide "$D/sub" --hide "$D/.vscode" -- \
		sh -c "echo way >$T/as-user/way/file; ls -A $D/sub; (rmdir $D/sub; mv $D/sub $D/x) 2>/dev/null || echo kept" </dev/null >"$T/out" 2>"$T/err")
	out_is kept
	[ "$(cat "$D/file" "$D/.vscode/tasks.json")" = $'way\n{}' ]
	printf 'open("%s/file", "w").write("snippet")\n' "$D" >"$T/x.py"
	box user:no-cgroup --user --rw "$D" "$T/x.py"
	exits 0
	[ "$(cat "$D/file")" = snippet ]
}

@test "Cordon's own files in the directory are covered" {
	dir user
	D=$T/as-user
	trust user "$D"
	[ -d "$D/state/cordon" ]
	printf 'ls -A %s/state/cordon; (echo x >%s/state/cordon/evil; mv %s/state %s/gone; rm -r %s/state/cordon) 2>/dev/null; echo x >%s/made; mkdir -p %s/config/cordon; echo end\n' \
		"$D" "$D" "$D" "$D" "$D" "$D" "$D" >"$T/x.sh"
	box user:no-cgroup --user --rw "$D" "$T/x.sh"
	out_is end
	[ "$(cat "$D/made")" = x ]
	[ -e "$D/state/cordon/log.db" ] && [ ! -e "$D/state/cordon/evil" ] && [ ! -e "$D/gone" ]
}

# bats test_tags=long
@test "what --rw refuses" {
	local way
	dir user
	more user
	mkdir -p "$T/as-user/state/cordon"
	! is_root || chown "$TEST_UID" "$T/as-user/state" "$T/as-user/state/cordon"
	printf 'echo ran\n' >"$T/x.sh"
	for way in / /proc /etc /tmp /home "$T/as-user/state/cordon" "$D/nothing" "$D/file" \
		"$W" "$W/sub" "$T" "$D --rw $D" "$D --rw $D/sub" "$D/sub --rw $D" "$D --ro $D" "$D --ro $D/file" "$D/sub --ro $D"; do
		# shellcheck disable=SC2086
		box user:no-cgroup --json --user --workspace "$W" --rw $way "$T/x.sh"
		[ "$status" -ge 125 ] || { echo "$way"; show; }
		holds 'not r["ran"] and r["error"]["message"]'
		case $way in *'--r'* | "$W"* | "$T") holds '"the box also shows" in r["error"]["message"]' ;; esac
	done
	box user:no-userns --user --rw "$D" "$T/x.sh"
	exits 125
	err_has 'use --workspace DIR:rw, or another tier'
	# shellcheck disable=SC2046
	box user:no-cgroup --user $(for i in $(seq 17); do echo "--rw $D"; done) "$T/x.sh"
	exits 125
	err_has 'more than 16'
	[ "$(cat "$D/file")" = old ]
}

# bats test_tags=long
@test "exposed code needs a ticket for the directory; without one it is read-only" {
	begun
	printf 'cat %s/file; echo new >%s/file\n' "$D" "$D" >"$T/x.sh"
	submit user 1 --workspace "$W" --rw "$D" "$T/x.sh"
	holds 'r["stdout"] == "old\n"' "r['effects'][0]['object'] == '$D' and r['effects'][0]['outcome'] == 'withheld'" \
		"r['effects'][0]['command'] == 'cordon grant --conversation $C --directory $D --write .'" 'not r["effects"][0]["done"]'
	granted "$W" .
	granted "$D" sub
	submit user 1 --workspace "$W" --rw "$D" "$T/x.sh"
	granted "$D" .
	submit user 0 --workspace "$W" --rw "$D" --rw "$E" "$T/x.sh"
	holds '[e["outcome"] for e in r["effects"]] == ["ticket", "withheld"]' 'r["effects"][0]["by"].startswith("grant:")'
	[ "$(cat "$D/file" "$E/file")" = $'new\nold' ]
	# A grant for the directory gives nothing else.
	exposed user
	granted "$D" .
	printf 'echo new >file; echo newer >%s/file\n' "$D" >"$T/y.sh"
	submit user 0 --workspace "$W:rw" --rw "$D" "$T/y.sh"
	holds '{e["object"]: e["outcome"] for e in r["effects"]} == {".": "withheld", "'"$D"'": "ticket"}'
	[ "$(cat "$D/file" "$W/file")" = $'newer\nold' ]
	# The exposed write marks the directory, and no other.
	conversation user
	printf 'true\n' >"$T/z.sh"
	submit user 0 --workspace "$W" --ro "$E" "$T/z.sh"
	holds 'r["state"] == "clean"'
	submit user 0 --workspace "$W" --rw "$D" "$T/z.sh"
	holds 'r["state"] == "exposed" and "was changed by exposed code" in r["cause"]'
	gate user 0 audit trace --json "$(member 'r["audit_id"]')"
	holds 'any(d["body"].get("rw", [""])[0].endswith("/'"${D##*/}"'") for d in r["records"])'
}

@test "a grant without a directory covers it; an untrusted directory exposes" {
	begun
	person user 0 grant --conversation "$C" --write .
	printf 'echo new >%s/file\n' "$D" >"$T/x.sh"
	submit user 0 --workspace "$W" --rw "$D" "$T/x.sh"
	[ "$(cat "$D/file")" = new ]
	conversation user
	tree user
	submit user 1 --rw "$W" "$T/x.sh" || true
	holds "r['state'] == 'exposed' and '$W is untrusted' in r['cause']" 'r["effects"][0]["outcome"] == "withheld"'
}

@test "protected paths: those that are there cannot change, new ones go to the pending changes of their directory" {
	begun
	granted "$D" .
	granted "$E" .
	printf '%s\n' 'import os' "D, E = '$D', '$E'" '
def attempt(what):
    try: what(); print("done")
    except OSError: pass
attempt(lambda: open(D + "/.vscode/tasks.json", "w"))
for path in "/.vscode", "/.vscode/tasks.json", "/sub", "/sub/in", "/sub/in/.envrc":
    attempt(lambda: os.rename(D + path, D + "/moved"))
    attempt(lambda: os.rename(D + path, E + path))
    attempt(lambda: os.unlink(D + path))
os.makedirs(E + "/x")
open(E + "/x/tasks.json", "w").write("evil")
attempt(lambda: os.rename(E + "/x", D + "/.idea"))
attempt(lambda: os.link(E + "/x/tasks.json", D + "/.envrc"))
os.rename(E + "/x", E + "/.vscode")
open(D + "/sub/AGENTS.md", "w").write("x")
open(D + "/plain", "w").write("x")
os.makedirs(E + "/__pycache__")
open(E + "/__pycache__/file.pyc", "w").write("x")' >"$T/x.py"
	submit user 0 --workspace "$W" --rw "$D" --rw "$E" "$T/x.py"
	holds 'r["stdout"] == ""' "{e['object'] for e in r['effects']} == {'$D', '$E', '$D/sub/AGENTS.md', '$E/.vscode/tasks.json'}" \
		"next(e for e in r['effects'] if 'AGENTS' in e['object'])['command'] == 'cordon grant --conversation $C --directory $D --write sub/AGENTS.md'"
	[ "$(cat "$D/.vscode/tasks.json" "$D/sub/in/.envrc" "$D/plain")" = $'{}\nmine\nx' ]
	[ ! -e "$D/sub/AGENTS.md" ] && [ ! -e "$E/.vscode" ] && [ ! -e "$E/__pycache__/file.pyc" ] && [ ! -e "$D/.idea" ]
	[ -z "$(find "$D" "$E" -name 'cordon-took*')" ]
	gate user 0 diff --conversation "$C" --json "$D"
	holds '[c["path"] for c in r["changes"]] == ["sub/AGENTS.md"]'
	gate user 0 diff --conversation "$C" --json "$E"
	holds '[c["path"] for c in r["changes"]] == [".vscode", ".vscode/tasks.json"]'
	granted "$D" sub/AGENTS.md
	gate user 0 apply --conversation "$C" "$D"
	[ "$(cat "$D/sub/AGENTS.md")" = x ]
}

# The changes of the workspace are decided again, those of the directory stay in the result.
@test "--apply --wait: what waits in the directory is told too" {
	begun
	granted "$D" .
	printf 'echo new >file; echo x >%s/AGENTS.md\n' "$D" >"$T/x.sh"
	as user env HOME=/nonexistent XDG_STATE_HOME="$T/user" timeout 60 "$CORDON" run --json --tier no-cgroup --conversation "$C" \
		--workspace "$W" --rw "$D" --apply --wait "$T/x.sh" >"$T/waited" 2>"$T/err" </dev/null &
	for _ in $(seq 300); do
		gate user 0 approvals list
		ID=$(grep -oE '^[0-9a-f]{32}  pending' "$T/out" || true)
		[ -z "$ID" ] || break
		sleep 0.1
	done
	[ ! -e "$D/AGENTS.md" ]
	person user 0 approvals approve "${ID%% *}"
	wait $!
	cp "$T/waited" "$T/out"
	holds "{e['object']: e['outcome'] for e in r['effects']} == {'$D': 'ticket', '$D/AGENTS.md': 'withheld', 'file': 'ticket'}"
	[ "$(cat "$W/file")" = new ]
}

# Each has the directory that the other one writes to as its workspace.
# bats test_tags=long
@test "two runs of one conversation do not wait for each other" {
	begun
	granted "$D" .
	granted "$E" .
	granted "$W" .
	printf 'touch %s/d; until [ -e %s/e ]; do sleep 0.05; done; echo x >%s/AGENTS.md; echo x >new\n' "$W" "$W" "$D" >"$T/d.sh"
	printf 'touch %s/e; until [ -e %s/d ]; do sleep 0.05; done; echo x >%s/AGENTS.md; echo x >new\n' "$W" "$W" "$E" >"$T/e.sh"
	as user env HOME=/nonexistent XDG_STATE_HOME="$T/user" timeout 60 "$CORDON" run --tier no-cgroup --conversation "$C" --time 20s \
		--workspace "$E" --rw "$D" --rw "$W" "$T/d.sh" >"$T/first" 2>&1 </dev/null &
	submit user 0 --time 20s --workspace "$D" --rw "$E" --rw "$W" "$T/e.sh"
	wait $! || { cat "$T/first"; false; }
	[ ! -e "$D/AGENTS.md" ] && [ ! -e "$E/AGENTS.md" ]
	gate user 0 diff --conversation "$C" --json "$D"
	holds '{c["path"] for c in r["changes"]} == {"new", "AGENTS.md"}'
}

@test "a link in the directory leads nowhere" {
	begun
	granted "$D" .
	mkdir -m 777 "$T/out-of-it"
	as user ln -s "$T/out-of-it" "$D/way"
	as user ln -s "$E" "$D/other"
	printf 'echo x >%s/way/x; echo x >%s/other/file; ln -s %s/out-of-it %s/new; echo x >%s/new/x; mv %s/file %s/way/; exit 0\n' \
		"$D" "$D" "$T" "$D" "$D" "$D" "$D" >"$T/x.sh"
	submit user 0 --workspace "$W" --rw "$D" "$T/x.sh"
	[ -z "$(ls -A "$T/out-of-it")" ]
	[ "$(cat "$E/file" "$D/file")" = $'old\nold' ]
}

@test "a plan is for these directories, and gives no other write" {
	begun
	conversation user
	as user sh -c 'cat >"$1/job.sh"' - "$W" <<<"echo new >$D/file; echo new >file"
	gate user 0 plan --conversation "$C" --workspace "$W" --rw "$D" "$W/job.sh"
	P=$(cat "$T/out")
	gate user 0 plan --conversation "$C" --workspace "$W" --rw "$D" "$W/job.sh"
	P2=$(cat "$T/out")
	expose user
	submit user 0 --plan "$P" --workspace "$W" --rw "$E" "$W/job.sh" || true
	holds 'r["effects"][0]["outcome"] == "withheld"'
	gate user 0 reset --conversation "$C" "$W"
	submit user 0 --plan "$P" --workspace "$W" --rw "$D" --apply "$W/job.sh"
	holds '{e["object"]: e["outcome"] for e in r["effects"]} == {"'"$D"'": "ticket", "file": "waits"}'
	[ "$(cat "$D/file" "$W/file")" = $'new\nold' ]
	gate user 0 reset --conversation "$C" "$W"
	replaced
	person user 0 trust "$D"
	submit user 0 --plan "$P2" --workspace "$W" --rw "$D" "$W/job.sh" || true
	holds 'r["effects"][0]["outcome"] == "withheld"'
}

boxed()
{
	more user
	made "$1" --rw "$D"
	live "$1" exec work -- sh -c "echo box >$D/file; echo mine >new; mkdir $D/.idea; echo x >$D/.idea/x; sleep 600 & echo \$!"
	exits 0
	live "$1" exec work -- kill -0 "$(cat "$T/out")"
	exits 1
	[ "$(cat "$D/file")" = box ]
	[ ! -e "$D/.idea" ]
	live "$1" exec work --json -- sh -c "cat $D/file new; ls -A $D/.idea 2>/dev/null"
	holds 'r["stdout"] == "box\nmine\n"' "r['effects'][0]['object'] == '$D' and r['effects'][0]['done']"
	live "$1" exec work --rw "$D" -- true
	exits 125
	err_has '--rw is only for cordon box create'
	live "$1" stop work
	err_has 'pending changes'
	untouched
}
@test "box: the directory is written to, a start takes what it left behind along" { every_owner boxed; }

@test "box: a directory that was replaced gets no start" {
	dir user
	more user
	made user:no-cgroup --rw "$D"
	replaced
	live user:no-cgroup exec work -- sh -c "echo x >$D/file"
	exits 126
	err_has 'not the one that would be created now'
	[ "$(cat "$D/file" "$D.old/file")" = $'old\nold' ]
}
