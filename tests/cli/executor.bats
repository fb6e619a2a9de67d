#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon executor: programs and files of the executor that Codex starts, with a client of our own.
load helper
load workspace
load live_box
load executor

programs() {
	talk "$1" <<'END'
r = c.shell("echo out; echo err >&2; exit 3")
assert (r.out, r.exit_code) == ("out\n", 3) and r.err.startswith("err\n"), r.chunks
r = c.shell("pwd; id -u; echo $0 $HOME")
assert (r.out, r.err) == (c.cwd + "\n1000\nbash /home\n", ""), r.chunks
assert c.shell("kill -TERM $$").exit_code == 143
assert c.shell("shopt -q login_shell").exit_code == 0
assert c.shell("shopt -q login_shell", login=False).exit_code == 1
c.start("words", ["printf", "%s|", "a b", "$x", "'", "-n"])
assert c.wait("words").out == "a b|$x|'|-n|"
c.start("name", ["bash", "-c", "echo $0"], arg0="other")
assert c.wait("name").out == "other\n"
assert c.shell("pwd", cwd="sub").out == c.cwd + "/sub\n"
r = c.shell("true", cwd="/nowhere")
assert r.exit_code == 125 and "entering /nowhere" in r.err, r.chunks
r = c.shell("head -c 3000000 /dev/zero")
assert sum(len(d) for _, d in r.chunks) == 3000000
END
	untouched
}
@test "programs, their output and their ends" { every_owner programs; }
