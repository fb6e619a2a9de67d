// SPDX-License-Identifier: MIT
// bridge.mjs COMMAND...: an HTTP server for MCP's conformance suite, which speaks only HTTP. It passes each message
// to a server on standard input and output, one for each client of the legacy era and one for all of the modern
// era, and changes nothing but ids. It prints its address.
import {spawn} from "node:child_process";
import {createServer} from "node:http";
import {createInterface} from "node:readline";
import {randomUUID} from "node:crypto";

class Server {
	constructor() {
		this.child = spawn(process.argv[2], process.argv.slice(3), {stdio: ["pipe", "pipe", "inherit"]});
		this.open = new Map(); // our id: {id, send, end}
		this.tokens = new Map();
		this.last = 0;
		createInterface({input: this.child.stdout}).on("line", (line) => this.take(JSON.parse(line)));
	}
	write(message) { this.child.stdin.write(JSON.stringify(message) + "\n"); }
	// An answer ends the stream of its request; all else goes to the stream that it belongs to.
	take(m) {
		if (m.method === undefined) {
			const row = this.open.get(m.id);
			this.open.delete(m.id);
			row?.end({...m, id: row.id});
		} else {
			const key = m.params?.progressToken;
			(this.tokens.get(key) ?? [...this.open.values()].pop())?.send(m);
		}
	}
	ask(m, row) {
		const id = ++this.last + 1000000;
		this.open.set(id, {...row, id: m.id});
		if (m.params?._meta?.progressToken !== undefined)
			this.tokens.set(m.params._meta.progressToken, row);
		this.write({...m, id});
		return id;
	}
	cancel(id) {
		if (this.open.delete(id))
			this.write({jsonrpc: "2.0", method: "notifications/cancelled", params: {requestId: id}});
	}
}

const legacy = new Map();
let modern;

const bad = (res, status, id, code, message, data) => {
	res.writeHead(status, {"content-type": "application/json"});
	res.end(JSON.stringify({jsonrpc: "2.0", id: id ?? null, error: {code, message, data}}));
};
const statuses = {[-32601]: 404, [-32602]: 400, [-32022]: 400, [-32600]: 400};

// A stream is opened by the first message that is not the answer.
const reply = (res, session, isModern) => {
	let isStream = false;
	const put = (m) => res.write(`event: message\ndata: ${JSON.stringify(m)}\n\n`);
	const headers = session ? {"mcp-session-id": session} : {};
	return {
		send: (m) => {
			if (!isStream)
				res.writeHead(200, {...headers, "content-type": "text/event-stream"});
			isStream = true;
			put(m);
		},
		end: (m) => {
			if (isStream) {
				put(m);
				return res.end();
			}
			const status = isModern && m.error ? statuses[m.error.code] ?? 200 : 200;
			res.writeHead(status, {...headers, "content-type": "application/json"});
			res.end(JSON.stringify(m));
		},
	};
};

const take = (req, res, m) => {
	const meta = m.params?._meta?.["io.modelcontextprotocol/protocolVersion"];
	const isModern = meta !== undefined || req.headers["mcp-protocol-version"] === "2026-07-28";
	let session = req.headers["mcp-session-id"], server;
	if (isModern) {
		server = modern ??= new Server();
	} else if (m.method === "initialize") {
		session = randomUUID();
		legacy.set(session, server = new Server());
	} else if (!(server = legacy.get(session))) {
		return bad(res, session ? 404 : 400, m.id, -32600, "no such session");
	}
	if (m.id === undefined || m.method === undefined) {
		server.write(m);
		res.writeHead(202);
		return res.end();
	}
	const id = server.ask(m, reply(res, session, isModern));
	res.on("close", () => server.cancel(id));
};

createServer((req, res) => {
	if (req.method === "DELETE") {
		const server = legacy.get(req.headers["mcp-session-id"]);
		legacy.delete(req.headers["mcp-session-id"]);
		server?.child.stdin.end();
		res.writeHead(server ? 200 : 404);
		return res.end();
	}
	if (req.method !== "POST") {
		res.writeHead(405);
		return res.end();
	}
	let body = "";
	req.on("data", (part) => body += part).on("end", () => {
		let m;
		try {
			m = JSON.parse(body);
		} catch {
			return bad(res, 400, null, -32700, "no JSON");
		}
		take(req, res, m);
	});
}).listen(0, "127.0.0.1", function () { console.log(`http://127.0.0.1:${this.address().port}/mcp`); });
