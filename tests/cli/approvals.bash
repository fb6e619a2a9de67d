# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of approvals share: people with accounts and keys, and requests that wait. People
# are root and three ordinary accounts; without root all of them are the one who runs the tests, and
# tests that need more are skipped.

# account NAME: its number.
account()
{
	case $1 in
	root) echo 0 ;;
	agent) echo "$TEST_UID" ;;
	anna) echo $((TEST_UID + 1)) ;;
	ben) echo $((TEST_UID + 2)) ;;
	esac
}

# act NAME COMMAND...: as that account; leaves $status, $T/out, $T/err.
act()
{
	local uid
	uid=$(account "$1")
	shift
	status=0
	setpriv --reuid "$uid" --regid "$uid" --clear-groups env HOME=/nonexistent \
		timeout 60 "$@" </dev/null >"$T/out" 2>"$T/err" || status=$?
}

# people: a home for each, a state directory that is the agent's, a key for each but the agent.
people()
{
	local who
	need_root
	cp "$BUILD/tests/approval-ask" "$T/ask" && ASK=$T/ask
	for who in root agent anna ben; do
		mkdir "$T/$who"
		chown "$(account $who):$(account $who)" "$T/$who"
		chmod 700 "$T/$who"
		act $who "$CORDON" approvals key new "$T/$who/key" --plain
		exits 0
		cp "$T/out" "$T/$who.pub"
	done
	act agent mkdir -m 700 "$T/agent/state"
	STATE=$T/agent/state
	printf 'import os\nprint(os.getcwd())\n' >"$T/job.py"
}

# enrol NAME [OPTION...]: by root.
enrol()
{
	local who=$1
	shift
	act root "$CORDON" approvals key add "$who" "$(cat "$T/$who.pub")" \
		--uid "$(account "$who")" --state "$STATE" "$@"
	exits 0
}

# park [KEY=VALUE...]: the agent's request waits as $ID.
park()
{
	act agent "$ASK" park "$STATE" "$T/job.py" "uid=$TEST_UID" conversation=d1 pgid=0 "$@"
	exits 0
	ID=$(cat "$T/out")
}

# covered STATUS [KEY=VALUE...]: does a word cover it now? 0 or 1.
covered()
{
	local expected=$1
	shift
	act agent "$ASK" use "$STATE" "$T/job.py" "uid=$TEST_UID" conversation=d1 "$@"
	exits "$expected"
}

# approvals WHO STATUS ARG...
approvals()
{
	local who=$1 expected=$2
	shift 2
	act "$who" "$CORDON" approvals "$@" --state "$STATE"
	exits "$expected"
}

# at_terminal NAME PASSPHRASE ARG...: cordon approvals ARG... at a terminal of its own, where the
# passphrase is typed as often as it is asked for.
at_terminal()
{
	local uid
	uid=$(account "$1")
	status=0
	/usr/bin/python3 -I - "$uid" "$2" "$CORDON" approvals "${@:3}" >"$T/out" 2>"$T/err" <<'PY' || status=$?
import os, pty, select, sys
uid, word, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
pid, tty = pty.fork()
if pid == 0:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(command[0], command)
seen, asked = b"", 0
while True:
    ready, _, _ = select.select([tty], [], [], 60)
    try:
        part = os.read(tty, 4096) if ready else b""
    except OSError:
        part = b""
    if not part:
        break
    seen += part
    while seen.count(b": ") > asked and (b"assphrase" in seen or b"again" in seen):
        if seen.rstrip().endswith((b"key:", b"again:")):
            asked = seen.count(b": ")
            os.write(tty, word.encode() + b"\n")
        else:
            break
sys.stdout.write(seen.decode(errors="replace").replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}
