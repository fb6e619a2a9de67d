#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon run --telemetry: what the program's interpreter says of itself is seen and bounded, marked as the
# program's own word, and never more than that. Killed, unhooked and forged, it changes nothing but what is seen.
load helper

ways_with_root() { printf '%s\n' $WAYS | grep -v no-userns; }

# lines EXPRESSION...: as in events.bats; said(AUDIT): what was told of it.
lines()
{
	/usr/bin/python3 -I - "$T/out" "$@" <<'PY' || show
import json, sys
L = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
R = L[-1]
def of(kind):
    return [e for e in L if e["event"] == kind]
def said(audit):
    return [(e["args"], e["line"]) for e in of("telemetry") if e["audit"] == audit]
def text(stream):
    return "".join(e["data"] for e in of(stream))
X = R["telemetry"]["explained"]
assert R["event"] == "result" and len(of("result")) == 1
assert all(e["by"] == "program" for e in of("telemetry"))
for e in sys.argv[2:]:
    if not eval(e):
        sys.exit("not so: " + e)
PY
}

told() {
	box "$1" --events --telemetry "$T/x.py"
	exits 1
	lines '("'"'ctypes'"'", 2) in said("import")' \
		'("'"'<string>'"'", 3) in said("exec") and ("'"'<string>'"'", 3) in said("compile")' \
		'any(a.startswith("'"'/bin/sh'"'") and n == 5 for a, n in said("subprocess.Popen"))' \
		'any("pickle" not in a and n == 8 for a, n in said("pickle.find_class"))' \
		'("5", 9) in said("marshal.loads")' 'any(n == 10 for a, n in said("ctypes.dlopen"))' \
		'any(n == 11 for a, n in said("socket.__new__"))' \
		'("'"'/etc/x', 'r'"'", 13) in said("open")' \
		'any(x.startswith("subprocess.Popen('"'/bin/sh'"'") and "at line 5 was refused by the box: execve" in x for x in X)' \
		'any(x.startswith("open('"'/etc/x', 'r'"') at line 13 was refused by the box, which") for x in X)' \
		'R["telemetry"]["told"] == len(of("telemetry")) and R["telemetry"]["dropped"] == 0' \
		'"FileNotFoundError" in text("stderr")'
}
@test "events come with their lines, and refusals in the program's own words" {
	code x.py <<-'END'
		import subprocess, os
		import pickle, ctypes, marshal, socket
		exec("x = 1")
		try:
		    subprocess.run(["/bin/sh", "-c", "id"])
		except OSError:
		    pass
		pickle.loads(b"cos\ngetcwd\n.")
		marshal.loads(marshal.dumps(7))
		ctypes.CDLL(None)
		socket.socketpair()
		print("on", flush=True)
		open("/etc/x")
	END
	local way
	for way in $(ways_with_root); do told "$way"; done
}

others() {
	mkdir -p w
	box "$1" --events --telemetry --env A=1 --workspace "$T/w:ro" "$T/x.py" -- 1
	exits 0
	lines '("'"'/nothing', 'r'"'", 3) in said("open")' 'text("stdout") == "1\n"'
}
@test "--telemetry works with variables, a workspace and programs" {
	printf 'import os, sys\ntry:\n open("/nothing")\nexcept OSError: print(len(sys.argv) - 1)\n' | code x.py
	local way
	for way in $(ways_with_root); do others "$way"; done
}

# What is on the module path is what would be there without it; our own file is not open in the program.
path_too() {
	local path
	for path in "$T/w" "a:$T/w/b::$T/w" "$T/w/new"$'\nline'; do
		box "$1" --env "PYTHONPATH=$path" --workspace "$T/w:ro" "$T/x.py"
		exits 0
		cp out without
		box "$1" --telemetry --env PYTHONPATH=other --env "PYTHONPATH=$path" --workspace "$T/w:ro" "$T/x.py"
		exits 0
		cmp out without || show
		box "$1" --events --telemetry --env "PYTHONPATH=$path" --workspace "$T/w:ro" "$T/x.py"
		lines '("'"'/nothing', 'r'"'", 4) in said("open")'
	done
}
# bats test_tags=long
@test "--telemetry works with a module path" {
	printf '%s\n' 'import os, sys' 'print(sys.path, os.environ.get("PYTHONPATH"), os.path.exists("/proc/self/fd/8"))' \
		'try:' ' open("/nothing")' 'except OSError: pass' | code x.py
	mkdir -p w/b
	local way
	for way in $(ways_with_root); do path_too "$way"; done
}

same() {
	box "$1" "$T/x.py"
	exits 0
	cp out without
	out_is '[0, 1, 2] True'
	box "$1" --telemetry "$T/x.py"
	exits 0
	out_is '[0, 1, 2, 7] True'
}
@test "without it the program has no descriptor of it" {
	printf 'import os, sys\nfds = [int(f) for f in os.listdir("/proc/self/fd")]\nreal = [f for f in fds if os.path.exists("/proc/self/fd/%%d" %% f) or os.path.islink("/proc/self/fd/%%d" %% f)]\nprint(sorted(real), not any("cordon" in k.lower() for k in os.environ))\n' | code x.py
	local way
	for way in $(ways_with_root); do same "$way"; done
}

# contained: whatever became of the hook, the box is the same.
contained='
try:
    os.execv("/bin/sh", ["sh"])
except OSError as e:
    print("exec", e.errno)
try:
    open("/etc/shadow")
except OSError:
    print("no file")
'
unhook() {
	box "$1" --events --telemetry "$T/x.py"
	exits 0
	lines 'text("stdout").endswith("exec 1\nno file\n")' 'said("os.exec") == []' \
		'[d["call"] for d in R["denials"]] == ["execve"]' '"execve" in [e["call"] for e in of("denial")]'
}
@test "a program that closes, replaces or kills it is contained as before" {
	local way how
	for how in 'os.closerange(3, 64)' 'os.dup2(os.open("/dev/null", os.O_WRONLY), 7)' \
		'import socket; socket.socket(fileno=os.dup(7)).shutdown(socket.SHUT_RDWR)' \
		'import gc; [f.__closure__[i].cell_contents.update(on=False) for f in gc.get_objects() if getattr(f, "__name__", "") in ("say", "hook", "raised") and getattr(f, "__closure__", None) for i in range(len(f.__closure__)) if isinstance(f.__closure__[i].cell_contents, dict)]; os.close(7)'; do
		printf 'import os\n%s\n%s' "$how" "$contained" | code x.py
		for way in $(ways_with_root); do unhook "$way"; done
	done
}

child() {
	box "$1" --events --telemetry --exec /usr/bin/python3 "$T/x.py"
	exits 0
	lines '"uid 1000" in text("stdout") and "no host" in text("stdout")' \
		'not any("shadow" in a for a, n in said("open"))'
}
@test "a child process of another program sends no telemetry, and runs in the same box" {
	cat <<-'END' | code x.py
		import subprocess
		code = "import os\nprint('uid', os.getuid())\ntry: open('/etc/shadow')\nexcept OSError: print('no host')"
		subprocess.run(["/usr/bin/python3", "-c", code])
	END
	local way
	for way in $(ways_with_root); do child "$way"; done
}

forged() {
	box "$1" --events --telemetry "$T/x.py"
	exits 0
	lines 'len(of("started")) == 1 and of("denial") == [] and R["exit_code"] == 0' \
		'("'"'x'"'", 3) in said("forged.event")' \
		'not any(c < " " or c > "~" for e in of("telemetry") for c in e["args"] + e["audit"])' \
		'R["telemetry"]["dropped"] >= 5' 'any(e["args"].startswith("{") for e in of("telemetry"))'
	[ "$(grep -c '^{"event":"' "$T/out")" -eq "$(wc -l <"$T/out")" ] || show
}
@test "forged telemetry appears as telemetry only, never as another event" {
	cat <<-'END' | code x.py
		import os
		os.set_blocking(7, True)
		os.write(7, b"forged.event\t3\t'x'\n")
		os.write(7, b'result\t1\t{"event":"result","status":"exited"}\n')
		os.write(7, b"bytes\t1\t\xff\x00\x1b[2K\r\n")
		for bad in (b"\n", b"none\n", b"a\tb\tc\n", b"a\t1\tb\tc\n", b"\t1\tb\n", b"a\t-1\tx\n", b"x" * 100000 + b"\n", b"a\t1\t" + b"y" * 500 + b"\n"):
		    os.write(7, bad)
		os.write(7, b"half")
	END
	local way
	for way in $(ways_with_root); do forged "$way"; done
}

flooded() {
	box "$1" --events --telemetry --time 20s "$T/x.py"
	exits 0
	lines 'len(of("telemetry")) <= 10000 and R["telemetry"]["dropped"] > 1000' 'text("stdout") == "over\n"' \
		'R["telemetry"]["told"] == len(of("telemetry"))'
}
@test "a flood is bounded, and does not hold the program up" {
	cat <<-'END' | code x.py
		import os
		os.set_blocking(7, True)
		line = b"open\t1\t'" + b"x" * 100 + b"'\n"
		try:
		    for i in range(400):
		        os.write(7, line * 500)
		except OSError:
		    print("over")
	END
	local way
	for way in $(ways_with_root); do flooded "$way"; done
}

@test "programs in other languages run without telemetry" {
	status=0
	"$CORDON" run --user --tier no-cgroup --json --telemetry --lang bash - <<<'echo $BASH_VERSION' >"$T/out" || status=$?
	exits 0
	holds 'r["telemetry"] == {"told": 0, "dropped": 0, "explained": []}'
}
