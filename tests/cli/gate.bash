# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the tests of the commands around the gate share: a state directory for each account, a small
# pack of made-up rules (scan.bash), and `gate WHO STATUS ARG...`. WHO is root or user; without root
# there is only the account that runs the tests.

WHOS='user'
TREES=0
! is_root || WHOS='root user'

gate_setup()
{
	local who
	pack
	unset CORDON_STORE_URL
	for who in $WHOS; do
		mkdir "$T/$who"
		chmod 700 "$T/$who"
		! is_root || [ "$who" = root ] || chown "$TEST_UID:$TEST_UID" "$T/$who"
		seed_state "$(stat -c %u "$T/$who")" "$T/$who"
	done
}

# run_gate WHO ARG...: cordon ARG... with that account's state; leaves $status, $T/out, $T/err.
run_gate()
{
	local who=$1
	shift
	WAY=$who
	status=0
	as "$who" env HOME=/nonexistent XDG_STATE_HOME="$T/$who" timeout 60 "$CORDON" "$@" \
		<"$IN" >"$T/out" 2>"$T/err" || status=$?
}

gate()
{
	local who=$1 expected=$2
	shift 2
	run_gate "$who" "$@"
	exits "$expected"
}

# conversation WHO: a new one, as $C.
conversation()
{
	gate "$1" 0 conversation new
	C=$(cat "$T/out")
}

# ingest WHO STATUS ARG...: with the made-up rules, into $C.
ingest()
{
	local who=$1 expected=$2
	shift 2
	gate "$who" "$expected" ingest --conversation "$C" --rules "$T/r" "$@"
}

# expose WHO: the agent reads a page in $C.
expose()
{
	printf 'a page that says nothing in particular\n' >"$T/page"
	ingest "$1" 0 --kind web --name https://page.example/x "$T/page"
}

# exposed WHO: a new conversation in which a page was read.
exposed()
{
	conversation "$1"
	expose "$1"
}

# submit WHO STATUS ARG...: a run in $C.
submit()
{
	local who=$1 expected=$2
	shift 2
	gate "$who" "$expected" run --json --tier "$(tier_of "$who")" --conversation "$C" "$@"
}

# person WHO STATUS ARG...: cordon ARG... at a terminal, where yes is typed.
person()
{
	local who=$1 expected=$2
	shift 2
	WAY=$who
	status=0
	as "$who" env HOME=/nonexistent XDG_STATE_HOME="$T/$who" timeout 60 \
		script -qec "$(printf '%q ' "$CORDON" "$@")" /dev/null <<<"${ANSWER:-yes}" >"$T/out" 2>"$T/err" ||
		status=$?
	exits "$expected"
}

# tree WHO: a directory of that account, as $W.
tree()
{
	W=$T/tree-$1-$((++TREES))
	mkdir "$W"
	printf 'old\n' >"$W/file"
	! is_root || [ "$1" = root ] || chown -R "$TEST_UID:$TEST_UID" "$W"
}

# trusted_tree WHO: one that a person has trusted.
trusted_tree()
{
	tree "$1"
	person "$1" 0 trust "$W"
}

# tier_of WHO: the most that the account can have.
tier_of() { if [ "$1" = root ]; then echo full; else echo no-cgroup; fi; }

# each CHECK: the function, once for each account; in the short form, as root, once, and the tests of a file
# take turns, because most of what they check is decided before there is a box.
each()
{
	local who whos=$WHOS
	gate_setup
	! is_root || take_turns whos root user
	for who in $whos; do
		"$1" "$who"
	done
}

# sql WHO STATEMENT...: to the log's database, by another program.
sql()
{
	local who=$1
	shift
	/usr/bin/python3 -I - "$T/$who/cordon/log.db" "$@" <<'PY'
import hashlib, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.create_function("sha256", 1, lambda b: hashlib.sha256(b).digest())
for statement in sys.argv[2:]:
    db.execute(statement)
db.commit()
PY
}

# lines CODE: each line of the output is one JSON object; CODE (Python) sees them as `rows`.
lines()
{
	/usr/bin/python3 -I - "$T/out" "$1" <<'PY' || show
import datetime, hashlib, json, re, sys
raw = open(sys.argv[1], "rb").read()
assert raw.endswith(b"\n"), "a whole last line"
raws = raw[:-1].split(b"\n")
rows = [json.loads(line) for line in raws]
exec(sys.argv[2])
PY
}

# at_tty WHO ARG...: cordon ARG... at a terminal; what it showed is $T/out, byte for byte.
at_tty()
{
	local who=$1
	shift
	status=0
	as "$who" env HOME=/nonexistent XDG_STATE_HOME="$T/$who" \
		/usr/bin/python3 -I - "$CORDON" "$@" >"$T/out" 2>"$T/err" <<'PY' || status=$?
import os, pty, sys
pid, tty = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        part = os.read(tty, 4096)
    except OSError:
        part = b""
    if not part:
        break
    sys.stdout.buffer.write(part)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}

# is_harmless: what was shown has nothing that a terminal or an eye would obey.
is_harmless()
{
	/usr/bin/python3 -I - "$T/out" <<'PY' || show
import sys, unicodedata
text = open(sys.argv[1], "rb").read().replace(b"\r\n", b"\n").decode()
bad = [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
sys.exit(f"{bad!r} is shown" if bad else 0)
PY
}
