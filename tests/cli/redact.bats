#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No secret reaches what Cordon keeps, by any command that records: the table of tokens (tests/tokens.h), the
# database's own bytes, and every export. A request that waits is not the log: it keeps what people are shown.
load helper
load scan.bash
load gate.bash

# tokens PYTHON: with `rows` as (text, secret).
tokens()
{
	/usr/bin/python3 - "$TOP/tests/tokens.h" "$@" <<-'EOF'
		import ast, re, sys
		table = open(sys.argv[1]).read().split("tokens[] = {")[1].split("\n};")[0]
		text = lambda part: "".join(ast.literal_eval(p) for p in re.findall(r'"(?:[^"\\]|\\.)*"', part))
		words = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
		rows = [tuple(map(text, row)) for row in re.findall(r"\{" + words + "," + words + r"\}", table)]
		assert len(rows) >= 60, len(rows)
		exec(sys.argv[2])
	EOF
}

# clean WHO: nothing of a secret is in the log, in its exports or, but for what waits, in the database.
clean()
{
	local format state=$T/$1/cordon
	gate "$1" 0 audit verify
	for format in jsonl ocsf cloudevents; do
		gate "$1" 0 audit export --format "$format"
		cp "$T/out" "$T/export.$format"
	done
	cat "$state"/log.db* "$state"/heads >"$T/raw"
	tokens "
import os
for name in ('raw', 'export.jsonl', 'export.ocsf', 'export.cloudevents'):
    data = open('$T/' + name, 'rb').read()
    assert name == 'raw' or data.count(b'\n') > 20, (name, len(data))
    for text, secret in rows:
        at = data.find(secret.encode())
        assert at < 0, (name, text, secret, data[at - 200:at + 100])
        # Escaped once more, as a text in a text is.
        assert secret.replace('\"', '\\\\\"').encode() not in data, (name, text)
"
}

names() {
	printf 'name,amount\nanna,3\n' >"$T/a.csv"
	conversation "$1"
	tokens "
for i, (text, secret) in enumerate(rows):
    open('$T/name.%d' % i, 'w').write(text)
print(len(rows))" >"$T/count"
	for i in $(sample 3 $(seq 0 $(($(cat "$T/count") - 1)))); do
		ingest "$1" 0 --kind web --name "$(cat "$T/name.$i")" "$T/a.csv"
		gate "$1" 0 conversation new --title "$(cat "$T/name.$i")"
	done
	gate "$1" 0 conversation show "$C"
	gate "$1" 0 conversation show "$C" --json
	# A directory's name is anybody's text too, also of one that is not there.
	tokens "
import os
for text, secret in rows:
    if not set(text) & set('/\\\\ \n') and len(text) < 200:
        os.makedirs('$T/' + text, exist_ok=True)
        print(text)" >"$T/directories"
	[ -s "$T/directories" ]
	mapfile -t directories <"$T/directories"
	for i in $(sample 3 "${!directories[@]}"); do
		name=${directories[i]}
		chmod 755 "$T/$name"
		run_gate "$1" run --conversation "$C" --tier no-cgroup --rules "$T/r" --workspace "$T/$name" --lang bash - </dev/null
		run_gate "$1" run --conversation "$C" --tier no-cgroup --rules "$T/r" --workspace "$T/no/$name" --lang bash - </dev/null
	done
	clean "$1"
	grep -q 'https://hooks.slack.com/\[hash:' "$T/export.jsonl"
}
# bats test_tags=long
@test "names and titles" { gate_setup; names user; }

# Arguments, environment, standard input, files' names, and what a program prints and cannot find.
runs() {
	conversation "$1"
	printf 'import os, sys\nprint(sys.argv, os.environ)\nopen(sys.argv[1])\n' >"$T/x.py"
	tokens "
for i, (text, secret) in enumerate(rows):
    open('$T/name.%d' % i, 'w').write(text)
    if '/' not in text and len(text) < 200:
        os = __import__('os'); os.makedirs('$T/files', exist_ok=True)
        open('$T/files/' + text + '.py', 'w').write('print(1)')
print(len(rows))" >"$T/count"
	chmod -R a+rX "$T/files"
	for i in $(sample 3 $(seq 0 3 $(($(cat "$T/count") - 1)))); do
		IN=$T/name.$i run_gate "$1" run --conversation "$C" --tier no-cgroup --rules "$T/r" \
			--env "TOKEN=$(cat "$T/name.$i")" "$T/x.py" -- "$(cat "$T/name.$i")" --key "$(cat "$T/name.$i")"
		run_gate "$1" run --conversation "$C" --tier no-cgroup --rules "$T/r" "$(cat "$T/name.$i")"
		run_gate "$1" audit trace "$(cat "$T/name.$i")"
	done
	files=("$T"/files/*.py) # a name may have newlines in it
	for i in $(sample 3 "${!files[@]}"); do
		file=${files[i]}
		gate "$1" 0 run --conversation "$C" --tier no-cgroup --rules "$T/r" "$file"
	done
	clean "$1"
	grep -q 'files/\[hash:' "$T/export.jsonl"
}
# bats test_tags=long
@test "arguments, environment, files and errors of runs" { gate_setup; runs user; }
