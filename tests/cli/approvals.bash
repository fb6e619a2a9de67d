# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the tests of approvals share: people with accounts and keys, and requests that wait. People
# are root and three ordinary accounts; without root all of them are the account that runs the tests, and
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

# people: a home for each, a state directory that is the agent's, an SSH key for each.
people()
{
	local who
	need_etc
	cp "$BUILD/tests/approval-ask" "$T/ask" && ASK=$T/ask
	for who in root agent anna ben; do
		mkdir "$T/$who"
		ssh-keygen -q -t ed25519 -N '' -C '' -f "$T/$who/key"
		chmod 755 "$T/$who"
		cp "$T/$who/key.pub" "$T/$who.pub"
		chown -R "$(account $who):$(account $who)" "$T/$who"
		chmod 700 "$T/$who"
	done
	act agent mkdir -m 700 "$T/agent/state"
	STATE=$T/agent/state
	printf 'import os\nprint(os.getcwd())\n' >"$T/job.py"
}

# enrol NAME [AS]: by root.
enrol()
{
	act root "$CORDON" approvals key add "${2:-$1}" "$T/$1.pub"
	exits 0
}

# sign WHO [--as NAME] [OPTION...]: their answer to $ID is in $T/answer.
sign()
{
	local who=$1 name=$1
	shift
	if [ "${1:-}" = --as ]; then
		name=$2
		shift 2
	fi
	act agent "$CORDON" approvals export "$ID" --state "$STATE"
	exits 0
	cp "$T/out" "$T/request"
	act "$who" "$CORDON" approvals sign "$T/request" --id "$ID" --key "$T/$who/key" --as "$name" "$@"
	exits 0
	cp "$T/out" "$T/answer"
}

# answer WHO STATUS [OPTION...]: WHO signs it under their own account, and the agent adds it.
answer()
{
	local who=$1 expected=$2
	shift 2
	sign "$who" "$@"
	approvals agent "$expected" add "$T/answer"
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

# at_terminal NAME WORD ARG...: cordon ARG... at a terminal of its own, where the word is typed when it is asked
# for; in $T/given what standard output was led to, if $OUTPUT says so.
at_terminal()
{
	local uid
	uid=$(account "$1")
	status=0
	OUTPUT=${OUTPUT:-} /usr/bin/python3 -I - "$uid" "$2" "$CORDON" "${@:3}" >"$T/out" 2>"$T/err" <<'PY' || status=$?
import os, pty, select, sys
uid, word, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
to = os.environ["OUTPUT"]
pid, tty = pty.fork()
if pid == 0:
    if to:
        os.dup2(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(command[0], command)
seen, asked = b"", False
while True:
    ready, _, _ = select.select([tty], [], [], 60)
    try:
        part = os.read(tty, 4096) if ready else b""
    except OSError:
        part = b""
    if not part:
        break
    seen += part
    if not asked and seen.endswith(b": ") and (b"Type yes" in seen or b"passphrase" in seen):
        asked = True
        os.write(tty, word.encode() + b"\n")
sys.stdout.write(seen.decode(errors="replace").replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}
