# SPDX-License-Identifier: MIT
"""Runs the real Codex offline: a model server of our own plays a script, and Codex obeys it.

A script is a list of turns. A turn is (TOOL, ARGUMENTS), where text is the input of a free-form tool, with the group
of an MCP tool as a third; or a function of what the tool before printed that returns these, or the final words."""
import glob
import http.server
import json
import os
import subprocess
import threading


def find(top):
    """Codex's own program, which tools/packages fetched."""
    return glob.glob(top + "/build/npm-agents/node_modules/@openai/codex-*/vendor/*/bin/codex")[0]


class Model(http.server.ThreadingHTTPServer):
    """Keeps what each tool printed, as the model would read it."""

    def __init__(self, script):
        self.script, self.outputs, self.told = script, [], []
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def next_items(self, body):
        outputs = [i.get("output") for i in body.get("input") or [] if i.get("type", "").endswith("_output")]
        self.outputs = [o if isinstance(o, str) else json.dumps(o) for o in outputs]
        self.told.append(json.dumps(body))
        turn = self.script[len(outputs)] if len(outputs) < len(self.script) else "done"
        if callable(turn):
            turn = turn(self.outputs[-1])
        if isinstance(turn, str):
            return [{"type": "message", "id": "m", "role": "assistant",
                     "content": [{"type": "output_text", "text": turn}]}]
        name, arguments, *group = turn
        call = {**({"namespace": group[0]} if group else {}), "id": f"c{len(outputs)}", "call_id": f"call_{len(outputs)}", "name": name}
        if isinstance(arguments, str):
            return [{**call, "type": "custom_tool_call", "input": arguments}]
        return [{**call, "type": "function_call", "arguments": json.dumps(arguments)}]


class Answer(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send(self, kind, data):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.send("application/json", b'{"object":"list","data":[],"models":[]}')

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        events = [{"type": "response.created", "response": {"id": "r"}}]
        events += [{"type": "response.output_item.done", "item": i} for i in self.server.next_items(body)]
        events.append({"type": "response.completed", "response": {"id": "r", "usage": {
            "input_tokens": 1, "input_tokens_details": None, "output_tokens": 1,
            "output_tokens_details": None, "total_tokens": 2}}})
        self.send("text/event-stream", b"".join(
            f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events))


def run(program, home, work, script, executor=None, sandbox="workspace-write", timeout=None, include_local=False,
        model_name="gpt-5.5", config="", wait_s=120):
    """Plays the script in the directory WORK. EXECUTOR: its command line; None: Codex runs commands itself.
    Returns what each tool printed, and the model server."""
    os.makedirs(home + "/tmp", exist_ok=True)
    model = Model(script)
    with open(home + "/config.toml", "w", encoding="utf-8") as f:
        f.write(f"""model = "{model_name}"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "{sandbox}"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:{model.server_port}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
{config}""")
    if executor:
        with open(home + "/environments.toml", "w", encoding="utf-8") as f:
            f.write(f"""default = "cordon"
include_local = {"true" if include_local else "false"}
[[environments]]
id = "cordon"
program = {json.dumps(executor[0])}
args = {json.dumps(executor[1:])}
""")
            if timeout:
                f.write(f"initialize_timeout_sec = {timeout}\n")
    env = {**os.environ, "CODEX_HOME": home, "HOME": home, "MOCK_KEY": "leaked-key", "TMPDIR": home + "/tmp"}
    result = subprocess.run([program, "exec", "--skip-git-repo-check", "go"], cwd=work, env=env, timeout=wait_s,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    model.shutdown()
    return model.outputs, model, result
