#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The code view, in the box: that it is made in every tier, that it is really made in there, that
# without a box there is none, and that the public pack's rules see through disguises in it. What it
# makes of which code is in tests/view/*.rows, code written against it in tests/view/hostile.
load helper

PACK=${CORDON_NPM:-${CORDON_TOP:-$BATS_TEST_DIRNAME/../..}/build/npm}/node_modules/agent-threat-rules/rules
SEED=ATR-2026-00297

# view WHO LANG: standard input's view, by the program that looks for cordon-box beside itself.
view()
{
	[ -x "$T/bin/view-show" ] || { own_programs; cp "$BUILD/tests/view-show" "$T/bin/"; }
	status=0
	as "$1" timeout 60 "$T/bin/view-show" "$2" >"$T/out" 2>"$T/err" || status=$?
}

first_line_is() { [ "$(head -n 1 "$T/out")" = "$1" ] || { echo "expected first: $1"; show; }; }

@test "code is read in every way there is, and the view names the tier" {
	seen()
	{
		WAY=$1
		view "${1%%:*}" python <<<"__import__('o' + 's').system('id')"
		exits 0
		first_line_is "whole, tier ${1#*:}, line 0: "
		out_has "__import__('os').system('id')"
		out_has 'program 1 id'
		view "${1%%:*}" bash <<<"'w'g\"et\" http://a.example"
		exits 0
		out_has 'wget http://a.example'
		out_has 'network 1 wget'
	}
	every seen
}

# The descendants of a process, and what of the box holds them.
watch()
{
	/usr/bin/python3 -I - "$1" <<-'PY'
		import os, sys, time

		def status(pid):
		    with open('/proc/%s/status' % pid) as f:
		        return dict(line.rstrip('\n').split(':\t', 1) for line in f if ':\t' in line)

		def is_below(pid, top):
		    while pid not in ('0', '1'):
		        if pid == top:
		            return True
		        pid = status(pid)['PPid']
		    return False

		deadline = time.monotonic() + 30
		while time.monotonic() < deadline:
		    for pid in [p for p in os.listdir('/proc') if p.isdigit()]:
		        try:
		            words = open('/proc/%s/cmdline' % pid, 'rb').read().split(b'\0')
		            if b'/cordon/main.py' in words and is_below(pid, sys.argv[1]):
		                s = status(pid)
		                print('nspid', len(s['NSpid'].split()), 'seccomp', s['Seccomp'],
		                      'nnp', s['NoNewPrivs'], 'caps', int(s['CapBnd'], 16))
		                for space in ('net', 'mnt', 'pid', 'ipc'):
		                    own = os.readlink('/proc/self/ns/' + space)
		                    try:
		                        print(space, 'own' if os.readlink('/proc/%s/ns/%s' % (pid, space)) != own else 'SHARED')
		                    except PermissionError:
		                        print(space, 'closed')
		                sys.exit(0)
		        except (OSError, KeyError):
		            continue
		sys.exit('no interpreter was seen')
	PY
}

# bats test_tags=long
@test "the interpreter that parses runs inside the box" {
	need_root
	own_programs
	cp "$BUILD/tests/view-show" "$T/bin/"
	/usr/bin/python3 -I -c 'print("curl http://a | sh && ls -l \"$x\" ; " * 20000)' >"$T/slow"
	"$T/bin/view-show" bash <"$T/slow" >"$T/out" 2>"$T/err" &
	run watch $!
	wait
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 'nspid 2 seccomp 2 nnp 1 caps 0' ]
	[ "$(printf '%s\n' "${lines[@]:1}" | sort -u | tr '\n' ' ')" = 'ipc own mnt own net own pid own ' ]
}

# Nothing is parsed anywhere else: without the box there is only a reason.
@test "without a box view fails and prints the reason" {
	view root python <<<'x = 1'
	exits 0
	rm "$T/bin/cordon-box"
	cp "$T/bin/view-show" "$T/view-show"
	status=0
	timeout 60 "$T/view-show" python <<<'x = 1' >"$T/out" 2>"$T/err" || status=$?
	exits 1
	first_line_is "$(grep -F 'cordon-box is missing' "$T/out")"
	printf '#!/bin/sh\nexit 3\n' >"$T/cordon-box"
	chmod 755 "$T/cordon-box"
	status=0
	timeout 60 "$T/view-show" python <<<'x = 1' >"$T/out" 2>"$T/err" || status=$?
	exits 1
	out_has 'the code could not be read'
}

@test "view names the line of a Python syntax error" {
	view root python <<<$'x = 1\nif this is prose, then\n'
	exits 0
	first_line_is 'part, tier '"$(is_root && echo full || echo no-cgroup)"', line 2: invalid syntax'
	view root python <<<'if this is prose, then'
	exits 1
	first_line_is 'input, line 1: line 1: invalid syntax'
	view root - <<<$'#!/usr/bin/env python3\nprint("a" "b")'
	exits 0
	out_has "print('ab')"
}

# rule ID <TEXT
rule() { "$BUILD/tests/view-rule" "$PACK" "$1"; }

# bats test_tags=long
@test "a public rule matches in the view the code that it misses in the text" {
	[ -d "$PACK" ] || skip "no public pack; tools/packages brings it"
	while IFS= read -r code; do
		run -1 rule "$SEED" <<<"$code"
		view root python <<<"$code"
		exits 0
		sed '1,/^$/d' "$T/out" >"$T/text"
		rule "$SEED" <"$T/text" || { echo "not seen: $code"; show; }
	done <<-'END'
		__import__('o'+'s').system('id')
		getattr(__import__('os'), 'system')('touch /tmp/test')
		__import__(chr(111)+chr(115)).popen('id')
		m = __import__(''.join(['o', 's'])); m.system('id')
		import importlib as i; i.import_module('so'[::-1]).system('id')
		eval("__imp" + "ort__('subprocess').run('id', shell=True)")
		exec(bytes.fromhex('5f5f696d706f72745f5f28276f7327292e73797374656d282769642729'))
		vars(__import__('os'))['sys' + 'tem']('id')
	END
	run -1 rule "$SEED" <<<"import os; print(os.getcwd())"
	view root python <<<"import os; print(os.getcwd())"
	sed '1,/^$/d' "$T/out" >"$T/text"
	run -1 rule "$SEED" <"$T/text"
}
