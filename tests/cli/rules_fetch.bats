#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon rules fetch: with the real npm and a registry on loopback, and with scripts in npm's place
# where npm itself would refuse. Archives are made by Python, good and bad ones.
load helper
load scan

# fetch STATUS ARG...: with the npm in $T/npm, if there is one.
fetch()
{
	local expected=$1
	shift
	status=0
	PATH=$T/npm:$PATH XDG_DATA_HOME=$T/data timeout -k 1 60 "$CORDON" rules fetch "$@" \
		</dev/null >"$T/out" 2>"$T/err" || status=$?
	exits "$expected"
	nothing_left
}

# Packs and the lock are all there is.
nothing_left()
{
	[ "$(find "$T/data/cordon/rules" -mindepth 1 -maxdepth 1 ! -name agent-threat-rules ! -name .fetch.lock 2>/dev/null | wc -l)" -eq 0 ]
}

# What the pack in place came from.
origin() { cut -d' ' -f2 "$T/data/cordon/rules/agent-threat-rules/ORIGIN"; }

# An npm that brings $T/package.tgz, whatever it is asked for.
make_npm()
{
	npm_leaves "echo \"\$@\" >>'$T/asked'; cp '$T/package.tgz' \$tgz"
}

# npm_leaves SCRIPT: an npm that is SCRIPT, in which $tgz is the package's place.
npm_leaves()
{
	mkdir -p "$T/npm"
	{
		printf '#!/bin/sh\nfor w; do :; done\ntgz=agent-threat-rules-${w#*@}.tgz\n'
		printf '%s\n' "$1"
	} >"$T/npm/npm"
	chmod +x "$T/npm/npm"
}

# registry VERSION [INTEGRITY]: serves $T/package.tgz as that version on loopback, for the real npm.
# With $T/slow, the package's second half never comes.
registry()
{
	command -v npm >/dev/null || skip "no npm"
	rm -rf "$T/npm" "$T/port"
	/usr/bin/python3 -I - "$T" "$@" >"$T/registry" 2>&1 <<-'PY' 3>&- &
		import base64, hashlib, http.server, json, os, sys, time
		top, version = sys.argv[1:3]
		data = open(top + "/package.tgz", "rb").read()
		hashed = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
		integrity = sys.argv[3] if len(sys.argv) > 3 else hashed
		name = "agent-threat-rules"
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        at = f"http://127.0.0.1:{self.server.server_port}/{name}.tgz"
		        about = {"name": name, "version": version, "dist": {"tarball": at, "integrity": integrity}}
		        body = {"/" + name: json.dumps({"name": name, "dist-tags": {"latest": version},
		                                        "versions": {version: about}}).encode(),
		                f"/{name}.tgz": data}.get(self.path)
		        self.send_response(200 if body else 404)
		        self.send_header("content-length", str(len(body or b"")))
		        self.end_headers()
		        if body is data and os.path.exists(top + "/slow"):
		            self.wfile.write(data[:len(data) // 2])
		            self.wfile.flush()
		            open(top + "/half", "w").close()
		            time.sleep(600)
		        self.wfile.write(body or b"")
		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
		server.daemon_threads = True
		with open(top + "/port.new", "w") as f:
		    f.write(str(server.server_port))
		os.rename(top + "/port.new", top + "/port")
		server.serve_forever()
	PY
	REGISTRY=$!
	until [ -e "$T/port" ]; do sleep 0.05; kill -0 $REGISTRY; done
	npm_config_registry=http://127.0.0.1:$(cat "$T/port")
	export npm_config_registry
}

registry_end()
{
	[ -z "${REGISTRY:-}" ] || { kill "$REGISTRY" && wait "$REGISTRY" || :; } 2>/dev/null
	REGISTRY=
}

teardown()
{
	registry_end
	cd /
	rm -rf --one-file-system "$T"
}

# archive PYTHON: an archive; in PYTHON, add(name, data, **attributes) adds to it.
archive()
{
	/usr/bin/python3 -I - "$T/package.tgz" "$1" <<-'PY'
		import io, sys, tarfile
		t = tarfile.open(sys.argv[1], "w:gz", format=tarfile.USTAR_FORMAT)
		def add(name, data=b"", **more):
		    i = tarfile.TarInfo(name)
		    i.size = len(data)
		    for k, v in more.items():
		        setattr(i, k, v)
		    t.addfile(i, io.BytesIO(data))
		rule = lambda n: (f"id: ATR-2026-0000{n}\ntitle: t\ndetection:\n  condition: any\n  conditions:\n"
		                  f"    - {{field: content, operator: regex, value: 'moonstone{n}'}}\n").encode()
		good = lambda: (add("package/package.json", b"{}"), add("package/rules/a/b.yaml", rule(1)),
		                add("package/rules/README.md", b"x"))
		exec(sys.argv[2])
		t.close()
	PY
	make_npm
}

# bats test_tags=long
@test "a good package is unpacked, and used from then on" {
	archive 'good(); add("package/rules/c.yml", rule(2)); add("package/rules/d/", type=tarfile.DIRTYPE)'
	registry 9.1.2
	fetch 0 9.1.2
	out_has "2 rules of agent-threat-rules 9.1.2 in $T/data/cordon/rules/agent-threat-rules"
	out_has 'its hash is checked by npm only: Cordon does not know this version'
	[ "$(cd "$T/data/cordon/rules/agent-threat-rules" && find . -type f | sort | tr '\n' ' ')" = './ORIGIN ./a/b.yaml ./c.yml ' ]
	[ "$(cat "$T/data/cordon/rules/agent-threat-rules/ORIGIN")" = \
		"agent-threat-rules 9.1.2 sha512-$(openssl dgst -sha512 -binary <"$T/package.tgz" | base64 -w0)" ]
	printf 'a moonstone1' >"$T/x.txt"
	status=0
	XDG_DATA_HOME=$T/data "$CORDON" scan --json "$T/x.txt" >"$T/out" || status=$?
	exits 1
	holds 'r["packs"][0]["kind"] == "fetched" and r["packs"][0]["rules"] == 2'
	# Another one takes its place, all of it.
	archive 't.format = tarfile.PAX_FORMAT; add("package/\u00fc/" + "a" * 300); add("package/rules/z.yaml", rule(3))'
	fetch 0 9.1.3 --json
	holds 'r["rules"] == 1 and r["pinned"] is False and r["version"] == "9.1.3"'
	[ "$(ls "$T/data/cordon/rules/agent-threat-rules")" = $'ORIGIN\nz.yaml' ]
	[ "$(cat "$T/asked")" = 'pack --ignore-scripts --loglevel=error --no-update-notifier --fetch-retries=1 --pack-destination=. -- agent-threat-rules@9.1.3' ]
}

# bats test_tags=long
@test "a package with another hash is refused, and the old rules stay" {
	archive 'good()'
	fetch 0 9.1.2
	# The registry names another hash than the package has.
	registry 9.1.3 "sha512-$(printf x | openssl dgst -sha512 -binary | base64 -w0)"
	fetch 125 9.1.3
	err_has 'EINTEGRITY'
	registry_end
	# The registry has another package than the one that is known here.
	registry 4.0.0
	fetch 125
	err_has 'the package is not agent-threat-rules 4.0.0'
	grep -qF "\"integrity\": \"$(sed -n 's/.*expected is //p' "$T/err")\"" "$TOP/tests/npm/package-lock.json"
	# The registry does not have it.
	fetch 125 9.1.4
	err_has 'fetching agent-threat-rules@9.1.4: npm failed'
	err_has 'ETARGET'
	[ "$(origin)" = 9.1.2 ]
}

# refused WORDS: the fetch fails with these, and there is no pack.
refused()
{
	fetch 125 9.1.2
	err_has "$1"
	[ ! -e "$T/data/cordon/rules/agent-threat-rules" ]
}

# bats test_tags=long
@test "hostile archives are refused, and write nothing anywhere" {
	local words bad
	while IFS='|' read -r words bad; do
		archive "$bad"
		refused "$words"
	done <<-'END'
		an unusual name|add("package/rules/../../../../escape.yaml", rule(1))
		an unusual name|add("package/rules//etc/x.yaml", rule(1))
		an unusual name|add("package/rules/.hidden.yaml", rule(1))
		an unusual name|add("package/rules/a\x1b.yaml", rule(1))
		an unusual name|t.format = tarfile.PAX_FORMAT; add("package/rules/\u00fc.yaml", rule(1))
		an unusual name|t.format = tarfile.GNU_FORMAT; add("package/rules/" + "a" * 300 + ".yaml", rule(1))
		an unusual name|t.format = tarfile.PAX_FORMAT; add("x", rule(1), pax_headers={"path": "package/rules/../../../escape.yaml"})
		is not a file or|add("package/rules/l.yaml", type=tarfile.SYMTYPE, linkname="/etc/passwd")
		is not a file or|good(); add("package/x", type=tarfile.SYMTYPE, linkname="/etc/passwd")
		is not a file or|add("package/rules/d", type=tarfile.SYMTYPE, linkname="/tmp"); add("package/rules/d/x.yaml", rule(1))
		is not a file or|add("package/rules/h.yaml", type=tarfile.LNKTYPE, linkname="/etc/passwd")
		is not a file or|good(); add("package/rules/h.yaml", type=tarfile.LNKTYPE, linkname="package/rules/a/b.yaml")
		is not a file or|t.format = tarfile.PAX_FORMAT; good(); add("package/rules/h.yaml", rule(2), type=tarfile.LNKTYPE, linkname="package/rules/a/b.yaml")
		is not a file or|add("package/rules/dev.yaml", type=tarfile.CHRTYPE)
		is not a file or|add("package/rules/fifo.yaml", type=tarfile.FIFOTYPE)
		File exists|add("package/rules/a.yaml", rule(1)); add("package/rules/a.yaml", rule(2))
		Not a directory|add("package/rules/a.yaml", rule(1)); add("package/rules/a.yaml/b.yaml", rule(2))
		no rules in the package|add("/package/rules/escape.yaml", rule(1)); add("../escape.yaml", rule(1)); add("/tmp/escape.yaml", rule(1))
		no rules in the package|add("package/dist/x.js", b"x")
		larger than 64 MiB|good(); add("package/zeros", bytes(65 << 20))
		larger than 64 MiB|t.format = tarfile.PAX_FORMAT; add("package/rules/s.yaml", b"1\n1099511627776\n1\n".ljust(512, b"\0") + b"x", pax_headers={"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "1099511627777"})
		larger than 64 MiB|t.format = tarfile.PAX_FORMAT; add("package/x", bytes(65 << 20), pax_headers={"SCHILY.realsize": "1"}); good()
		more than 20000 entries|[add("package/x") for i in range(20001)]
		the archive is broken|good(); t.fileobj.write(b"x" * 1024)
	END
	[ "$(find "$T" /tmp -maxdepth 1 -name 'escape*' | wc -l)" -eq 0 ]
	[ "$(find "$T" -name 'escape*' | wc -l)" -eq 0 ]
}

@test "rules fetch refuses a file that is not one whole gzipped archive" {
	archive 'good()'
	cp "$T/package.tgz" "$T/good.tgz"
	head -c 200 "$T/good.tgz" >"$T/package.tgz"
	refused 'the archive is broken'
	gzip -c "$T/good.tgz" >"$T/package.tgz"
	refused 'is not a gzipped archive'
	gunzip -c "$T/good.tgz" >"$T/package.tgz"
	refused 'is not a gzipped archive'
	printf 'not an archive' >"$T/package.tgz"
	refused 'is not a gzipped archive'
	printf 'not an archive' | gzip >"$T/package.tgz"
	refused 'the archive is broken'
	printf '\x1f\x8b\x08garbage' >"$T/package.tgz"
	refused 'is not a gzipped archive'
	: >"$T/package.tgz"
	refused 'the archive is broken'
}

@test "what npm leaves in the package's place is not waited for, nor read for ever" {
	npm_leaves 'mkfifo $tgz'
	refused 'is not a file'
	npm_leaves 'mkdir $tgz'
	refused 'is not a file'
	npm_leaves 'ln -s /dev/zero $tgz'
	refused 'Too many levels of symbolic links'
	npm_leaves 'truncate -s 1T $tgz'
	refused 'larger than 16 MiB'
	npm_leaves 'truncate -s 16M $tgz'
	refused 'is not a gzipped archive'
	npm_leaves 'truncate -s 16777217 $tgz'
	refused 'larger than 16 MiB'
}

@test "nor is a device read for ever" {
	need_root
	mknod "$T/zero" c 1 5 && head -c 1 "$T/zero" >"$T/one" || skip "no devices can be made here"
	npm_leaves 'mknod $tgz c 1 5'
	refused 'is not a file'
}

# start_fetch ARG...: in the background, as $FETCH.
start_fetch()
{
	PATH=$T/npm:$PATH XDG_DATA_HOME=$T/data "$CORDON" rules fetch "$@" </dev/null >"$T/out" 2>"$T/err" 3>&- &
	FETCH=$!
}

# until_there FILE: the fetch makes it.
until_there() { until [ -e "$1" ]; do sleep 0.05; kill -0 $FETCH; done; }

# bats test_tags=long
@test "a fetch that is ended half way leaves nothing, and the old pack whole" {
	local signal
	archive 'good()'
	fetch 0 9.1.2
	: >"$T/slow"
	registry 9.1.3
	for signal in TERM HUP KILL; do
		rm -f "$T/half"
		start_fetch 9.1.3
		until_there "$T/half"
		# There is one at a time.
		status=0
		XDG_DATA_HOME=$T/data timeout -k 1 20 "$CORDON" rules fetch 9.1.3 >"$T/out2" 2>"$T/err2" || status=$?
		exits 125
		grep -q 'another fetch is running' "$T/err2"
		npm=$(pgrep -P $FETCH)
		kill -$signal $FETCH
		status=0
		wait $FETCH || status=$?
		exits $((128 + $(kill -l $signal)))
		timeout 20 tail --pid="$npm" -f /dev/null
		# If it could not clean up itself, the next one does.
		[ $signal = KILL ] || nothing_left
		[ "$(origin)" = 9.1.2 ]
	done
	[ -d "$T/data/cordon/rules/.fetch" ]
	rm "$T/slow"
	fetch 0 9.1.3
	[ "$(origin)" = 9.1.3 ]
}

@test "rules fetch fails without npm, if npm fails, and on an invalid version" {
	status=0
	PATH=$T/nothing XDG_DATA_HOME=$T/data "$CORDON" rules fetch >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'cannot start npm: No such file or directory'
	err_has 'install npm'
	nothing_left
	npm_leaves 'echo "npm error code ENOTFOUND" >&2; printf "npm error network \033[31mgone\n" >&2; exit 1'
	fetch 125
	err_has 'because: npm error code ENOTFOUND npm error network ^[[31mgone'
	err_has 'npm ping'
	fetch 125 --json
	holds 'r["error"]["kind"] == "system"'
	fetch 2 latest
	fetch 2 ../4.0.0
	fetch 2 '4.0.0; reboot'
	fetch 2 4.0.0 5.0.0
	npm_leaves :
	fetch 125
	err_has 'npm brought no package'
	status=0
	PATH=$T/npm:$PATH HOME='' XDG_DATA_HOME='' "$CORDON" rules fetch >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'HOME is not set'
}

# bats test_tags=long
@test "the public pack from the registry itself" {
	command -v npm >/dev/null || skip "no npm"
	npm view --fetch-retries=0 --fetch-timeout=10000 agent-threat-rules@4.0.0 version >/dev/null 2>&1 ||
		skip "no network"
	fetch 0
	out_has '785 rules of agent-threat-rules 4.0.0'
	out_has 'the one that Cordon knows'
}
