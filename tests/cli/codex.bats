#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon executor with the real Codex, which npm fetches, and a model server of our own.
load helper
load workspace
load live_box

needs()
{
	flock "$TOP/build/npm-agents.lock" "$TOP/tools/packages" agents >&2 || skip "npm could not fetch Codex"
}

# plays: a Python program on standard input, with the functions of tests/executor/codex.py; $W is its directory.
plays()
{
	cat >"$T/play.py"
	status=0
	PYTHONPATH=$TOP/tests/executor TOP=$TOP T=$T W=$W CORDON=$CORDON timeout 300 /usr/bin/python3 -B -c '
import os, subprocess, sys
import codex
PROGRAM, T, W, CORDON = codex.find(os.environ["TOP"]), os.environ["T"], os.environ["W"], os.environ["CORDON"]
def cmd(text, **more):
    return ("exec_command", {"cmd": text, **more})
def play(script, *executor, **more):
    outputs, _, result = codex.run(PROGRAM, T + "/codex", W, script, executor or None, **more)
    with open(T + "/codex.log", "wb") as f:
        f.write(result.stdout)
    return outputs
exec(compile(sys.stdin.read(), "play.py", "exec"))
' <"$T/play.py" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" = 0 ] || tail -n 15 "$T/codex.log"
	exits 0
}

# A repository with a test, and a grant in the policy.
begin()
{
	dir user
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
	(cd "$W" && export HOME=$T/home && git init -qb main . && git config user.name u && git config user.email u@x &&
		printf 'def double(n):\n    return n + n + 1\n' >calc.py && printf 'Say hello.\n' >AGENTS.md &&
		printf 'from calc import double\nassert double(2) == 4\nprint("passed")\n' >check.py &&
		git add . && git commit -qm one)
	! is_root || chown -hR "$TEST_UID:$TEST_UID" "$W"
	listing "$W" >"$T/before"
	printf 'version: 2\ngrants:\n  - {directory: %s, write: [.]}\n' "$W" >"$T/policy.yaml"
}

@test "a whole task under a grant: read, edit, test, commit; nothing is asked, and all of it was in the box" {
	begin
	plays <<'END'
script = [cmd(f"cat calc.py; python3 check.py; touch {T}/canary; echo $MOCK_KEY$CODEX_HOME"),
          ("apply_patch", "*** Begin Patch\n*** Update File: calc.py\n@@\n-    return n + n + 1\n+    return n + n\n"
           "*** Add File: new/notes.txt\n+done\n*** End Patch\n"),
          cmd("python3 check.py && git add -A && git commit -qm two && git log --oneline | wc -l"),
          cmd("bash", tty=True, yield_time_ms=500),
          lambda said: ("write_stdin", {"session_id": int(said.split("session ID ")[1].split()[0]),
                                        "chars": "echo typed $((6*7))\n", "yield_time_ms": 500}),
          "finished"]
out = play(script, CORDON, "executor", "--policy", T + "/policy.yaml", sandbox="danger-full-access")
assert "return n + n + 1" in out[0] and "AssertionError" in out[0] and "leaked" not in out[0]
assert "Success" in out[1] and "passed" in out[2] and "\n2\n" in out[2] and "typed 42" in out[4], out
assert not any("cordon" in o for o in out), out
END
	[ ! -e "$T/canary" ]
	[ "$(cat "$W/new/notes.txt")" = done ]
	[ "$(git -C "$W" log --oneline | wc -l)" = 2 ]
	"$CORDON" audit export >"$T/log"
	[ "$(grep -c '"kind":"start"' "$T/log")" -ge 4 ]
	"$CORDON" approvals list >"$T/out"
	[ ! -s "$T/out" ] || grep -q '^no ' "$T/out"
}

@test "with include_local = false nothing runs outside: no executor, one that is slow, dies or answers late" {
	begin
	code slow <<'END'
#!/bin/sh
sleep 5
exec "$@"
END
	code dying <<'END'
#!/usr/bin/python3
# Passes messages on, and dies when the first program is to start.
import os, subprocess, sys
p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=1)
for line in sys.stdin.buffer:
    if b"process/start" in line:
        p.kill()
        os._exit(1)
    p.stdin.write(line)
    p.stdin.flush()
END
	chmod 755 "$T/slow" "$T/dying"
	plays <<'END'
touch = f"touch {T}/canary-$$; echo ran"
script = [cmd(touch), cmd(touch), "end"]
for executor, more in (([T + "/none"], {}), (["/bin/false"], {}), (["/bin/cat"], {"timeout": 2}),
                       ([T + "/slow", CORDON, "executor"], {"timeout": 1}),
                       ([T + "/dying", CORDON, "executor"], {}),
                       ([CORDON, "executor", "--policy", "/nowhere"], {})):
    out = play(script, *executor, **more)
    assert len(out) == 2 and not any("\nran" in o for o in out), (executor, out)
# The same with include_local = true runs outside: so the test would see it.
out = play(script, T + "/none", include_local=True, sandbox="danger-full-access")
assert any("\nran" in o for o in out), out
END
	[ "$(compgen -G "$T/canary-*" | wc -l)" -ge 1 ]
	rm -f "$T"/canary-*
	plays <<'END'
out = play([cmd(f"touch {T}/canary-box; echo ran"), "end"], CORDON, "executor", "--policy", T + "/policy.yaml")
assert "\nran" in out[0], out
END
	[ -z "$(compgen -G "$T/canary-*")" ]
}

@test "an MCP server of Codex runs in the box too" {
	begin
	echo secret >"$T/secret"
	cat >"$W/server.py" <<'END'
import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    tool = {"name": "look", "description": "looks", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
    result = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                             "serverInfo": {"name": "lab", "version": "1"}},
              "tools/list": {"tools": [tool]}}.get(m["method"], {})
    if m["method"] == "tools/call":
        path = m["params"]["arguments"]["path"]
        result = {"content": [{"type": "text", "text": f"{os.path.exists(path)} {os.environ.get('MOCK_KEY')}"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
END
	plays <<'END'
config = f"""[mcp_servers.lab]
command = "/usr/bin/python3"
args = ["{W}/server.py"]
cwd = "{W}"
environment_id = "cordon"
"""
look = lambda path: ("look", {"path": path}, "mcp__lab")
out = play([look(T + "/secret"), look(W + "/calc.py"), "end"], CORDON, "executor", model_name="gpt-5", config=config,
           sandbox="danger-full-access")
assert "False None" in out[0] and "True None" in out[1], out
END
}

# compare SEED COUNT
compare()
{
	dir user
	status=0
	mkdir -p "$T/both"
	(cd "$T/both" && timeout 500 /usr/bin/python3 -B "$TOP/tests/executor/compare.py" "$1" "$2" "$T/both" \
		"$(compgen -G "$TOP/build/npm-agents/node_modules/@openai/codex-*/vendor/*/bin/codex")" "$CORDON" executor >"$T/out" 2>"$T/err") || status=$?
	exits 0
	[ -z "$(grep -A 9 '^not ' "$T/out" | tee /dev/stderr)" ]
	grep -q '^1\.\.1' "$T/out"
}

@test "generated exchanges end as with Codex's own executor" {
	compare 1 80
	[ -z "${TEST_MORE:-}" ] || for seed in 2 3 4; do compare $seed 250; done
}
