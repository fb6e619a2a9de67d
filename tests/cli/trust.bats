#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon trust and untrust: a person says it at a terminal, the nearest entry decides, and exposed code
# that writes into a trusted directory marks it.
load helper
load scan.bash
load gate.bash

# state_of WHO STATE DIR [WORDS]: what a run in a new conversation becomes that is given DIR.
state_of()
{
	echo 'print(1)' >"$T/x.py"
	conversation "$1"
	submit "$1" 0 --workspace "$3" "$T/x.py"
	holds "r['state'] == '$2' and '${4-}' in (r['cause'] or '')"
}

asked() {
	tree "$1"
	state_of "$1" exposed "$W" "$W is untrusted"
	gate "$1" 75 trust "$W"
	err_has "people must approve this"
	ANSWER=no person "$1" 126 trust "$W"
	out_has "not confirmed: nothing was changed"
	gate "$1" 0 trust list --json
	holds 'r["directories"] == []'
	person "$1" 0 trust "$W"
	out_has "Trust what is in $W"
	state_of "$1" clean "$W"
	gate "$1" 0 trust list --json
	holds "[(d['path'], d['state']) for d in r['directories']] == [('$W', 'trusted')]" \
		'r["directories"][0]["by"].endswith("(confirmation)")'
	gate "$1" 0 trust list
	out_has "trusted    $W  since "
	# To take trust away needs no person.
	gate "$1" 0 untrust "$W" --json
	holds 'r["state"] == "untrusted"'
	state_of "$1" exposed "$W" "$W is untrusted"
	gate "$1" 125 trust "$W/file"
	gate "$1" 125 trust "$T/nothing"
	gate "$1" 0 audit tail -n 20 --json
	lines 'assert [r["body"]["state"] for r in rows if r["kind"] == "trust"] == ["trusted", "untrusted"]'
}
# bats test_tags=long
@test "a person trusts a directory; an agent cannot" { each asked; }

# pending WHO: the id that the last command waits for, as $ID.
pending() { ID=$(/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["approval_id"])' <"$T/out"); }

# signed_by_anna WHO: her answer to $ID is added.
signed_by_anna() {
	gate "$1" 0 approvals export "$ID"
	cp "$T/out" "$T/request"
	"$CORDON" approvals sign "$T/request" --id "$ID" --key "$T/anna" --as anna >"$T/answer"
	gate "$1" 0 approvals add "$T/answer"
}

signed() {
	tree "$1"
	[ -e "$T/anna" ] || ssh-keygen -q -t ed25519 -N '' -f "$T/anna"
	printf 'version: 2\nconfirmation: {write: no}\n' >"$T/signed.yaml"
	ANSWER=yes person "$1" 126 trust "$W" --policy "$T/signed.yaml"
	out_has "no person is enrolled"
	out_has "the policy does not accept a confirmation"
	"$CORDON" approvals key add anna "$T/anna.pub"
	gate "$1" 75 trust "$W" --policy "$T/signed.yaml" --json
	pending
	gate "$1" 0 approvals show "$ID"
	out_has "Trust what is in $W"
	person "$1" 126 approvals approve "$ID"
	as "$1" mkdir "$W/sub"
	signed_by_anna "$1"
	gate "$1" 75 trust "$W/sub" --policy "$T/signed.yaml"
	state_of "$1" exposed "$W"
	gate "$1" 0 trust "$W" --policy "$T/signed.yaml"
	state_of "$1" clean "$W"
	gate "$1" 0 trust list --json
	holds 'r["directories"][0]["by"] == "anna (signed)"'
	gate "$1" 0 audit tail -n 20 --json
	lines 'assert [r["body"]["answers"][0]["name"] for r in rows if r["kind"] == "trust"] == ["anna"]'
	# Once: it was used up.
	gate "$1" 0 untrust "$W"
	gate "$1" 75 trust "$W" --policy "$T/signed.yaml"
	"$CORDON" approvals key remove anna
}
# bats test_tags=long
@test "where no confirmation is enough, trust waits for a signature, and takes effect once" {
	need_etc
	each signed
}

confirmed() {
	tree "$1"
	gate "$1" 75 trust "$W" --json
	pending
	ANSWER=no person "$1" 126 approvals approve "$ID"
	person "$1" 0 approvals approve "$ID"
	out_has "This is a confirmation"
	gate "$1" 0 trust "$W"
	gate "$1" 0 trust list --json
	holds 'r["directories"][0]["by"].endswith("(confirmation)")'
}
@test "an agent that asks for trust waits until the person confirms it at a terminal" { each confirmed; }

# What changed between the answer and the act was never seen.
other_changes() {
	trusted_tree "$1"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	printf 'open("new", "w").write("x")\n' >"$T/write.py"
	submit "$1" 0 --workspace "$W:rw" "$T/write.py"
	gate "$1" 75 trust "$W" --json
	pending
	gate "$1" 0 approvals show "$ID"
	out_has "changed  new"
	person "$1" 0 approvals approve "$ID"
	as "$1" touch "$W/later"
	gate "$1" 75 trust "$W"
	state_of "$1" exposed "$W"
}
@test "an answer is for the changes that were shown" { each other_changes; }

nearest() {
	tree "$1"
	as "$1" mkdir -p "$W/a/b/c" "$W/ab"
	person "$1" 0 trust "$W/a"
	gate "$1" 0 untrust "$W/a/b"
	person "$1" 0 trust "$W/a/b/c"
	while read -r state dir; do
		state_of "$1" "$state" "$W$dir"
	done <<-'END'
		exposed
		exposed /ab
		clean /a
		exposed /a/b
		clean /a/b/c
	END
	as "$1" ln -s a "$W/link"
	state_of "$1" clean "$W/link"
	# Another directory in its place was never seen by the person.
	as "$1" mv "$W/a" "$W/old"
	as "$1" cp -r "$W/old" "$W/a"
	state_of "$1" exposed "$W/a" "not the directory that was trusted"
	state_of "$1" exposed "$W/old" "is untrusted"
	rm "$W/a" -r
	as "$1" mv "$W/old" "$W/a"
	state_of "$1" clean "$W/a"
}
# bats test_tags=long
@test "the nearest entry decides, for the directory that the person saw" { each nearest; }

marked() {
	trusted_tree "$1"
	as "$1" mkdir "$W/below" "$W/other"
	person "$1" 0 trust "$W/below"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	echo 'open("new", "w").write("planted")' >"$T/w.py"
	submit "$1" 0 --workspace "$W/below" --apply "$T/w.py"
	holds 'r["effects"][0]["done"] and r["effects"][0]["outcome"] == "ticket"'
	[ "$(cat "$W/below/new")" = planted ]
	gate "$1" 0 trust list --json
	holds "[(d['path'], d['by'][:4]) for d in r['directories'] if d['state'] == 'marked'] == [('$W/below', 'run:')]"
	state_of "$1" exposed "$W/below" "was changed by exposed code"
	state_of "$1" exposed "$W" "was changed by exposed code"
	state_of "$1" clean "$W/other"
	# All that changed since the first of the marks is shown before they are cleared.
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	sed -i s/new/later/ "$T/w.py"
	submit "$1" 0 --workspace "$W/below" --apply "$T/w.py"
	ANSWER=no person "$1" 126 trust "$W"
	out_has "changed  below/new"
	out_has "changed  below/later"
	run ! grep -q 'changed  file' "$T/out"
	state_of "$1" exposed "$W"
	person "$1" 0 trust "$W"
	state_of "$1" clean "$W"
	state_of "$1" clean "$W/below"
}
# bats test_tags=long
@test "an exposed write marks a trusted directory, until a person has seen what changed" { each marked; }

# A mark above hides nothing from a person who trusts a directory below it.
marked_above() {
	trusted_tree "$1"
	as "$1" mkdir "$W/src"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	echo 'open("src/evil.py", "w").write("planted")' >"$T/w.py"
	submit "$1" 0 --workspace "$W" --apply "$T/w.py"
	ANSWER=no person "$1" 126 trust "$W/src"
	out_has "changed  evil.py"
	state_of "$1" exposed "$W/src" "was changed by exposed code"
	person "$1" 0 trust "$W/src"
	out_has "changed  evil.py"
	state_of "$1" clean "$W/src"
}
@test "to trust a directory shows what changed since a mark above it" { each marked_above; }

# Only the user: root may read every directory.
unseen() {
	local deep
	trusted_tree "$1"
	deep=$(printf 'd/%.0s' $(seq 70))
	as "$1" mkdir -p "$W/s" "$W/kept" "$W/lost" "$W/$deep"
	as "$1" touch "$W/lost/file"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	printf 'import os\nos.remove("lost/file")\nopen("s/evil.py", "w").write("x")\n' >"$T/w.py"
	submit "$1" 0 --workspace "$W" --apply "$T/w.py"
	chmod 0311 "$W/s"
	ANSWER=no person "$1" 126 trust "$W"
	grep -q 'cannot read  s.$' "$T/out" || show
	out_has 'cannot read  d/d/d/'
	grep -q 'changed  lost/.$' "$T/out" || show
	run ! grep -q 'changed  kept' "$T/out"
	chmod 0755 "$W/s"
}
@test "trust lists paths that it cannot read, and directories with deleted names" {
	gate_setup
	unseen user
}

# As many entries as trust looks at, and one more.
# bats test_tags=long
@test "trust tells that a directory has more entries than it looks at" {
	gate_setup
	trusted_tree user
	exposed user
	person user 0 grant --conversation "$C" --write .
	echo 'open("new", "w").write("x")' >"$T/w.py"
	submit user 0 --workspace "$W" --apply "$T/w.py"
	mkdir "$W/many"
	# Links: they are made faster than files. A file has at most 65000 on ext4.
	/usr/bin/python3 -I -c 'import os, sys
os.chdir(sys.argv[1])
for d in range(199):
    os.mkdir("many/%d" % d)
    open("many/%d/0" % d, "w").close()
for i in range(200000 - 3 - 2 * 199): os.link("many/%d/0" % (i // 1005), "many/%d/-%d" % (i // 1005, i))' "$W"
	ANSWER=no person user 126 trust "$W"
	out_has "and 199"
	run ! grep -q 'cannot look' "$T/out"
	ln -s . "$W/many/more"
	ANSWER=no person user 126 trust "$W"
	out_has "cannot read the rest: it has more than 200000 files and directories"
	out_has "Do you agree?"
}

forgotten() {
	trusted_tree "$1"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	echo 'open("new", "w").write("x")' >"$T/w.py"
	submit "$1" 0 --workspace "$W" --apply "$T/w.py"
	mv "$W" "$W.away"
	gate "$1" 125 trust "$W"
	gate "$1" 125 untrust "$W/nothing"
	err_has "as in cordon trust list"
	gate "$1" 0 untrust "$W" --json
	holds "r['path'] == '$W' and r['state'] == 'untrusted'"
	gate "$1" 0 trust list --json
	holds 'r["directories"] == []'
	gate "$1" 0 audit tail -n 1 --json
	# The log hashes a directory name that looks like a token, as the scratch directory's may.
	lines "assert rows[0]['body']['directory'].endswith('/${W##*/}') and rows[0]['body']['state'] == 'untrusted'"
	mv "$W.away" "$W"
	state_of "$1" exposed "$W" "is untrusted"
}
@test "untrust forgets a directory that is gone, with its marks" { each forgotten; }

# A direct write is marked before the program starts: what is killed then cannot hide it.
marked_first() {
	trusted_tree "$1"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	printf 'open("new", "w").write("x")\nimport os\nos.kill(os.getpid(), 9)\n' >"$T/k.py"
	submit "$1" 137 --workspace "$W:rw" "$T/k.py"
	[ -e "$W/new" ]
	state_of "$1" exposed "$W" "was changed by exposed code"
}
@test "a direct write of exposed code marks the directory before it starts" {
	gate_setup
	marked_first user
}

# changed_meanwhile WHO ARG...: a clean run is given ARG; exposed code changes $W before it ends. $T/out is its result.
changed_meanwhile()
{
	local who=$1 pid clean
	shift
	conversation "$who"
	clean=$C
	printf 'print("begun", flush=True)\ninput()\nopen("own", "w").write("x")\n' >"$T/late.py"
	rm -f "$T/go" "$T/late"
	mkfifo "$T/go"
	as "$who" env HOME=/nonexistent XDG_STATE_HOME="$T/$who" timeout 60 "$CORDON" run --events --stdin - \
		--tier "$(tier_of "$who")" --conversation "$C" "$@" "$T/late.py" <>"$T/go" >"$T/late" 2>&1 &
	pid=$!
	timeout 20 "$BASH" -c 'until grep -q begun "$1"; do sleep 0.05; done' - "$T/late"
	exposed "$who"
	person "$who" 0 grant --conversation "$C" --write .
	echo 'open("new", "w").write("planted")' >"$T/w.py"
	submit "$who" 0 --workspace "$W" --apply "$T/w.py"
	[ -e "$W/new" ]
	echo go >"$T/go"
	wait $pid
	tail -n 1 "$T/late" >"$T/out"
	C=$clean
}

late() {
	local other
	trusted_tree "$1"
	changed_meanwhile "$1" --workspace "$W" --apply
	holds "r['state'] == 'exposed' and '$W was changed by exposed code' in r['cause']" \
		"[(e['object'], e['outcome']) for e in r['effects']] == [('own', 'waits')]"
	[ ! -e "$W/own" ]
	gate "$1" 0 conversation show "$C" --json
	holds "r['state'] == 'exposed' and '$W was changed by exposed code' in r['cause']"
	# The same holds for whatever else it is given.
	trusted_tree "$1"
	other=$W
	trusted_tree "$1"
	cp /usr/bin/env "$W/tool"
	changed_meanwhile "$1" --workspace "$other" --exec "$W/tool"
	gate "$1" 0 conversation show "$C" --json
	holds "r['state'] == 'exposed' and '$W was changed by exposed code' in r['cause']"
}
# bats test_tags=long
@test "a run whose directory exposed code changes meanwhile is exposed when it ends" { each late; }

# Readers and killed runs change nothing outside the box, so they leave no mark: F5, F6.
untainted() {
	local mine signal
	trusted_tree "$1"
	mine=$W
	cp "$TOP/LICENSE" "$mine/"
	trusted_tree "$1"
	exposed "$1"
	ingest "$1" 0 --kind web --name https://evil.example/p "$TOP/LICENSE"
	printf 'import os\nprint(open("LICENSE").read())\nos.listdir(".")\n' >"$T/read.py"
	submit "$1" 0 --workspace "$mine" "$T/read.py"
	submit "$1" 0 --workspace "$mine:ro" "$T/read.py"
	state_of "$1" clean "$mine"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	for signal in INT TERM KILL; do
		printf 'import time\nopen("out.txt","w").write("x")\nprint("begun", flush=True)\ntime.sleep(30)\n' >"$T/p.py"
		as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" "$BASH" -c \
			'echo $$ >"$1"; shift; exec "$@"' - "$W/pid" "$CORDON" run --tier "$(tier_of "$1")" \
			--conversation "$C" --workspace "$W" --apply "$T/p.py" >"$T/begun" 2>&1 &
		while ! grep -q begun "$T/begun" 2>/dev/null; do sleep 0.05; done
		kill -s $signal "$(cat "$W/pid")"
		wait $! || true
		rm "$W/pid" "$T/begun"
	done
	[ ! -e "$W/out.txt" ]
	gate "$1" 0 trust list --json
	holds 'all(d["state"] == "trusted" for d in r["directories"])'
	for W in "$W" "$mine"; do
		state_of "$1" clean "$W"
	done
	gate "$1" 0 run --json --user --tier no-cgroup --workspace "$mine" --apply "$T/x.py"
	holds 'r["state"] == "clean"'
}
# bats test_tags=long
@test "reading a page that is like a file, and killed runs, taint nothing" { each untainted; }

# F7: code that no person looked at, in a clone that no person trusted.
cloned() {
	tree "$1"
	printf 'def go(): open("pwned", "w").write("x")\n' >"$W/helper.py"
	printf 'import sys\nsys.path.insert(0, ".")\nimport helper\nhelper.go()\n' >"$T/t.py"
	printf 'version: 2\nnet: {allow: ["example.org:443"]}\n' >"$T/p.yaml"
	conversation "$1"
	submit "$1" 0 --workspace "$W" --apply --net example.org:443 --policy "$T/p.yaml" "$T/t.py"
	holds 'r["state"] == "exposed" and r["changes"]' \
		'{e["effect"]: e["outcome"] for e in r["effects"]} == {"net": "waits", "write": "waits"}' \
		'all(not e["done"] and e["command"].startswith("cordon grant ") for e in r["effects"])'
	[ ! -e "$W/pwned" ]
}
@test "an unread clone is untrusted: a clean conversation gets no effect with it" { each cloned; }

# typed WHO: the command that the last run told, at a terminal, as a shell takes it apart.
typed()
{
	local words
	sed -n 's/^cordon:   try: cordon //p' "$T/err" >"$T/words"
	[ "$(wc -l <"$T/words")" -eq 1 ] || show
	eval "words=($(cat "$T/words"))"
	person "$1" 0 "${words[@]}"
}

as_told() {
	tree "$1"
	as "$1" mv "$W" "$W's own; is untrusted"
	W+="'s own; is untrusted"
	echo 'print(1)' >"$T/x.py"
	tell() { gate "$1" 0 run --user --tier no-cgroup --workspace "$W" "$T/x.py"; }
	tell "$1"
	err_has "exposed: directory $W is untrusted"
	typed "$1"
	tell "$1"
	run ! grep -q exposed "$T/err"
	as "$1" mv "$W" "$W.old"
	as "$1" cp -r "$W.old" "$W"
	tell "$1"
	err_has "is not the directory that was trusted"
	typed "$1"
	exposed "$1"
	person "$1" 0 grant --conversation "$C" --write .
	printf 'open("new", "w").write("x")\n' >"$T/w.py"
	submit "$1" 0 --workspace "$W" --apply "$T/w.py"
	tell "$1"
	err_has "was changed by exposed code"
	typed "$1"
	tell "$1"
	run ! grep -q exposed "$T/err"
	# Half a path would be another directory.
	as "$1" mkdir -p "$W/$(printf '%0250d' 0)/$(printf '%0100d' 0)"
	gate "$1" 0 untrust "$W"
	W+=/$(printf '%0250d' 0)/$(printf '%0100d' 0)
	tell "$1"
	err_has "exposed: directory "
	run ! grep -q "try: cordon trust" "$T/err"
}
# bats test_tags=long
@test "the command that would trust a directory is one that a shell takes" {
	chmod 1777 "$T"
	each as_told
}
