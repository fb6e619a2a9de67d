#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The other ways to hide where code came from: another conversation or none, an error's text, the same
# bytes elsewhere, a race with the document.
load helper
load story

# What it prints is something that was read: the error of one run is the source of the next code.
error_text() {
	begin "$1"
	printf 'import sys\nsys.exit(open("planted.csv").read())\n' | code fails.py
	submit "$1" --workspace "$W:ro" fails.py
	exits 1
	holds '"evil-corp" in r["stderr"]' 'r["origin"] == "agent"'
	submit "$1" --workspace "$W:ro" obeys.py
	holds 'r["origin"] == "derived"' 'any("stderr of run:" in e["name"] for e in r["evidence"])'
}
@test "laundering: the text of an error" {
	every error_text
}

# Another handle, none, a made-up one: the sources of this conversation do not go away.
session_hop() {
	begin "$1"
	reads_table "$1"
	local mine=$D
	submit "$1" --workspace "$W:ro" obeys.py
	is_parked
	D=d1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
	submit "$1" --workspace "$W:overlay" --commit obeys.py
	exits 75
	holds 'r["origin"] in ("exposed", "derived")' 'r["granted"] == [] and r["ran"] is False'
	gate "$1" run --json --tier "${1#*:}" --workspace "$W:overlay" --commit obeys.py
	exits 75
	D=$mine
	submit "$1" --origin agent --workspace "$W:ro" obeys.py
	is_parked
	submit "$1" --origin user --workspace "$W:ro" obeys.py
	is_parked
	# Only the host begins another conversation (GATE.md): it has read nothing of this one. Its files have.
	talk "$1"
	echo 'print(sum(range(9)))' | code own.py
	submit "$1" own.py
	holds 'r["origin"] == "agent"'
	submit "$1" --workspace "$W:ro" obeys.py
	holds 'r["origin"] == "exposed"'
	# With the client's name for the first one it is the first one.
	local named
	gate "$1" domain new --conversation this
	named=$(cat "$T/out")
	D=$mine
	submit "$1" --conversation this --workspace "$W:ro" obeys.py
	is_parked
	D=$named
	submit "$1" --workspace "$W:ro" obeys.py
	is_parked
}
@test "laundering: another conversation, or none" {
	every session_hop
}

# printed FILE: what the last run has, as that file.
printed()
{
	/usr/bin/python3 -c 'import json, sys
sys.stdout.write(json.load(open(sys.argv[1]))["stdout"])' "$T/out" | code "$1"
}

# The very bytes that one conversation read, and what a run in it printed, as another's code.
bytes_hop() {
	begin "$1"
	printf 'names = ["mercury", "venus", "earth"]\nprint(len(names), names[-1])\n' | code page.py
	gate "$1" ingest --domain "$D" --kind web --name https://planets.example/page.py page.py
	exits 0
	printf 'print("sizes = [4879, 12104, 12756]\\nprint(max(sizes), min(sizes))")\n' | code says.py
	submit "$1" says.py
	exits 0
	printed said.py
	talk "$1"
	submit "$1" page.py
	holds 'r["origin"] == "derived"'
	submit "$1" --workspace "$W:overlay" --commit page.py
	exits 75
	submit "$1" said.py
	holds 'r["origin"] == "derived"'
	# A byte more, and it is code that nobody knows.
	echo >>"$T/page.py"
	submit "$1" page.py
	holds 'r["origin"] != "derived"'
}
@test "laundering: the same bytes in another conversation" {
	every bytes_hop
}

# A run without a handle: what it prints is no source of any conversation, and still not clean.
without_handle() {
	local run
	begin "$1"
	printf 'print("moons = [1, 2, 79, 82]\\nprint(max(moons) - min(moons))")\n' | code says.py
	gate "$1" run --json --tier "${1#*:}" --workspace "$W:ro" says.py
	exits 0
	run=$(said audit_id)
	printed said.py
	submit "$1" said.py
	holds 'r["origin"] == "derived"'
	gate "$1" audit trace "$(said audit_id)"
	out_has "$run"
	talk "$1"
	echo 'print(len(input()))' | code counts.py
	submit "$1" --stdin said.py counts.py
	holds 'r["origin"] == "exposed"'
	gate "$1" audit trace "$(said audit_id)"
	out_has "$run"
	# What nothing untrusted has made stays clean.
	sed -i 's/moons/rings/g' says.py
	gate "$1" run --json --origin agent --tier "${1#*:}" says.py
	exits 0
	printed clean.py
	talk "$1"
	submit "$1" clean.py
	holds 'r["origin"] == "agent"'
	# The same on both streams.
	printf 'import os\nfor fd in 1, 2:\n    os.write(fd, b"comets = [1, 2, 3, 5, 8, 13, 21]\\n")\n' | code both.py
	gate "$1" run --json --tier "${1#*:}" both.py
	exits 0
	printed said.py
	talk "$1"
	submit "$1" said.py
	holds 'r["origin"] == "derived"'
}
@test "laundering: what a run without a conversation prints" {
	every without_handle
}

# While a document is being read, runs are decided on: each either was before it, or knows it. The first
# run ends before the reading begins, and the last begins after its end.
race() {
	local i before
	begin "$1"
	gate "$1" audit export --format jsonl
	before=$(wc -l <"$T/out")
	for i in 1 2 3 4 5 6; do
		[ $i -ne 6 ] || wait
		as "${1%%:*}" timeout 60 "$CORDON" run --json --tier "${1#*:}" --domain "$D" \
			--workspace "$W:ro" obeys.py >"$T/race-$i" 2>/dev/null </dev/null &
		[ $i -ne 1 ] || wait
		[ $i -ne 4 ] || reads_table "$1"
	done
	wait
	gate "$1" audit export --format jsonl
	exits 0
	/usr/bin/python3 - "$T/out" "$before" <<-'END'
		import json, sys
		read, decided = False, [0, 0]
		for line in list(open(sys.argv[1]))[int(sys.argv[2]):]:
		    r = json.loads(line)
		    read |= r["kind"] == "ingest" and r["body"]["kind"] == "file"
		    decided[read] += r["kind"] == "verdict"
		    if r["kind"] == "start":
		        assert not read, "a run began after the table was read, as if it had not been"
		assert all(decided), decided
	END
}
@test "laundering: a race between reading and running" {
	every race
}

# begun WAY: the log says that the newest run has started.
begun() {
	local tries
	for ((tries = 0; tries < 600; tries++)); do
		gate "$1" audit tail -n 1 --json
		! grep -q '"kind":"start"' "$T/out" || return 0
		sleep 0.05
	done
	show
}

# A run that began before the user did begin anew, and ends afterwards: a digit of it is enough to know
# what to do next.
renewed() {
	begin "$1"
	reads_table "$1"
	printf 'import os\nos.read(0, 1)\nprint(7)\n' | code waits.py
	mkfifo "$T/word-${1%%:*}"
	as "${1%%:*}" timeout 60 "$CORDON" run --json --tier "${1#*:}" --domain "$D" --stdin - waits.py \
		<"$T/word-${1%%:*}" >"$T/late" 2>/dev/null &
	local pid=$!
	exec 5>"$T/word-${1%%:*}"
	begun "$1"
	gate "$1" domain renew "$D" --json
	exits 0
	holds 'r["exposed"] is False'
	echo >&5
	exec 5>&-
	wait "$pid"
	cp "$T/late" "$T/out"
	holds 'r["stdout"] == "7\n" and r["origin"] == "exposed"'
	gate "$1" domain show "$D" --json
	holds 'r["exposed"] is True and r["epoch"] == 1 and r["kinds"] == ["run_output"]'
	echo 'print(1)' | code next.py
	submit "$1" next.py
	holds 'r["origin"] == "exposed"'
}
@test "laundering: a run that ends in another epoch than it began in" {
	every renewed
}

# A conversation in which something is read all the time: its runs run, or say why not in words.
busy() {
	local i readers=()
	begin "$1"
	printf 'print("here")\n' | code quiet.py
	/usr/bin/python3 -c 'print("\n".join(f"line {n} of {n * 7919 % 1000003}" for n in range(300000)))' >"$T/long"
	gate "$1" ingest --domain "$D" --kind web --name long "$T/long"
	exits 0
	for i in 1 2 3; do
		(
			n=0
			while [ ! -e "$T/enough" ]; do
				echo "page $i $((n++)) of a long story that nobody ever ends" >"$T/page-$i"
				as "${1%%:*}" "$CORDON" ingest --domain "$D" --kind web --name "p$i" "$T/page-$i"
			done >/dev/null 2>&1
		) 3>&- &
		readers+=($!)
	done
	for i in 1 2; do
		submit "$1" quiet.py
		holds 'r["status"] == "exited" or "this conversation changed" in r["error"]["message"]' \
			'r["error"] is None or r["error"]["cure"]'
	done
	touch "$T/enough"
	wait "${readers[@]}"
	rm "$T/enough"
	gate "$1" audit verify
	exits 0
	gate "$1" domain show --json "$D"
	holds 'r["sources"] > 8' # they did read meanwhile
	submit "$1" quiet.py
	exits 0
}
@test "a busy conversation" {
	every busy
}
