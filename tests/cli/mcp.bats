#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon mcp: the tools of the server, through a small client of our own (tests/mcp/client.py).
load helper
load workspace
load live_box

# talk WAY [OPTION...]: standard input is a program of the client; see there. With ELICITS=1 it can ask people.
talk()
{
	local who=${1%%:*} tier=${1#*:}
	WAY=$1
	shift
	status=0
	(cd "$W" && as "$who" timeout 100 /usr/bin/python3 -IS "$TOP/tests/mcp/client.py" ${ELICITS:+--elicits} \
		"$CORDON" mcp --tier "$tier" "$@" >"$T/out" 2>"$T/err") || status=$?
	[ "$status" -eq 0 ] || show
}

hello() {
	talk "$1" <<-'EOF'
	assert c.hello()["protocolVersion"] == "2025-11-25"
	assert c.hello("2024-11-05")["protocolVersion"] == "2024-11-05"
	assert c.hello("1999-01-01")["protocolVersion"] == "2025-11-25"
	assert c.request("ping") == {}
	tools = c.request("tools/list")["tools"]
	assert [t["name"] for t in tools] == ["run_command", "run_code", "read_file", "write_file", "list_files",
	    "scan", "approval_status"], tools
	assert all(t["inputSchema"]["additionalProperties"] is False for t in tools)
	c.modern = True
	found = c.request("server/discover")
	assert "2026-07-28" in found["supportedVersions"] and found["capabilities"] == {"tools": {}}, found
	modern = c.request("tools/list")
	assert modern["tools"] == tools and modern["ttlMs"] > 0 and modern["cacheScope"] == "public"
	EOF
	[ ! -e "$T/state/cordon/keeper" ] # it made no box
}
@test "both eras: initialize, server/discover, tools/list" { every_owner hello; }

commands() {
	talk "$1" <<-'EOF'
	c.hello()
	r = c.good("run_command", command="cat file; pwd; echo bad >&2; exit 3")
	assert r["stdout"].startswith("old\n/") and r["stderr"] == "bad\n" and r["exit_code"] == 3, r
	assert r["status"] == "exited" and r["state"] == "exposed", r
	c.good("run_command", command="echo first >new; sleep 600 & echo $! >pid")
	r = c.good("run_command", command="cat new; kill -0 $(cat pid); cat; echo $K; pwd", stdin="in\n",
	    env={"K": "v"}, cwd="/tmp")
	assert "No such file" in r["stderr"], r
	r = c.good("run_command", command="cat new; kill $(cat pid) && cat; echo $K", stdin="in\n", env={"K": "v"})
	assert r["stdout"] == "first\nin\nv\n", r
	r = c.call("run_command", command="sleep 60", timeout_seconds=1)
	assert r["isError"] and r["structuredContent"]["status"] == "timed_out", r
	c.modern = True
	r = c.request("tools/call", {"name": "run_command", "arguments": {"command": "cat new"}})
	assert r["structuredContent"]["stdout"] == "first\n" and r["resultType"] == "complete", r
	assert r["content"][0]["text"] == "first\n"
	EOF
	untouched
	err_has 'cordon diff --conversation'
	eval "$(sed -n 's/.*any: cordon diff/live_diff/p' "$T/err")"
	out_has 'created new'
	[ -z "$(state_of "$1")" ]
}
live_diff() { as "${WAY%%:*}" "$CORDON" diff "$@" >"$T/out"; }
@test "run_command: one box for the session; its changes stay pending" { every_owner commands; }
