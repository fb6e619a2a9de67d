#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One row per JSON field: what is printed and what the manual page says must have the same names. The reference is
# made from the manual page.
load helper

# The rows, as the manual page shows them: NAME or OBJECT.NAME. Those of scan and of the gate have tests of their own.
rows() { "$CORDON" man | sed -n '/^\.SH JSON/,/^\.SH EXIT/s/^\.B //p' | grep -vE '^(scan|conversation|trust|grant|plan|diff|apply|ingest|audit|config)\.'; }

printed() {
	box "$1" --json "$T/x.py"
	rows | grep -v '\.' | sort >"$T/rows"
	/usr/bin/python3 -I -c 'import json, sys
print("\n".join(sorted(json.load(open(sys.argv[1])))))' "$T/out" | diff "$T/rows" - || show
}
@test "every row is a field of the object, and every field is a row" {
	printf 'print(1)\n' | code x.py
	every printed
	"$CORDON" run --user --json --nothing >"$T/out" || true
	holds 'sorted(r) == open("rows").read().split()'
}

# same OBJECT LIST: the keys of the objects in LIST (in Python, of r) are the rows of OBJECT.
same()
{
	rows | sed -n "s/^$1\.//p" | sort >"$T/rows"
	/usr/bin/python3 -I -c 'import json, sys
r = json.load(open(sys.argv[1]))
print("\n".join(sorted({k for o in eval(sys.argv[2]) for k in o})))' "$T/out" "$2" |
		diff "$T/rows" - || show
}

nested() {
	rm -rf "$T/w"
	mkdir "$T/w"
	box "$1" --json --output 256 --workspace "$T/w" --diff "$T/x.py"
	same usage '[r["usage"]]'
	same truncated.stdout 'r["truncated"].values()'
	same 'denials\[\]' 'r["denials"]'
	same 'changes\[\]' 'r["changes"]'
	printf 'version: 2\nnet: {allow: ["127.0.0.1:1"]}\n' >"$T/listed.yaml"
	box "$1" --json --net 127.0.0.1:1 --policy "$T/listed.yaml" "$HARMLESS/connect.py"
	same 'effects\[\]' 'r["effects"]'
	same 'egress\[\]' 'r["egress"]'
	box "$1" --json --exec /nothing "$T/x.py"
	same error '[r["error"]]'
}
@test "the same of the objects in it" {
	cat <<'PY' | code x.py
import os
print("x" * 1000)
open(b"\xff", "w").close()
open("new", "w").close()
for path in ("/bin/sh", b"/\xff"):
    try:
        os.execv(path, ["sh"])
    except OSError:
        pass
PY
	every nested
}

@test "a file's name that is no UTF-8 does not cost the error" {
	status=0
	"$CORDON" run --user --json $'no\xffthing.py' >"$T/out" || status=$?
	exits 125
	holds '"no\\xffthing.py" in r["error"]["message"]'
}

@test "an unknown command is reported as JSON too" {
	status=0
	"$CORDON" nosuch --json >"$T/out" || status=$?
	[ "$status" -eq 125 ]
	holds 'r["status"] == "error" and "nosuch" in r["error"]["message"]'
}
