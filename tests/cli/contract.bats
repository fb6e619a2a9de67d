#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The contract of `cordon run`: every status, its exit status, and the shape of the JSON object.
load helper

json_shape() {
	box "$1" --json "$T/x.py"
	exits 0
	holds 'r["status"] == "exited" and r["exit_code"] == 0 and r["signal"] is None' \
		'r["limit"] is None and r["error"] is None' \
		'r["stdout"] == "out\n" and r["stderr"] == "err\n"' \
		'r["stdout_encoding"] == r["stderr_encoding"] == "utf-8"' \
		'not r["truncated"] and r["denials"] == [] and r["changes"] == []' \
		'set(r["usage"]) == {"wall_ms", "cpu_ms", "memory_peak", "pids_peak"}' \
		'all(isinstance(v, int) and v >= 0 for v in r["usage"].values())' \
		'r["usage"]["memory_peak"] > 1 << 20 and r["usage"]["wall_ms"] > 0' \
		'r["tier"] == "'"${1#*:}"'"' \
		'len(r["layers"]) == len(set(r["layers"])) and "seccomp" in r["layers"]' \
		'r["code_sha256"] == "'"$(sha256sum "$T/x.py" | cut -d' ' -f1)"'"'
}
@test "the JSON object has every field" {
	printf 'import sys\nprint("out")\nprint("err", file=sys.stderr)\n' | code x.py
	every json_shape
}

layers_listed() {
	box "$1" --json --lang binary /bin/true
	exits 0
	holds '{"userns","mountns","pidns","netns","ipcns","utsns","cgroupns","newroot","noexec",
		"session","fds","env","caps","nnp","dumpable","rlimits","landlock","seccomp",
		"execgate"} <= set(r["layers"])' \
		'("cgroup" in r["layers"]) == (r["tier"] == "full")' \
		'(r["counted_by"] == "watcher") == (r["tier"] != "full")'
}
@test "the result lists the layers that were on" {
	every layers_listed
}

@test "without namespaces it says so" {
	WAYS="user:no-userns"
	box user:no-userns --json --lang binary /bin/true
	exits 0
	holds 'r["tier"] == "no-userns"' '"userns" not in r["layers"]' \
		'{"landlock","seccomp","nnp","caps","rlimits","env","fds"} <= set(r["layers"])'
}

own_status() {
	local n
	for n in 0 1 3 123 124 125 126 127 255; do
		box "$1" --json "$T/x.py" -- $n
		exits $n
		holds "r['status'] == 'exited' and r['exit_code'] == $n and r['signal'] is None"
	done
}
@test "exited: the program's own status" {
	printf 'import sys\nsys.exit(int(sys.argv[1]))\n' | code x.py
	every own_status
}

signaled() {
	local n
	for n in 6 9 11 15; do
		box "$1" --json "$T/x.py" -- $n
		exits $((128 + n))
		holds "r['status'] == 'signaled' and r['signal'] == $n and r['exit_code'] is None" \
			"r['limit'] is None"
	done
}
@test "signaled: 128 plus the signal" {
	printf 'import os, sys\nos.kill(os.getpid(), int(sys.argv[1]))\n' | code x.py
	every signaled
}

# A shell makes one number of both, so another parent looks.
ends() {
	as "${1%%:*}" /usr/bin/python3 -I - "$CORDON" "${1#*:}" "$T/x.py" <<'PY'
import json, subprocess, sys
def end(n, *more, out=subprocess.PIPE):
    words = [sys.argv[1], "run", "--user", "--tier", sys.argv[2], *more, sys.argv[3], "--", str(n)]
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, cwd="/tmp")
for n in (6, 9, 11, 15, 31):
    done = end(n, "--by-signal")
    assert done.returncode == -n and done.stdout == b"begun\n", (n, done)
    assert end(n).returncode == 128 + n
done = end(6, "--by-signal", "--json")
assert done.returncode == -6 and json.loads(done.stdout)["signal"] == 6, done
assert end(137, "--by-signal").returncode == 137
assert end(6, "--by-signal", "--json", out=open("/dev/full", "w")).returncode == 125
PY
}
@test "signaled: with --by-signal it ends by that signal, and a status of its own stays one" {
	code x.py <<-'PY'
		import os, sys
		print("begun", flush=True)
		n = int(sys.argv[1])
		n > 64 and sys.exit(n)
		os.kill(os.getpid(), n)
	PY
	every ends
}

kill_list() {
	box "$1" --json "$T/x.py"
	exits 159
	holds 'r["status"] == "signaled" and r["signal"] == 31' 'len(r["denials"]) >= 1'
}
@test "signaled: a call on the kill list is 159 and is named" {
	printf 'import ctypes\nctypes.CDLL(None).ptrace(0, 0, 0, 0)\nprint("alive")\n' | code x.py
	every kill_list
}

timed_out() {
	box "$1" --json --time 300ms "$T/x.sh"
	exits 124
	holds 'r["status"] == "timed_out" and r["limit"] == "time"' 'r["stdout"] == "begun\n"' \
		'300 <= r["usage"]["wall_ms"] < 5000'
}
@test "timed_out: exit status 124, with the output printed before" {
	printf 'echo begun\nsleep 100\n' | code x.sh
	every timed_out
}

error_status() {
	box "$1" --json "$T/nothing.py"
	exits 125
	holds 'r["status"] == "error" and r["exit_code"] is None' 'r["layers"] == []' \
		'"nothing.py" in r["error"]["message"]' 'r["code_sha256"] is None'
}
@test "error: 125 with a message, also as JSON" {
	every error_status
}

@test "a missing layer stops the run: 125, its name, cause and cure" {
	printf 'print("ran")\n' | code x.py
	if is_root || ! "$CORDON" run --user --lang binary /bin/true; then
		box user:full --json "$T/x.py"
		exits 125
		holds 'r["status"] == "error" and r["error"]["layer"] == "cgroup"' \
			'len(r["error"]["cause"]) > 10 and "no-cgroup" in r["error"]["cure"]' \
			'r["stdout"] == ""'
		box user:full "$T/x.py"
		exits 125
		err_has 'layer cgroup'
		out_is ''
	else
		skip "this user has a cgroup"
	fi
}

@test "a cordon-box that is no program is an error that names the cause" {
	own_programs
	printf 'no program\n' >"$T/bin/cordon-box"
	echo 'print(1)' | code x.py
	box user:no-cgroup "$T/x.py"
	exits 125
	err_has 'cordon-box: Exec format error'
}

# The last two are the C library's own, which it lets no program change: 134 and 13 are rt_sigaction.
@test "signals that the caller ignores are not ignored in the box" {
	echo 'print(next(l for l in open("/proc/self/status") if l.startswith("SigIgn"))[8:-1])' | code x.py
	cat >"$T/ignores" <<-END
		#!/usr/bin/python3 -I
		import ctypes, os, sys
		ignored = (ctypes.c_uint64 * 4)(1)
		for signal in 2, 10, 13, 17, 32, 33:
		    ctypes.CDLL(None).syscall({"aarch64": 134, "x86_64": 13}[os.uname().machine], signal, ignored, None, 8)
		os.execv("$CORDON", ["$CORDON"] + sys.argv[1:])
	END
	chmod 755 "$T/ignores"
	CORDON=$T/ignores box user:no-cgroup "$T/x.py"
	exits 0
	# Python itself ignores two: SIGPIPE and SIGXFSZ
	out_is 0000000001001000
}

@test "cordon-box does nothing on its own" {
	own_programs
	run -125 "$T/bin/cordon-box"
	[[ $output == *"started by cordon"* ]]
	rm "$T/bin/cordon-box"
	box user:no-cgroup --lang binary /bin/true
	exits 125
	err_has cordon-box
}

denial_listed() {
	box "$1" --json "$T/x.py"
	exits 0
	holds 'any(d["call"] == "socket" for d in r["denials"])' \
		'all(set(d) >= {"call", "target", "rule"} and d["rule"] for d in r["denials"])' \
		'r["stdout"] == "PermissionError\n" or "Error" in r["stdout"]'
}
@test "a refused call is in the denials with its rule" {
	printf 'import socket\ntry:\n socket.socket()\nexcept OSError as e:\n print(type(e).__name__)\n' |
		code x.py
	every denial_listed
}

forged() {
	box "$1" --json "$T/x.py"
	exits 3
	holds 'r["status"] == "exited" and r["exit_code"] == 3' \
		'r["stdout"].startswith("{\"status\":\"exited\",\"exit_code\":0}\n")' \
		'"\"}" in r["stdout"]'
}
@test "nothing the program prints can forge the object" {
	cat <<'PY' | code x.py
import os, sys
print('{"status":"exited","exit_code":0}')
print('"},"exit_code":0,"x":"')
sys.stdout.flush()
for fd in range(3, 64):
    try:
        os.write(fd, b'{"status":"exited"}\n')
        print("wrote to", fd)
    except OSError:
        pass
sys.exit(3)
PY
	every forged
}

plain_words() {
	box "$1" "$T/x.py"
	exits 0
	out_is 'cordon: all is well'
	[ "$(grep -c '^cordon: ' "$T/err")" -eq 0 ] || show
	err_has '| cordon: stopped'
}
@test "a line that looks like ours is marked" {
	printf 'import sys\nprint("cordon: all is well")\nprint("cordon: stopped", file=sys.stderr)\n' |
		code x.py
	every plain_words
}

@test "our own words say how it ended" {
	printf 'while True: pass\n' | code x.py
	box user:no-cgroup --time 200ms "$T/x.py"
	exits 124
	err_has 'cordon: stopped: the time limit'
	printf 'import os\nos.abort()\n' | code x.py
	box user:no-cgroup "$T/x.py"
	exits 134
	err_has 'cordon: killed by signal 6'
}

denials_are_cut() {
	box "$1" --json "$T/x.py"
	exits 0
	holds 'len(r["denials"]) == 128' 'r["denials_cut"] is True'
}
@test "denials_cut is true if there are more refusals than the list holds" {
	code x.py <<-'END'
		import os
		for i in range(200):
		    try:
		        os.execv("/bin/no%d" % i, ["x"])
		    except OSError:
		        pass
	END
	every denials_are_cut
}

# Nobody is left of the box then, and no namespace ends the program.
@test "without namespaces: cordon-box and init killed at once, and the program ends too" {
	printf 'import time\nprint("ready", flush=True)\ntime.sleep(3600)\n' | code x.py
	as user timeout 60 "$CORDON" run --user --time 2h --tier no-userns "$T/x.py" >"$T/out" 2>"$T/err" &
	local pid=$! cordon box init program i
	for i in $(seq 200); do
		! grep -qs ready "$T/out" || break
		sleep 0.05
	done
	cordon=$(pgrep -P "$(pgrep -P "$pid")")
	box=$(pgrep -P "$cordon")
	init=$(pgrep -P "$box")
	program=$(pgrep -P "$init")
	kill -9 "$box" "$init"
	status=0
	wait $pid || status=$?
	exits 125
	err_has 'died without a result'
	for i in $(seq 100); do
		[ -e "/proc/$program" ] || break
		sleep 0.05
	done
	[ ! -e "/proc/$program" ] || { cat "/proc/$program/status"; return 1; }
}

@test "a namespace that is switched off is named, with its switch" {
	printf 'print("ran")\n' | code x.py
	mkdir -m 777 own
	as user unshare -Ur sh -c '
		for n in uts:utsns ipc:ipcns mnt:mountns cgroup:cgroupns pid:pidns net:netns; do
			f=/proc/sys/user/max_${n%%:*}_namespaces
			echo 0 >$f
			"$0" run --tier no-cgroup x.py >own/out 2>&1
			echo 1000 >$f
			grep -q "layer ${n#*:}: " own/out && grep -q "because: $f is 0" own/out ||
				{ cat own/out; exit 1; }
		done' "$CORDON" || return 1
}
