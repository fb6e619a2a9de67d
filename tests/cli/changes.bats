#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon diff, apply and reset: changes wait in the conversation's overlay of a directory, and are written
# where the policy or a ticket says so.
load helper
load scan.bash
load gate.bash

# changes WHO DIR CODE: a run of $C does that to DIR.
changes()
{
	printf '%b' "$3" >"$T/change.py"
	submit "$1" 0 --workspace "$2" "$T/change.py"
}

pending() {
	trusted_tree "$1"
	conversation "$1"
	changes "$1" "$W" 'open("new","w").write("made\\n")\nopen("file","w").write("mine\\n")'
	[ ! -e "$W/new" ] && [ "$(cat "$W/file")" = old ]
	gate "$1" 0 diff --conversation "$C" "$W"
	out_has 'created new'
	out_has 'modified file'
	out_has '- old'
	out_has '+ mine'
	gate "$1" 0 diff --conversation "$C" "$W" --json
	holds '[c["path"] + " " + c["change"] for c in r["changes"]] == ["file modified", "new created"]' \
		'all(c["rule"] == "free" and not c["moved"] for c in r["changes"])' "r['directory'] == '$W'"
	# Later runs see it, other conversations do not.
	printf 'print(open("file").read(), end="")' >"$T/see.py"
	submit "$1" 0 --workspace "$W" "$T/see.py"
	holds 'r["stdout"] == "mine\n" and r["changes"] == []'
	local first=$C
	conversation "$1"
	submit "$1" 0 --workspace "$W" "$T/see.py"
	holds 'r["stdout"] == "old\n"'
	gate "$1" 0 diff --conversation "$C" "$W"
	out_is "no pending changes"
	C=$first
	gate "$1" 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 2 and all(e["done"] and e["by"] == "policy" for e in r["effects"])'
	[ "$(cat "$W/file" "$W/new")" = $'mine\nmade' ]
	gate "$1" 0 diff --conversation "$C" "$W"
	out_is "no pending changes"
	changes "$1" "$W" 'import os\nos.unlink("file")'
	gate "$1" 0 reset --conversation "$C" "$W"
	gate "$1" 0 diff --conversation "$C" "$W"
	out_is "no pending changes"
	gate "$1" 0 apply --conversation "$C" "$W"
	[ "$(cat "$W/file")" = mine ]
	gate "$1" 0 audit tail -n 40 --json
	lines 'apply = [r["body"] for r in rows if r["kind"] == "apply"]
assert [(b["count"], b["exposed"]) for b in apply] == [(2, False)], apply'
}
@test "changes wait, later runs see them, apply writes them and reset drops them" { each pending; }

at_the_end() {
	trusted_tree "$1"
	conversation "$1"
	printf 'open("a", "w").write("x")\n' >"$T/good.py"
	printf 'open("b", "w").write("x")\nraise SystemExit(3)\n' >"$T/bad.py"
	submit "$1" 3 --workspace "$W" --apply "$T/bad.py"
	holds 'r["effects"] == []'
	[ ! -e "$W/b" ]
	submit "$1" 0 --workspace "$W" --apply "$T/good.py"
	holds '{e["object"]: e["done"] for e in r["effects"]} == {"a": True, "b": True}'
	[ -e "$W/a" ] && [ -e "$W/b" ]
	# Without a conversation: what it changed waits in the one that the result names.
	printf 'open("c", "w").write("x")\n' >"$T/good.py"
	gate "$1" 0 run --json --tier no-cgroup --workspace "$W" --apply "$T/good.py"
	holds 'r["effects"][0]["outcome"] == "waits"'
	[ ! -e "$W/c" ]
	C=$(member 'r["conversation"]')
	gate "$1" 0 diff --conversation "$C" "$W"
	out_has "created c"
	gate "$1" 0 run --json --tier no-cgroup --user --workspace "$W" --apply "$T/good.py"
	[ -e "$W/c" ]
}
@test "--apply: where the run ends with 0 and the policy allows it" { each at_the_end; }

moved() {
	trusted_tree "$1"
	conversation "$1"
	changes "$1" "$W" 'open("new","w").write("x")\nopen("file","w").write("mine")'
	as "$1" sh -c "echo edited >'$W/file'"
	gate "$1" 0 diff --conversation "$C" "$W"
	out_has 'modified file (the directory has changed since)'
	gate "$1" 125 apply --conversation "$C" "$W"
	err_has 'nothing was applied: the directory changed'
	err_has 'because: file'
	printf 'open("another", "w").write("x")\n' >"$T/another.py"
	submit "$1" 125 --workspace "$W" --apply "$T/another.py"
	holds 'r["error"]["kind"] == "conflict" and r["ran"] and not any(e["done"] for e in r["effects"])'
	[ ! -e "$W/new" ] && [ "$(cat "$W/file")" = edited ]
	gate "$1" 0 diff --conversation "$C" "$W" --json
	holds 'len(r["changes"]) == 3'
	gate "$1" 0 reset --conversation "$C" "$W"
}
@test "if the directory has changed since, nothing at all is written" { each moved; }

self_executing() {
	trusted_tree "$1"
	conversation "$1"
	changes "$1" "$W" 'import os\nos.makedirs(".git/hooks")\nfor p in (".git/hooks/post-checkout", "CLAUDE.md", "plain"):\n open(p, "w").write("x")\nos.symlink("/etc/passwd", "out")'
	gate "$1" 0 apply --conversation "$C" "$W" --json
	holds '{e["object"] for e in r["effects"] if e["done"]} == {"plain"}' \
		'"cordon grant" in {e["object"]: e["command"] for e in r["effects"]}["CLAUDE.md"]' \
		'[(e["command"], e["reason"]) for e in r["effects"] if e["object"] == "out"] == [(None,
			"symbolic link that leads out of the directory")]' \
		'all((e["command"] is None) != (e["reason"] is None) for e in r["effects"] if not e["done"])'
	[ -e "$W/plain" ] && [ ! -e "$W/.git" ] && [ ! -e "$W/CLAUDE.md" ] && [ ! -L "$W/out" ]
	# "." and the directory above are not the name.
	person "$1" 0 grant --conversation "$C" --write . --write .git
	gate "$1" 0 apply --conversation "$C" "$W" --json
	holds 'not any(e["done"] for e in r["effects"] if e["object"] not in (".git",))'
	[ ! -e "$W/.git/hooks" ] && [ ! -e "$W/CLAUDE.md" ]
	person "$1" 0 grant --conversation "$C" --write CLAUDE.md
	gate "$1" 0 apply --conversation "$C" "$W"
	[ -e "$W/CLAUDE.md" ] && [ ! -e "$W/.git/hooks" ]
}
@test "a self-executing path is written only with a ticket that names it" { each self_executing; }

# kill_apply WHO: an apply of 1500 new files is killed when it has written the first.
kill_apply() {
	trusted_tree "$1"
	conversation "$1"
	changes "$1" "$W" 'for i in range(1500): open("n%d" % i, "w").write("x")'
	as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" "$BASH" -c 'echo $$ >"$1"; shift; exec "$@"' - \
		"$W/../pid-$1" "$CORDON" apply --conversation "$C" "$W" >/dev/null 2>&1 &
	while [ -z "$(find "$W" -name 'n*' -print -quit)" ]; do sleep 0.01; done
	kill -KILL "$(cat "$T/pid-$1")"
	wait $! || true
}

# The next command that opens the overlay finishes it.
killed() {
	kill_apply "$1"
	gate "$1" 0 diff --conversation "$C" "$W"
	out_is "no pending changes"
	[ "$(find "$W" -type f | wc -l)" -eq 1501 ]
}
# What it then has written is not taken for the user's own work.
killed_before_run() {
	kill_apply "$1"
	echo 'for i in range(1500): open("n%d" % i, "w").write("y")' >"$T/change.py"
	submit "$1" 0 --workspace "$W" --apply "$T/change.py"
	[ "$(cat "$W/n0" "$W/n1499")" = yy ]
	gate "$1" 0 diff --conversation "$C" "$W"
	out_is "no pending changes"
}
# bats test_tags=long
@test "an apply that is killed is rolled forward" {
	chmod 1777 "$T"
	each killed
}
# bats test_tags=long
@test "a run that finds an apply that was killed looks at the directory when it is finished" {
	chmod 1777 "$T"
	each killed_before_run
}

# The state at the moment of the effect counts: what became exposed meanwhile is not written.
exposed_since() {
	trusted_tree "$1"
	conversation "$1"
	changes "$1" "$W" 'open("new","w").write("x")'
	expose "$1"
	gate "$1" 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 0 and r["effects"][0]["outcome"] == "waits"' \
		"r['effects'][0]['command'] == 'cordon grant --conversation $C --write new'"
	[ ! -e "$W/new" ]
	conversation "$1"
	printf 'open("new", "w").write("x")\nprint("begun", flush=True)\ninput()\n' >"$T/slow.py"
	mkfifo "$T/fifo-$1"
	as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" timeout 60 "$CORDON" run --tier no-cgroup \
		--conversation "$C" --workspace "$W" --apply --stdin - "$T/slow.py" <"$T/fifo-$1" >"$T/begun" 2>&1 &
	exec 7>"$T/fifo-$1"
	while ! grep -q begun "$T/begun"; do sleep 0.05; done
	expose "$1"
	echo >&7
	exec 7>&-
	wait $!
	[ ! -e "$W/new" ]
	gate "$1" 0 diff --conversation "$C" "$W"
	out_has "created new"
}
@test "changes of a conversation that was exposed before the apply are not written as clean" { each exposed_since; }

# Each command that is told is one that a shell takes.
as_told() {
	local words
	tree "$1"
	as "$1" mv "$W" "$W its own"
	W+=' its own'
	exposed "$1"
	changes "$1" "$W" 'open("it\\u0027s $HOME; x","w").write("x")'
	gate "$1" 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 0'
	eval "words=($(member 'r["effects"][0]["command"]'))"
	[ "${words[0]}" = cordon ]
	person "$1" 0 "${words[@]:1}"
	gate "$1" 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 1'
	changes "$1" "$W" 'open("file","w").write("mine")'
	as "$1" sh -c 'echo edited >"$1"' - "$W/file"
	gate "$1" 125 apply --conversation "$C" "$W"
	eval "words=($(sed -n 's/^cordon:   try: cordon \(.*\) shows the changes.*/\1/p' "$T/err"))"
	gate "$1" 0 "${words[@]}"
	out_has "modified file"
	# A host that the policy denies: no command would help.
	printf 'version: 2\nnet: {deny: [web.example]}\n' >"$T/deny.yaml"
	echo 'print(1)' >"$T/x.py"
	submit "$1" 0 --policy "$T/deny.yaml" --net web.example:443 "$T/x.py"
	holds 'r["effects"][0]["command"] is None and r["effects"][0]["reason"] == "the policy denies this host"'
	conversation "$1"
	gate "$1" 126 plan --conversation "$C" --policy "$T/deny.yaml" --net web.example:443 "$T/x.py"
	err_has "because: the policy denies this host"
}
@test "the command that cordon prints works as printed, for any path" {
	chmod 1777 "$T"
	each as_told
}

# A run without a conversation has no later run: only what waits is kept.
one_off() {
	local words
	trusted_tree "$1"
	echo 'print(1)' >"$T/reads.py"
	printf 'open("a", "w").write("x")\n' >"$T/writes.py"
	printf 'open("file", "w").write("old\\n")\n' >"$T/same.py"
	once() { gate "$1" 0 run --json --tier no-cgroup --workspace "$W$2" "${@:3}"; }
	once "$1" '' "$T/reads.py"
	once "$1" '' "$T/same.py"
	once "$1" '' --user --apply "$T/writes.py"
	once "$1" :rw --user "$T/writes.py"
	[ -z "$(find "$T/$1/cordon/overlays" -mindepth 1)" ]
	[ -e "$W/a" ]
	rm "$W/a"
	once "$1" '' "$T/writes.py"
	C=$(member 'r["conversation"]')
	[ "$(ls "$T/$1/cordon/overlays")" = "$C" ]
	gate "$1" 0 diff --conversation "$C" "$W"
	out_has "created a"
	gate "$1" 0 run --tier no-cgroup --workspace "$W" "$T/writes.py"
	words=$(sed -n 's/^cordon:   try: cordon \(diff .*\)/\1/p' "$T/err")
	# shellcheck disable=SC2086 # the words of a command
	gate "$1" 0 $words
	out_has "created a"
}
# bats test_tags=long
@test "the overlay of a run without a conversation stays only if changes wait in it" { each one_off; }

many() {
	trusted_tree "$1"
	conversation "$1"
	printf 'for i in range(1100): open("%%04d" %% i + "x" * 240, "w").write("x")\n' >"$T/many.py"
	submit "$1" 0 --workspace "$W" --apply "$T/many.py"
	holds 'len(r["effects"]) == 1024 and r["effects_cut"] and all(e["done"] for e in r["effects"]) and r["recorded"]'
	[ "$(find "$W" -name '1099x*' | wc -l)" = 1 ]
	gate "$1" 0 audit tail -n 10 --json
	lines 'apply = [r["body"] for r in rows if r["kind"] == "apply"]
assert apply[0]["count"] == 1100 and len(apply[0]["effects"]) + apply[0]["effects_more"] == 1100, apply'
}
compiled() {
	trusted_tree "$1"
	conversation "$1"
	printf 'def f(): return 1\n' >"$W/calc.py"
	printf 'import py_compile\npy_compile.compile("calc.py")\nopen("new", "w").write("x")\n' >"$T/c.py"
	submit "$1" 0 --workspace "$W" "$T/c.py"
	gate "$1" 0 diff --conversation "$C" "$W" --json
	holds '[c["path"] for c in r["changes"]] == ["new"]'
}
@test "compiled code is not kept" { each compiled; }

@test "more changes than a record can list are applied, and counted" { each many; }
