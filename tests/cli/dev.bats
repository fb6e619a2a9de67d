#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The profile dev: whatever the system, the toolchains, the workspace and the program itself hold may
# be executed, debugged and served on the box's own loopback. The walls are those of every box.
load helper
load workspace

any() {
	box "$1" --json "$T/x.sh"
	exits 0
	holds 'r["exec"] == "any"' 'r["stdout"] == "perl\nmade\nmade\nmade\n4 /home /tmp\n"' \
		'r["denials"] == []'
}
@test "programs of the system, and those that it made itself" {
	cat <<'SH' | code x.sh
perl -e 'print "perl\n"'
for d in /tmp /dev/shm ~; do
	printf '#!/bin/sh\necho made\n' >$d/x && chmod +x $d/x && $d/x
done
x=żółć
echo "${#x} $HOME $TMPDIR"
SH
	every any
}

built() {
	box "$1" --workspace "$W" "$T/x.sh"
	exits 0
	out_is 'built'
	untouched
}
@test "gcc and make -j in the workspace, and what they built" {
	cat <<'SH' | code x.sh
printf '#include <stdio.h>\nint main(void) { puts(WORD); }\n' >a.c
printf 'all: a b\na b: a.c\n\tgcc -DWORD=\\"built\\" -o $@ $<\n' >Makefile
make -s -j4 && ./a
SH
	every_owner built
}

debugged() {
	box "$1" --json "$T/x.sh"
	exits 0
	holds '"exited with 3" in r["stdout"] and "#0  f (x=2)" in r["stdout"]' \
		'"ids 0 -1 -1" in r["stdout"]' 'r["denials"] == [] or r["denials"][0]["call"] == "personality"'
}
@test "strace and gdb on an own program; ids can be set to oneself only" {
	cat <<'SH' | code x.sh
cat >a.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
int f(int x) { return x + 1; }
int main(void)
{
	printf("ids %d %d %d\n", setresuid(-1, getuid(), getuid()), setuid(0), setgid(0));
	return f(2);
}
C
gcc -g -o a a.c
strace -o trace ./a
cat trace
gdb -batch -ex 'break f' -ex run -ex bt ./a 2>&1
exit 0
SH
	every debugged
}

served() {
	box "$1" --json --workspace "$W:$2" "$T/x.sh"
	exits 0
	holds "r['stdout'] == '$3\n'" 'r["denials"] == []'
}
@test "a server on the box's own loopback has its client; there is no way out" {
	cat <<'SH' | code x.sh
python3 - <<'PY'
import socket, threading
said = []
for family, host in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET, "0.0.0.0"):
    server = socket.create_server((host, 0), family=family)
    client = socket.create_connection(("localhost" if host == "0.0.0.0" else host, server.getsockname()[1]))
    server.accept()[0].sendall(b"hello")
    said.append(client.recv(9).decode())
udp = socket.socket(type=socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
socket.socket(type=socket.SOCK_DGRAM).sendto(b"datagram", udp.getsockname())
said.append(udp.recv(9).decode())
try:
    local = socket.socket(socket.AF_UNIX)
    local.bind("/tmp/socket")
    local.listen()
    socket.socket(socket.AF_UNIX).connect("/tmp/socket")
    said.append("local")
except PermissionError:
    pass
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as e:
    said.append(e.strerror)
print(*said)
PY
SH
	dir user
	! is_root || served root:full overlay 'hello hello hello datagram local Network is unreachable'
	served user:no-cgroup overlay 'hello hello hello datagram local Network is unreachable'
}

@test "the host's local sockets are near: the loopback works, local sockets do not" {
	cat <<'SH' | code x.sh
python3 - <<'PY'
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b"hello")
print(client.recv(9).decode())
try:
    socket.socket(socket.AF_UNIX)
except PermissionError:
    print("no local socket")
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as e:
    print(e.strerror)
PY
SH
	dir user
	local mode
	for mode in ro rw; do
		box user:no-cgroup --workspace "$W:$mode" "$T/x.sh"
		exits 0
		out_is $'hello\nno local socket\nNetwork is unreachable'
	done
}

@test "snippets of python and node execute nothing, unless told otherwise" {
	printf 'import subprocess\nprint(subprocess.run(["perl", "-e", "print 42"], capture_output=True).stdout)\n' |
		code x.py
	local way
	for way in $WAYS; do
		box "$way" --json "$T/x.py"
		exits 1
		holds 'r["exec"] == "listed"'
		box "$way" --json --profile dev "$T/x.py"
		exits 0
		holds 'r["exec"] == "any"' "r['stdout'] == \"b'42'\\n\""
	done
}

@test "strict keeps the list, for scripts too" {
	printf 'version: 2\nprofile: strict\n' >"$T/strict.yaml"
	printf 'perl -e "print 42"; exit 0\n' | code x.sh
	box user:no-cgroup --json --policy "$T/strict.yaml" "$T/x.sh"
	exits 0
	holds 'r["exec"] == "listed"' 'r["stdout"] == ""'
	box user:no-cgroup --policy "$T/strict.yaml" --profile dev "$T/x.sh"
	exits 126
	err_has 'the policy allows only listed programs'
}

@test "no agent, no secret of the home directory, nothing of Cordon's, no root" {
	mkdir -p "$T/home/.ssh" "$T/home/.cargo/bin"
	echo secret >"$T/home/.ssh/id_ed25519"
	printf '#!/bin/sh\necho tool\n' >"$T/home/.cargo/bin/tool"
	printf 'token\n' >"$T/home/.cargo/credentials.toml"
	chmod -R go+rX "$T/home"
	chmod 755 "$T/home/.cargo/bin/tool"
	cat <<SH | code x.sh
tool
cat $T/home/.ssh/id_ed25519 $T/home/.cargo/credentials.toml /etc/shadow /etc/npmrc /etc/gitconfig
ls -d $T/state /run /var /srv /etc/cordon
ssh-add -l
env | grep -i -E 'ssh_|docker|secret'
[ ! -S /var/run/docker.sock ] && su -c id </dev/null
exit 0
SH
	local way
	for way in $WAYS; do
		SSH_AUTH_SOCK=/tmp/agent DOCKER_HOST=unix:///x box "$way" "$T/x.sh"
		exits 0
		out_is tool
	done
}

@test "toolchains: of the configuration, and their programs in PATH" {
	mkdir -p "$T/tools/bin" "$T/config/cordon"
	printf '#!/bin/sh\necho own tool\n' >"$T/tools/bin/own-tool"
	chmod -R 755 "$T/tools"
	printf 'version: 1\ntoolchains: [%s]\n' "$T/tools" >"$T/config/cordon/config.yaml"
	printf 'own-tool; touch "$1" 2>/dev/null || echo read-only\n' | code x.sh
	local way
	for way in $WAYS; do
		box "$way" "$T/x.sh" -- "$T/tools/x"
		exits 0
		out_is $'own tool\nread-only'
	done
}

numbers() {
	box "$1" --json --memory 256M --profile dev "$T/x.sh"
	exits 0
	holds 'r["stdout"] == "1\n262144\n1 268435456\nrefused\n"'
}
@test "the machine in /proc is the box" {
	cat <<'SH' | code x.sh
grep -c ^processor /proc/cpuinfo | sed 's/.*/1/'
awk '/^MemTotal/ { print $2 }' /proc/meminfo
node -p 'Math.sign(os.cpus().length) + " " + os.totalmem()'
{ echo x >/proc/meminfo; } 2>/dev/null || echo refused
SH
	every numbers
}

full() {
	box "$1" --json --file-size 1M "$T/x.sh"
	holds 'r["limit"] == "file-size"' 'r["status"] == "exited"'
	box "$1" --json --file-size 1M "$T/x.py"
	exits 0
	holds 'r["limit"] == "file-size"' '"too large" in r["stdout"]'
	box "$1" --json --file-size 2M "$T/x.py"
	holds 'r["limit"] is None'
}
@test "a file that reached its limit is told, also if the program went on" {
	printf 'head -c 2M /dev/urandom >~/x; echo went on\n' | code x.sh
	printf 'try:\n    open("/tmp/f", "wb", 0).write(bytes(1 << 20))\n    open("/tmp/f", "ab", 0).write(b"x")\nexcept OSError as e:\n    print(e)\n' |
		code x.py
	every full
}

@test "snippet: the locale that LANG names is there" {
	# shellcheck disable=SC2016
	printf 'x=żółć; echo "$LANG ${#x}"\n' | code x.sh
	local way
	for way in $WAYS; do
		box "$way" --profile snippet "$T/x.sh"
		out_is 'C.UTF-8 4'
	done
}
