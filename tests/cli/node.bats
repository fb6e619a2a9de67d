#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Ordinary JavaScript in the stock profile.
load helper

needs() { [ -x /usr/bin/node ] || skip "no node"; }

@test "output, arguments, exit status" {
	printf 'console.log(process.argv.slice(2).join()); process.exitCode = 3\n' | code x.js
	local way
	for way in $WAYS; do
		box "$way" "$T/x.js" -- a 'b c'
		exits 3
		out_is 'a,b c'
	done
}

@test "worker threads" {
	cat <<'JS' | code x.js
const { Worker, isMainThread, parentPort } = require("worker_threads");
if (isMainThread) {
	let n = 0, left = 4;
	for (let i = 0; i < 4; i++)
		new Worker(__filename).on("message", m => { n += m; if (!--left) console.log(n); });
} else parentPort.postMessage(10);
JS
	runs x.js 40 --time 60s
}

@test "files, timers, promises, streams" {
	cat <<'JS' | code x.js
const fs = require("fs"), path = require("path"), os = require("os");
const { pipeline } = require("stream/promises"), zlib = require("zlib");
(async () => {
	const d = await fs.promises.mkdtemp(path.join(os.tmpdir(), "x-"));
	await fs.promises.writeFile(d + "/f", "hello ".repeat(1000));
	await pipeline(fs.createReadStream(d + "/f"), zlib.createGzip(), fs.createWriteStream(d + "/g"));
	console.log(zlib.gunzipSync(fs.readFileSync(d + "/g")).length, fs.readdirSync(d).join());
	await new Promise(r => setTimeout(r, 10));
	console.log(os.homedir(), os.hostname());
})();
JS
	runs x.js $'6000 f,g\n/tmp cordon'
}

@test "crypto" {
	cat <<'JS' | code x.js
const c = require("crypto");
console.log(c.createHash("sha256").update("x").digest("hex").slice(0, 8), c.randomBytes(4).length);
c.scrypt("p", "s", 16, (e, k) => console.log(k.length));
const { publicKey, privateKey } = c.generateKeyPairSync("ed25519");
console.log(c.verify(null, Buffer.from("m"), publicKey, c.sign(null, Buffer.from("m"), privateKey)));
JS
	runs x.js $'2d711642 4\ntrue\n16' --time 60s
}

@test "wasm" {
	cat <<'JS' | code x.js
const b = Uint8Array.from([0,97,115,109,1,0,0,0,1,7,1,96,2,127,127,1,127,3,2,1,0,7,7,1,3,97,100,100,0,0,10,9,1,7,0,32,0,32,1,106,11]);
WebAssembly.instantiate(b).then(m => console.log(m.instance.exports.add(40, 2)));
JS
	runs x.js 42
}

@test "a listed program as a child" {
	cat <<'JS' | code x.js
const { execFileSync, spawn } = require("child_process");
console.log(execFileSync("/usr/bin/sort", { input: "b\na\n" }).toString().trim());
const p = spawn("/usr/bin/sort", ["-r"]);
p.stdout.on("data", d => process.stdout.write(d));
p.stdin.end("1\n2\n");
JS
	runs x.js $'a\nb\n2\n1' --exec /usr/bin/sort --time 60s
}

@test "an unlisted program is refused" {
	cat <<'JS' | code x.js
try { require("child_process").execFileSync("/usr/bin/id"); console.log("ran"); }
catch (e) { console.log("refused"); }
JS
	runs x.js refused
}

@test "an ES module, by its name" {
	printf 'import fs from "fs";\nconst x = await Promise.resolve(6);\nconsole.log(x * 7, typeof fs.readFileSync);\n' |
		code x.mjs
	runs x.mjs '42 function'
}

stack() {
	box "$1" --json "$T/x.js"
	exits 1
	holds '"main.js:3" in r["stderr"] and "/tmp/cli-test" not in r["stderr"]'
}
@test "stack traces show the right line" {
	printf '\n\nthrow new Error("here");\n' | code x.js
	every stack
}

no_network() {
	box "$1" "$T/x.js"
	exits 0
	out_is refused
}
@test "the network is not there" {
	cat <<'JS' | code x.js
require("net").connect(9, "127.0.0.1").on("error", () => console.log("refused")).on("connect", () => console.log("reached"));
JS
	every no_network
}
