#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon rules fetch, with an npm that the test makes up: what it brings is checked, taken apart
# without trust, and put in place in one step. Archives are made by Python, good and bad ones.
load helper
load scan

# fetch STATUS ARG...: with the made-up npm.
fetch()
{
	local expected=$1
	shift
	status=0
	PATH=$T/npm:$PATH XDG_DATA_HOME=$T/data timeout 60 "$CORDON" rules fetch "$@" \
		</dev/null >"$T/out" 2>"$T/err" || status=$?
	exits "$expected"
	# Nothing is left behind but packs.
	[ "$(find "$T/data/cordon/rules" -mindepth 1 -maxdepth 1 -name '.*' 2>/dev/null | wc -l)" -eq 0 ]
}

# An npm that brings $T/package.tgz, whatever it is asked for, and says $T/integrity.
make_npm()
{
	mkdir -p "$T/npm"
	cat >"$T/npm/npm" <<-END
		#!/bin/sh
		echo "\$@" >>"$T/asked"
		case \$1 in
		pack) for w; do :; done; cp "$T/package.tgz" "agent-threat-rules-\${w#*@}.tgz" ;;
		view) cat "$T/integrity" ;;
		esac
	END
	chmod +x "$T/npm/npm"
	printf 'sha512-%s\n' "$(openssl dgst -sha512 -binary <"$T/package.tgz" | base64 -w0)" >"$T/integrity"
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

@test "a good package is unpacked, and used from then on" {
	archive 'good(); add("package/rules/c.yml", rule(2))'
	fetch 0 9.1.2
	out_has "2 rules of agent-threat-rules 9.1.2 in $T/data/cordon/rules/agent-threat-rules"
	out_has 'the registry names; Cordon does not know this version'
	[ "$(cd "$T/data/cordon/rules/agent-threat-rules" && find . -type f | sort | tr '\n' ' ')" = './ORIGIN ./a/b.yaml ./c.yml ' ]
	grep -q '^agent-threat-rules 9.1.2 sha512-' "$T/data/cordon/rules/agent-threat-rules/ORIGIN"
	grep -q -- --ignore-scripts "$T/asked"
	printf 'a moonstone1' >"$T/x.txt"
	status=0
	XDG_DATA_HOME=$T/data "$CORDON" scan --json "$T/x.txt" >"$T/out" || status=$?
	exits 1
	holds 'r["packs"][0]["kind"] == "fetched" and r["packs"][0]["rules"] == 2'
	# Another one takes its place, all of it.
	archive 'add("package/rules/z.yaml", rule(3))'
	fetch 0 9.1.3 --json
	holds 'r["rules"] == 1 and r["pinned"] is False and r["version"] == "9.1.3"'
	[ "$(ls "$T/data/cordon/rules/agent-threat-rules")" = $'ORIGIN\nz.yaml' ]
}

@test "a package with another hash is refused, and the old rules stay" {
	archive 'good()'
	fetch 0 9.1.2
	# The version that is known here has one hash only.
	fetch 125
	err_has 'is not the one that it should be'
	echo sha512-AAAA >"$T/integrity"
	fetch 125 9.1.3
	err_has 'expected is sha512-AAAA'
	echo sha1-AAAA >"$T/integrity"
	fetch 125 9.1.3
	err_has 'names no SHA-512'
	grep -q ' 9.1.2 ' "$T/data/cordon/rules/agent-threat-rules/ORIGIN"
}

@test "hostile archives are refused, and write nothing anywhere" {
	local bad
	for bad in 'add("package/rules/../../../../escape.yaml", rule(1))' \
		'add("package/rules//etc/x.yaml", rule(1))' \
		'add("package/rules/.hidden.yaml", rule(1))' \
		'add("package/rules/a\x1b.yaml", rule(1))' \
		'add("package/rules/l.yaml", type=tarfile.SYMTYPE, linkname="/etc/passwd")' \
		'add("package/rules/d", type=tarfile.SYMTYPE, linkname="/tmp"); add("package/rules/d/x.yaml", rule(1))' \
		'add("package/rules/h.yaml", type=tarfile.LNKTYPE, linkname="/etc/passwd")' \
		'add("package/rules/dev.yaml", type=tarfile.CHRTYPE)' \
		'add("package/rules/a.yaml", rule(1)); add("package/rules/a.yaml", rule(2))' \
		'add("package/rules/a.yaml", rule(1)); add("package/rules/a.yaml/b.yaml", rule(2))' \
		't.format = tarfile.PAX_FORMAT; t.pax_headers = {"path": "x"}; add("package/rules/" + "a" * 300 + ".yaml", rule(1))' \
		'add("package/rules/large.yaml", b"#" * 1000001)' \
		'add("package/rules/a/b/c/d/e/f/g/h/i.yaml", rule(1))' \
		'add("package/dist/x.js", b"x")' \
		'add("package/zeros", bytes(300 << 20))'; do
		archive "$bad"
		fetch 125 9.1.2
		[ ! -e "$T/data/cordon/rules/agent-threat-rules" ] || { echo "$bad"; return 1; }
	done
	[ "$(find "$T" -name 'escape*' | wc -l)" -eq 0 ]
	for bad in '' 'not an archive' $'\x1f\x8b\x08garbage'; do
		printf '%s' "$bad" >"$T/package.tgz"
		make_npm
		fetch 125 9.1.2
	done
	archive 'good()'
	head -c 200 "$T/package.tgz" >"$T/cut"
	mv "$T/cut" "$T/package.tgz"
	make_npm
	fetch 125 9.1.2
	err_has 'the archive is broken'
}

@test "the largest rule and the deepest directory there may be" {
	archive 'add("package/rules/a.yaml", rule(1) + b"#" * (1000000 - len(rule(1)))); add("package/rules/a/b/c/d/e/f/g/i.yaml", rule(2))'
	fetch 0 9.1.2
	out_has '2 rules'
}

# npm_leaves SCRIPT: an npm whose `pack` is SCRIPT, in which $tgz is the package's place.
npm_leaves()
{
	mkdir -p "$T/npm"
	{
		printf '#!/bin/sh\nfor w; do :; done\ntgz=agent-threat-rules-${w#*@}.tgz\n'
		printf 'case $1 in view) %s; exit ;; esac\n%s\n' "${2:-cat '$T/integrity'}" "$1"
	} >"$T/npm/npm"
	chmod +x "$T/npm/npm"
}

@test "what npm leaves in the package's place is not waited for, nor read for ever" {
	archive 'good()'
	npm_leaves 'mkfifo $tgz'
	fetch 125 9.1.2
	err_has 'something that is no file'
	npm_leaves 'mkfifo npm.out npm.err; cp '"$T/package.tgz"' $tgz'
	fetch 0 9.1.2
	npm_leaves 'ln -s /dev/zero $tgz'
	fetch 125 9.1.2
	npm_leaves 'mkdir $tgz'
	fetch 125 9.1.2
	npm_leaves 'truncate -s 1T $tgz'
	fetch 125 9.1.2
	err_has 'larger than 64 MiB'
}

@test "nor is a device read for ever" {
	need_root
	mknod "$T/zero" c 1 5 && head -c 1 "$T/zero" >"$T/one" || skip "no devices can be made here"
	archive 'good()'
	npm_leaves 'mknod $tgz c 1 5'
	fetch 125 9.1.2
	err_has 'something that is no file'
}

@test "what was taken is what is checked and unpacked" {
	archive 'add("package/rules/evil.yaml", rule(2))'
	mv "$T/package.tgz" "$T/evil.tgz"
	archive 'good()'
	# The same file, not another of its name.
	npm_leaves "cp '$T/package.tgz' \$tgz" \
		"cat '$T/evil.tgz' >agent-threat-rules-9.1.2.tgz; cat '$T/integrity'"
	fetch 0 9.1.2
	[ "$(ls "$T/data/cordon/rules/agent-threat-rules")" = $'ORIGIN\na' ]
}

@test "what a killed fetch left is removed by the next, unless it is in use" {
	local left=$T/data/cordon/rules
	archive 'good()'
	npm_leaves 'mkdir -p a/b; echo >a/b/c; kill -9 $PPID'
	status=0
	# The shell's word about the kill is no part of the test.
	{ PATH=$T/npm:$PATH XDG_DATA_HOME=$T/data "$CORDON" rules fetch 9.1.2 || status=$?; } 2>/dev/null
	exits 137
	[ "$(find "$left" -name c | wc -l)" -eq 1 ]
	make_npm
	fetch 0 9.1.2
	# One that somebody works in: the lock is on the directory.
	mkdir "$left/.fetch-AAAAAA"
	status=0
	flock "$left/.fetch-AAAAAA" env PATH="$T/npm:$PATH" XDG_DATA_HOME="$T/data" "$CORDON" rules \
		fetch 9.1.2 >"$T/out" 2>"$T/err" || status=$?
	exits 0
	[ -d "$left/.fetch-AAAAAA" ]
	fetch 0 9.1.2
}

@test "no npm, an npm that fails, a version that is none" {
	status=0
	PATH=$T/nothing XDG_DATA_HOME=$T/data "$CORDON" rules fetch >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'npm could not be started'
	err_has 'the built-in pack'
	mkdir "$T/npm"
	printf '#!/bin/sh\necho "npm error code ENOTFOUND" >&2\necho "npm error network \033[31mgone" >&2\nexit 1\n' >"$T/npm/npm"
	chmod +x "$T/npm/npm"
	fetch 125
	err_has 'because: npm: code ENOTFOUND; network ^[[31mgone'
	err_has 'without one there is the built-in pack'
	fetch 125 --json
	holds 'r["error"]["kind"] == "system"'
	fetch 2 latest
	fetch 2 ../4.0.0
	fetch 2 '4.0.0; reboot'
	fetch 2 4.0.0 5.0.0
	printf '#!/bin/sh\nexit 0\n' >"$T/npm/npm"
	fetch 125
	err_has 'npm brought no package'
	status=0
	PATH=$T/npm:$PATH HOME='' XDG_DATA_HOME='' "$CORDON" rules fetch >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'HOME is not set'
}

@test "the public pack from the registry itself" {
	command -v npm >/dev/null || skip "no npm"
	npm view --fetch-retries=0 --fetch-timeout=10000 agent-threat-rules@4.0.0 version >/dev/null 2>&1 ||
		skip "no network"
	fetch 0
	out_has '785 rules of agent-threat-rules 4.0.0'
	out_has 'the one that Cordon knows'
}
