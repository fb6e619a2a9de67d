#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad usage is told in a sentence and exits with 125; help, manual page and completion come from
# the same tables as the options, so every option must be in all of them.
load helper

# wrong WORDS ARG...: cordon ARG... exits with 125, runs nothing, and says WORDS.
wrong()
{
	local words=$1
	shift
	status=0
	"$CORDON" "$@" </dev/null >"$T/out" 2>"$T/err" || status=$?
	exits 125
	out_is ''
	err_has "$words"
	[ "$(grep -vc '^cordon: ' "$T/err")" -eq 0 ] || show
}

options() { "$CORDON" "$1" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'; }
commands() { "$CORDON" | sed -n 's/^  cordon \([a-z]*\) .*/\1/p'; }

@test "unknown commands and options" {
	wrong '"nothing"' nothing
	wrong '--nothing' run --nothing x.py
	wrong '--nothing' doctor --nothing
	wrong '-x' run -x x.py
	wrong '--jso' run --jso x.py
	wrong '--json' run --json=1 x.py
}

@test "--words: words from a descriptor stand where the option stands, and on no command line" {
	printf 'import os, sys; print(os.environ["K"], sys.argv[1:], open("/proc/self/cmdline").read().count("s3cret"))' | code x.py
	printf '%s\0' --tier no-cgroup --user --env K=s3cret -- "$T/x.py" -- --json 'a b' '' >"$T/words"
	"$CORDON" run --words 5 5<"$T/words" >"$T/out" 2>"$T/err" || show
	out_is "s3cret ['--json', 'a b', ''] 0"
	printf '%s\0' --tier no-cgroup --env K=1 >"$T/words"
	"$CORDON" run --words=7 "$T/x.py" -- z 7<"$T/words" >"$T/out" 2>"$T/err" || show
	out_is "1 ['z'] 0"
	: >"$T/words"
	"$CORDON" conversation new --words=0 <"$T/words" | grep -qx '[0-9a-f]\{32\}'
	printf '%s\0' show "$("$CORDON" conversation new)" >"$T/words"
	"$CORDON" conversation --words=3 --json 3<"$T/words" | grep -q '"state": *"clean"'
}

@test "--words: half a word, too many, no descriptor, twice: nothing runs" {
	printf 'print(1)' | code x.py
	printf '%s\0%s' --tier=no-cgroup --env=K=s3 >"$T/half"
	head -c 1048577 /dev/zero >"$T/many"
	printf '%s\0' --words=3 >"$T/nested"
	wrong 'is not ended by a NUL' run --words=3 "$T/x.py" 3<"$T/half"
	wrong 'more than 1048576 bytes' run --words=3 "$T/x.py" 3<"$T/many"
	wrong 'given twice' run --words=3 "$T/x.py" 3<"$T/nested"
	wrong 'given twice' run --words=3 --words=4 "$T/x.py" 3</dev/null 4</dev/null
	for fd in 3 4 5 6 7 8 9 10 99; do # those of our own too, from whose other ends nothing would come
		wrong "descriptor $fd cannot be read: Bad file descriptor" run --words="$fd" "$T/x.py" \
			3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&- 10<&-
	done
	wrong '/dev/fd/3: Bad file descriptor' run --user --stdin /dev/fd/3 "$T/x.py" 3<&-
	wrong '/proc/self/fd/5: Bad file descriptor' run --user --lang python /proc/self/fd/5 5<&-
	"$CORDON" run --user --tier no-cgroup --lang python --stdin /dev/fd/4 /dev/fd/3 \
		3<"$T/x.py" 4</dev/null >"$T/out" 2>"$T/err" || show
	out_is 1
	for fd in 1 2 -1 x 99999999999; do
		wrong 'the number of an open descriptor' run --words="$fd" "$T/x.py"
	done
	head -c 1048576 "$T/many" >"$T/most"
	wrong 'word 1 is empty' run --words=3 3<"$T/most"
}

@test "wrong values name the option and show how to write it" {
	printf 'print(1)\n' | code x.py
	wrong '--time' run --time 5x "$T/x.py"
	wrong '--time' run --time 0 "$T/x.py"
	wrong '30s' run --time abc "$T/x.py"
	wrong '--memory' run --memory 5s "$T/x.py"
	wrong '--memory' run --memory 1K "$T/x.py"
	wrong '--memory' run --memory 99999999999999999999G "$T/x.py"
	wrong '--pids' run --pids -1 "$T/x.py"
	wrong '--tier' run --tier none "$T/x.py"
	wrong '--lang' run --lang perl "$T/x.py"
	wrong '--env' run --env NAME "$T/x.py"
	wrong '--env' run --env =x "$T/x.py"
	wrong '--exec' run --exec ls "$T/x.py"
	wrong 'needs a value' run --time
}

@test "files that cannot be run" {
	mkdir "$T/dir.py"
	: >"$T/unknown"
	printf 'x' >"$T/plain"
	printf 'print(1)\n' >"$T/x.py"
	wrong 'no file to run is given' run
	wrong 'one file' run a.py b.py
	wrong 'nothing.py' run "$T/nothing.py"
	wrong 'directory' run "$T/dir.py"
	wrong '--lang' run "$T/unknown"
	wrong 'not an executable' run --lang binary "$T/plain"
	wrong 'nothing' run --lang binary "$T/nothing"
	wrong 'path of a program' run --lang binary -
	wrong '--lang' run -
	wrong '/nothing' run --exec /nothing "$T/x.py"
	wrong '/nothing' run --stdin /nothing --lang binary /bin/true
}

@test "a file that may not be read" {
	need_root
	printf 'print(1)\n' | code x.py
	chmod 600 "$T/x.py"
	box user:no-cgroup "$T/x.py"
	exits 125
	err_has 'Permission denied'
}

@test "a missing interpreter is reported with the package to install" {
	need_root
	printf 'print(1)\n' | code x.py
	unshare -m sh -c "mount -t tmpfs none /usr/bin &&
		'$CORDON' run --tier no-cgroup '$T/x.py' >'$T/out' 2>'$T/err'; echo \$? >'$T/rc'"
	[ "$(cat "$T/rc")" = 125 ]
	err_has '/usr/bin/python3'
	err_has 'install the package python3'
}

@test "odd words are shown, not obeyed" {
	status=0
	"$CORDON" run --user $'--\e[31m\nx' 2>"$T/err" || status=$?
	exits 125
	[ "$(wc -l <"$T/err")" -le 2 ]
	run ! grep -qP '\x1b' "$T/err"
}

@test "cordon alone lists the commands" {
	run -0 "$CORDON"
	[[ $output == *"cordon run"* && $output == *"cordon doctor"* ]]
	run -0 "$CORDON" --help
	[[ $output == *"cordon run"* ]]
	run -0 "$CORDON" help
	run -0 "$CORDON" --version
	[[ $output == cordon* ]]
}

# rows SECTION: the names in that section of the manual page.
rows() { "$CORDON" man | awk -v name="$1" '/^\.SH/ { on = $2 == name } on && /^\.B/ { print $2 }'; }

# told OPTION SECTION: its help and its error name each row of the table.
told()
{
	local name n=0
	for name in $(rows "$2"); do
		"$CORDON" run --user --help | grep -e "^  --$1 " | grep -qw -e "$name"
		wrong "$name" run "--$1" nothing x.py
		n=$((n + 1))
	done
	[ $n -ge 3 ]
}
@test "help and error name every language and every tier" {
	told lang LANGUAGES
	told tier TIERS
	local name
	: >"$T/unknown"
	for name in $(rows LANGUAGES); do
		wrong "$name" run "$T/unknown"
	done
}

@test "every command has help with an example" {
	local c n=0
	for c in $(commands); do
		run -0 "$CORDON" "$c" --help
		[[ $output == *"Example: "*cordon* ]] || { echo "$output"; return 1; }
		run -0 "$CORDON" "$c" -h
		n=$((n + 1))
	done
	[ $n -ge 4 ]
}

@test "every option is in the help, the manual page and the completion" {
	local o man completion
	man=$("$CORDON" man | sed 's/\\-/-/g')
	completion=$("$CORDON" completion)
	for o in lang json events by-signal telemetry tier time cpu-time cpu memory pids files file-size disk output exec env \
		workspace diff apply conversation user exposed plan net secret wait stdin venv; do
		options run | grep -qx -- "$o" || { echo "no --$o in the help"; return 1; }
	done
	for o in rules lane mode type kind format json fail-on effects no-code-view inactive strict; do
		options scan | grep -qx -- "$o" || { echo "no --$o in the help"; return 1; }
	done
	for o in n follow checkpoint key format from state json; do
		[[ $("$CORDON" audit --help) == *"-$o"* ]] || { echo "no $o in the help"; return 1; }
	done
	for o in $(options run) $(options scan) $(options rules) $(options conversation) $(options trust) $(options grant) $(options apply) $(options ingest) \
		$(options plan) $(options audit); do
		[[ $man == *"--$o"* ]] || { echo "no --$o in the manual page"; return 1; }
		[[ $completion == *" --$o"* ]] || { echo "no --$o in the completion"; return 1; }
	done
}

@test "the commands around the gate take what has a meaning for them, each once" {
	local command words
	while read -r command words; do
		[ "$(options "$command" | paste -sd' ')" = "$words help words" ] ||
			{ echo "$command: $(options "$command" | paste -sd' ')"; return 1; }
	done <<-'END'
		conversation title state json
		trust policy wait title purpose state json
		untrust state json
		grant conversation directory write net secret sent for runs policy wait title purpose state json
		diff conversation names state json
		apply conversation policy title purpose state json
		reset conversation state json
		ingest conversation kind name release rules policy state json
		plan conversation lang workspace policy runs for rules state json profile exec net secret ro rw hide keep env venv
	END
}

@test "the help of every command that can fail explains its exit status" {
	local c
	for c in $(commands); do
		case $c in doctor | version | man | completion | help) continue ;; esac
		"$CORDON" "$c" --help >"$T/out"
		grep -q '^Exit status:$' "$T/out" || { echo "$c"; return 1; }
		grep -qE '^  125 ' "$T/out" || { echo "$c"; return 1; }
	done
}

@test "the help names the defaults" {
	run -0 "$CORDON" run --user --help
	local d
	for d in 30s 512M 64 1M 256M; do
		[[ $output == *"default $d"* ]] || { echo "no default $d"; return 1; }
	done
}

@test "lines of the help fit a terminal" {
	local c
	for c in $(commands); do
		[ "$("$CORDON" "$c" --help | wc -L)" -le 110 ]
	done
}

@test "the manual page is without warnings" {
	"$CORDON" man >"$T/cordon.1"
	if [ -x /usr/bin/groff ]; then
		run -0 groff -man -ww -z "$T/cordon.1"
	elif [ -x /usr/bin/man ]; then
		run -0 env LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$T/cordon.1"
		output=
	else
		skip "neither groff nor man"
	fi
	[ -z "$output" ] || { echo "$output"; return 1; }
	for s in NAME SYNOPSIS COMMANDS LAYERS 'EXIT STATUS'; do
		grep -q "^.SH $s" "$T/cordon.1"
	done
}

@test "the completion works" {
	"$CORDON" completion >"$T/completion"
	bash -n "$T/completion"
	run -0 bash -c 'source "$1"; COMP_WORDS=(cordon ""); COMP_CWORD=1; _cordon; echo "${COMPREPLY[*]}"' - "$T/completion"
	[[ $output == *run* && $output == *doctor* ]]
	run -0 bash -c 'source "$1"; COMP_WORDS=(cordon run --mem); COMP_CWORD=2; _cordon; echo "${COMPREPLY[*]}"' - "$T/completion"
	[ "$output" = --memory ]
}

# terminal COMMAND...: its output on a terminal.
terminal() { script -qec "$*" /dev/null </dev/null; }

@test "colour only on a terminal, and not with NO_COLOR" {
	command -v script >/dev/null || skip "no script(1)"
	run "$CORDON" run
	[[ $output != *$'\e['* ]]
	run terminal env -u NO_COLOR "$CORDON" run
	[[ $output == *$'\e['* ]]
	run terminal env NO_COLOR=1 "$CORDON" run
	[[ $output != *$'\e['* ]]
}

@test "a terminal shows escape sequences, it does not get them" {
	command -v script >/dev/null || skip "no script(1)"
	printf 'print("\\x1b[31mred\\x1b]0;title\\x07")\n' | code x.py
	run terminal env NO_COLOR=1 "$CORDON" run --user --tier no-cgroup "$T/x.py"
	[[ $output == *'^[[31mred^[]0;title^G'* ]] || { printf '%q\n' "$output"; return 1; }
	[[ $output != *$'\e'* ]]
}

@test "-h is --help" {
	run -0 "$CORDON" -h
	[ "$output" = "$("$CORDON" --help)" ]
}

@test "a file whose name begins with a dash comes after --" {
	printf 'import sys\nprint("dash", sys.argv[1:])\n' | code -dash.py
	local way
	for way in $WAYS; do
		box "$way" -- -dash.py
		exits 0
		out_is 'dash []'
		box "$way" -- -dash.py -- a -- b
		exits 0
		out_is "dash ['a', '--', 'b']"
		box "$way" -- -dash.py a
		out_is "dash ['a']"
	done
	wrong 'comes after --' run -dash.py
	wrong 'no file to run is given' run --
}

@test "words that a command does not take" {
	local c
	for c in doctor version man; do
		wrong "cordon $c takes no \"x\"" $c x
		wrong "cordon $c takes no \"x\"" $c -- x
		err_has "try: cordon $c"
	done
}

@test "output that cannot be written is an error" {
	printf 'print("x")\n' | code x.py
	local c
	for c in --help version man completion doctor 'run --help' 'run --tier no-cgroup x.py' \
		'run --tier no-cgroup --json x.py'; do
		status=0
		# shellcheck disable=SC2086 # words
		"$CORDON" $c >/dev/full 2>"$T/err" || status=$?
		exits 125
		err_has 'the output could not be written completely'
	done
	# Nothing to write, nothing lost.
	"$CORDON" run --user --tier no-cgroup --lang binary /bin/true >/dev/full
}

@test "a pipe without a writer does not hang for ever, and a device is refused" {
	mkfifo "$T/x.py"
	SECONDS=0
	wrong 'did not come to its end' run --time 300ms "$T/x.py"
	sleep 20 >"$T/x.py" &
	local writer=$!
	wrong 'did not come to its end' run --time 300ms "$T/x.py"
	kill $writer
	[ $SECONDS -lt 10 ]
	wrong 'is a device' run --lang python /dev/zero
}

@test "too few descriptors: the cause and the cure" {
	printf 'print("x")\n' | code x.py
	status=0
	(ulimit -n 16; exec "$CORDON" run --user --tier no-cgroup "$T/x.py") >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'because: this shell allows 16 open files'
	err_has 'try: ulimit -n'
	# A soft limit is ours to raise.
	(ulimit -Sn 16; exec "$CORDON" run --user --tier no-cgroup "$T/x.py") >"$T/out"
	out_is x
}

@test "a limit of the shell that the program or its reader would die of: the cause and the cure" {
	local l
	printf 'open("/tmp/f", "w").write("x" * 100000); print("x")\n' | code x.py
	for l in f:0 s:64 $(readelf -Ws "$CORDON" | grep -q __asan_init || echo v:48000 d:40000); do
		# The limit also holds for a file that it writes its errors to.
		(ulimit "-${l%:*}" "${l#*:}"; exec "$CORDON" run --user --tier no-cgroup "$T/x.py") 2>&1 |
			cat >"$T/err"
		status=${PIPESTATUS[0]}
		exits 125
		err_has "because: this shell allows ${l#*:} KB"
		err_has "try: ulimit -${l%:*}"
		# A soft limit is ours to raise.
		(ulimit "-S${l%:*}" "${l#*:}"; exec "$CORDON" run --user --tier no-cgroup "$T/x.py") >"$T/out"
		out_is x
	done
}

@test "a limit on processes is reported as such, not as a missing layer" {
	local most said=0
	printf 'print("x")\n' | code x.py
	for most in 1 2 3 4 5 6 7 8; do
		status=0
		as user env XDG_STATE_HOME="$T/few" bash -c 'ulimit -u "$1"; shift; exec "$@"' few "$most" \
			"$CORDON" run --user --tier no-cgroup "$T/x.py" >"$T/out" 2>"$T/err" || status=$?
		[ "$status" -ne 0 ] || break
		exits 125
		! grep -q 'layer\|no-userns' "$T/err" || show
		! grep -q "because: this user may have $most processes (ulimit -u)" "$T/err" || said=1
	done
	[ "$said" -eq 1 ] || show
}

@test "cordon-box is begun before the words are read: a wrong one and --help need none and leave none" {
	install -D -t "$T/alone" "$CORDON"
	"$T/alone/cordon" run --help >"$T/out" 2>"$T/err"
	out_has 'cordon run'
	[ ! -s "$T/err" ] || show
	CORDON=$T/alone/cordon wrong '--nothing' run --nothing x.py
	printf 'print("x")\n' | code x.py
	CORDON=$T/alone/cordon wrong 'install all programs of Cordon together' run --user "$T/x.py"
	# A started process is reaped: the process that would inherit an orphan has no child.
	/usr/bin/python3 - "$CORDON" run --nothing x.py <<-'END'
		import ctypes, os, subprocess, sys
		ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
		assert subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode == 125
		try:
		    sys.exit(f'left behind: {os.waitpid(-1, 0)}')
		except ChildProcessError:
		    pass
	END
}

@test "a value's word is the same in the help and in the message" {
	local o word
	for o in time cpu-time cpu memory pids files file-size disk output; do
		word=$("$CORDON" run --user --help | sed -n "s/^  --$o \([A-Z]*\) .*/\1/p")
		[ -n "$word" ]
		wrong "($word)" run "--$o"
	done
}

@test "the help does not promise that a program stays below 124" {
	printf 'raise SystemExit(200)\n' | code x.py
	box user:no-cgroup "$T/x.py"
	exits 200
	run ! grep -q '0-123' <("$CORDON" run --user --help)
	run ! grep -q '0-123' <("$CORDON" man)
}
