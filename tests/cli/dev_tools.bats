#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Real programs of a developer in the profile dev, unmodified, without a network. The long ones with TEST_MORE=1.
load helper
load workspace

# in_box WAY NAME: the script $T/NAME.sh in the workspace; its last line must be "done".
in_box()
{
	box "$1" --memory 2G --disk 1G --pids 256 --time 50s --workspace "$W" "$T/$2.sh"
	exits 0
	[ "$(tail -n 1 "$T/out")" = 'done' ] || show
}
tool() { command -v "$1" >/dev/null || skip "no $1"; }
is_short() { [ -z "${TEST_MORE:-}" ]; }

git_works() { in_box "$1" git; untouched; }
@test "git: init, commit, branch, worktree, status" {
	tool git
	cat <<'SH' | code git.sh
set -e
git init -q . && git config user.name a && git config user.email a@b
git add -A && git commit -qm one && git checkout -qb side && echo x >>file && git commit -qam two
git worktree add -q ../tmp-tree master 2>/dev/null || git worktree add -q /tmp/tree master
git status --short && git log --oneline | wc -l
echo done
SH
	every_owner git_works
}

npm_works() { in_box "$1" npm; }
@test "npm: a dependency of the workspace, and npm test with a worker thread" {
	tool npm
	cat <<'SH' | code npm.sh
set -e
mkdir dep && echo '{"name":"dep","version":"1.0.0","main":"i.js"}' >dep/package.json && echo 'module.exports=42' >dep/i.js
cat >test.js <<'JS'
const {Worker} = require("worker_threads");
if (require("dep") !== 42) process.exit(1);
new Worker("require('worker_threads').parentPort.postMessage(require('os').cpus().length)", {eval: true})
	.on("message", () => console.log("tested"));
JS
echo '{"name":"app","version":"1.0.0","dependencies":{"dep":"file:./dep"},"scripts":{"test":"node test.js"}}' >package.json
npm install --no-audit --no-fund --silent
npm test --silent | grep tested
echo done
SH
	dir user
	local way
	for way in $WAYS; do npm_works "$way"; done
}

served() { in_box "$1" serve; }
@test "a server in the background, and curl as its client" {
	tool curl
	cat <<'SH' | code serve.sh
set -e
python3 -m http.server --bind 127.0.0.1 8000 >/dev/null 2>&1 &
for i in $(seq 100); do curl -fs http://127.0.0.1:8000/file && break; sleep 0.1; done
kill %1
echo done
SH
	dir user
	local way
	for way in $WAYS; do served "$way"; done
}

compiled() { in_box "$1" compile; }
@test "clang, cmake with make -j, sqlite3, tar" {
	! is_short || return 0
	tool cmake
	tool clang
	cat <<'SH' | code compile.sh
set -e
printf '#include <stdio.h>\nint main(void) { puts("made"); }\n' >a.c
printf 'cmake_minimum_required(VERSION 3.10)\nproject(a C)\nadd_executable(a a.c)\n' >CMakeLists.txt
CC=clang cmake -S . -B out >/dev/null && cmake --build out -j4 >/dev/null && out/a
if command -v sqlite3 >/dev/null; then sqlite3 x.db 'create table t(a); insert into t values(1)'; fi
tar czf x.tgz a.c && tar tzf x.tgz
echo done
SH
	every_owner compiled
}

venv_works() { in_box "$1" venv; }
@test "python: a venv, pip from a local index over loopback, unittest in processes" {
	! is_short || return 0
	cat <<'SH' | code venv.sh
set -e
python3 -m venv --without-pip v 2>/dev/null || python3 -m venv v
mkdir -p index/greet pkg/greet
echo 'def word(): return "hello"' >pkg/greet/__init__.py
python3 - <<'PY'
import zipfile
with zipfile.ZipFile("index/greet/greet-1.0-py3-none-any.whl", "w") as z:
    z.write("pkg/greet/__init__.py", "greet/__init__.py")
    z.writestr("greet-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n")
    z.writestr("greet-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr("greet-1.0.dist-info/RECORD", "")
PY
(cd index && python3 -m http.server --bind 127.0.0.1 8001 >/dev/null 2>&1) &
for i in $(seq 100); do curl -fs http://127.0.0.1:8001/ >/dev/null && break; sleep 0.1; done
if python3 -m pip --version >/dev/null 2>&1; then
	python3 -m pip --python v/bin/python install -q --index-url http://127.0.0.1:8001/ greet
	v/bin/python -c 'import greet; print(greet.word())'
fi
kill %1 2>/dev/null || true
python3 -c 'import multiprocessing as m
if __name__ == "__main__":
    with m.get_context("spawn").Pool(2) as p: print(p.map(abs, [-1, -2]))'
echo done
SH
	dir user
	local way
	for way in $WAYS; do venv_works "$way"; done
}

rust_works() { in_box "$1" rust; }
@test "rustc and what it built" {
	! is_short || return 0
	tool rustc
	printf 'set -e\nprintf %s >a.rs\nrustc a.rs && ./a\necho done\n' "'fn main() { println!(\"built\"); }'" | code rust.sh
	dir user
	HOME=$(getent passwd "$(id -u)" | cut -d: -f6) rust_works "${WAYS%% *}"
}

tested() { in_box "$1" pytest; }
@test "pytest with two processes (xdist), and ripgrep" {
	cat <<'SH' | code pytest.sh
set -e
printf 'import os, pytest\n@pytest.mark.parametrize("n", range(20))\ndef test_n(n, tmp_path):\n    (tmp_path / "f").write_text(str(n))\n    assert os.environ["PYTEST_XDIST_WORKER"]\n' >test_n.py
python3 -m pytest -q -n 2 test_n.py | grep -q '20 passed'
rg -n parametrize | grep -q '^test_n.py:2:'
echo done
SH
	dir user
	local way
	for way in $WAYS; do tested "$way"; done
}

fetched() { in_box "$1" registry; }
# bats test_tags=long
@test "npm: install from a registry on the box's own loopback, with a lock file" {
	tool npm
	cat <<'SH' | code registry.sh
set -e
mkdir -p dep app && echo '{"name":"dep","version":"1.2.3","main":"i.js"}' >dep/package.json && echo 'module.exports=42' >dep/i.js
npm pack --silent ./dep >/dev/null
cat >registry.js <<'JS'
const http = require("http"), fs = require("fs"), crypto = require("crypto");
const at = "http://127.0.0.1:8002/", tar = fs.readFileSync("dep-1.2.3.tgz");
const dist = {tarball: at + "dep.tgz", integrity: "sha512-" + crypto.createHash("sha512").update(tar).digest("base64")};
const about = {name: "dep", "dist-tags": {latest: "1.2.3"}, versions: {"1.2.3": {name: "dep", version: "1.2.3", main: "i.js", dist}}};
http.createServer((q, a) => a.end(q.url === "/dep" ? JSON.stringify(about) : tar)).listen(8002, "127.0.0.1");
JS
node registry.js &
for i in $(seq 100); do curl -fs http://127.0.0.1:8002/dep >/dev/null && break; sleep 0.1; done
cd app && echo '{"name":"app","version":"1.0.0"}' >package.json
npm install --no-audit --no-fund --silent --registry http://127.0.0.1:8002/ dep
node -e 'if (require("dep") !== 42) process.exit(1)'
grep -q sha512 package-lock.json
npm ci --no-audit --no-fund --silent --registry http://127.0.0.1:8002/
kill %1
echo done
SH
	dir user
	local way
	for way in $WAYS; do fetched "$way"; done
}

refused_root() {
	box "$1" --workspace "$W" "$T/root.sh"
	exits 1
	err_has 'a box has no root'
}
@test "sudo is refused, and the hint says what to do instead" {
	tool sudo
	echo 'sudo -n true' | code root.sh
	every_owner refused_root
}
