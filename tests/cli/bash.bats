#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Ordinary shell scripts in the stock profile.
load helper

@test "pipes, here-documents, process substitution, arrays" {
	cat <<'SH' | code x.sh
set -u
printf '3\n1\n2\n' | sort | head -1
cat <<END
here $((6 * 7))
END
diff <(printf 'a\nb\n') <(printf 'a\nc\n') | grep -c '^[<>]'
a=(x y z); echo "${#a[@]} ${a[-1]^^}"
read -r w < <(echo word); echo "$w"
echo "$(printf 'sub\n' | tee >(cat >/dev/null))"
SH
	runs x.sh $'1\nhere 42\n2\n3 Z\nword\nsub'
}

@test "the usual tools" {
	cat <<'SH' | code x.sh
cd /tmp
printf 'b 2\na 1\nc 3\n' >t
awk '{ s += $2 } END { print s }' t
sed -n 's/^a /A /p' t
grep -c . t
sort -k2nr t | cut -d' ' -f1 | tr '\n' ,; echo
mkdir -p d/e && touch d/e/f && find d -type f | xargs ls
seq 1 5 | paste -sd+ - | bc 2>/dev/null || echo 15
tar cf - d | tar tf - | wc -l
gzip -c t | gzip -dc | cmp - t && echo same
base64 <<<x; sha256sum t | wc -c; date -d @0 -u +%Y; basename /a/b.c .c
mktemp -d | cut -c1-5; stat -c %s t; id -un; uname -n; wc -l <t
for i in 1 2 3; do (sleep 0.0$i) & done; wait; echo waited
timeout 5 true && echo ok
SH
	runs x.sh $'6\nA 1\n3\nc,b,a,\nd/e/f\n15\n3\nsame\neAo=\n68\n1970\nb\n/tmp/\n12\nagent\ncordon\n3\nwaited\nok'
}

@test "traps, exit status, arguments" {
	cat <<'SH' | code x.sh
trap 'echo bye' EXIT
echo "$# $1 $*"
false || echo "failed $?"
exit 4
SH
	local way
	for way in $WAYS; do
		box "$way" "$T/x.sh" -- 'a b' c
		exits 4
		out_is $'2 a b a b c\nfailed 1\nbye'
	done
}

unlisted() {
	box "$1" --json --profile snippet "$T/x.sh"
	exits 0
	holds 'r["exec"] == "listed"' '"ran" not in r["stdout"] and "status 126" in r["stdout"]'
}
@test "snippet: a program that is not on the list is refused" {
	printf 'for p in /usr/bin/python3 /usr/bin/perl /usr/bin/ssh; do [ ! -e $p ] || { $p --version && echo ran; echo "status $?"; }; done; exit 0\n' |
		code x.sh
	every unlisted
}

copied() {
	box "$1" --json --profile snippet "$T/x.sh"
	exits 0
	holds '"ran" not in r["stdout"]'
}
@test "snippet: a copy of a listed program is not listed" {
	printf 'cp /usr/bin/echo /tmp/e; chmod +x /tmp/e; /tmp/e ran; cp /usr/bin/echo /dev/shm/e; /dev/shm/e ran; exit 0\n' |
		code x.sh
	every copied
}

lines() {
	box "$1" --json "$T/x.sh"
	exits 127
	holds '"line 3" in r["stderr"]'
}
@test "errors name the right line" {
	printf '\n\nno_such_command\n' | code x.sh
	every lines
}

@test "no terminal, no job control, standard input is empty" {
	printf '[ -t 0 ] || [ -t 1 ] || echo none; cat | wc -c; tty_out=$(: </dev/tty) || echo "no tty"\n' | code x.sh
	local way
	for way in $WAYS; do
		box "$way" "$T/x.sh"
		exits 0
		out_is $'none\n0\nno tty'
	done
}
