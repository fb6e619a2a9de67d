#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon doctor: its word on a layer must change when the layer is taken away (by a test build, by
# a filter, by a sysctl), and its word on a tier must be what a run in that tier then finds. It
# must leave nothing behind.

bats_require_minimum_version 1.5.0

layers='userns mountns pidns netns ipcns utsns cgroupns newroot noexec session fds env caps nnp
	dumpable rlimits cgroup landlock seccomp execgate memfd'
tiers='full no-cgroup no-userns'

setup_file()
{
	export CORDON=${CORDON:-$PWD/build/cordon} CORDON_BUILD=${CORDON_BUILD:-$PWD/build}
	export TEST_UID=${TEST_UID:-61000}
	# The checkout may be closed to the ordinary user.
	export BIN=$BATS_FILE_TMPDIR/bin
	mkdir -p "$BIN/mutant"
	cp "$(dirname "$CORDON")"/cordon{,-box,-probe,-egress} "$BIN/"
	[ ! -x "$CORDON_BUILD/mutant/cordon" ] ||
		cp "$CORDON_BUILD"/mutant/cordon{,-box,-probe} "$CORDON_BUILD/cordon-egress" "$BIN/mutant/"
	mkdir -p "$BATS_FILE_TMPDIR/share/cordon"
	cp -r "$(dirname "$BATS_TEST_FILENAME")/../../rules" "$BATS_FILE_TMPDIR/share/cordon/"
	chmod -R go=u-w "$BIN" "$BATS_FILE_TMPDIR/share"
	export XDG_STATE_HOME=$BIN/state XDG_CONFIG_HOME=$BIN/config XDG_DATA_HOME=$BIN/data
	mkdir "$BIN/user"
	[ "$(id -u)" -ne 0 ] || chown "$TEST_UID" "$BIN/user"
	local dir=$BIN
	while [ "$dir" != / ]; do
		[ ! -O "$dir" ] || [ "$dir" = /tmp ] || chmod go+x "$dir"
		dir=$(dirname "$dir")
	done
}

# As in helper.bash.
failed_here() { bats_capture_stack_trace; bats_error_trap; }
setup()
{
	trap - DEBUG
	trap failed_here ERR
}

is_root() { [ "$EUID" -eq 0 ]; }
need_root() { is_root || skip "needs root"; }

# as WHO COMMAND...: root (whoever runs the tests) or an ordinary user.
as()
{
	local who=$1
	shift
	if [ "$who" = user ] && is_root; then
		set -- env XDG_STATE_HOME="$BIN/user" setpriv --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups "$@"
	fi
	timeout 30 "$@"
}

# everybody [N]: as root, both accounts. In the short form one of them: the tests of a file take turns.
everybody()
{
	local all=(root user)
	is_root || all=(user)
	[ -n "${TEST_MORE:-}" ] || all=("${all[(BATS_TEST_NUMBER + ${1:-0}) % ${#all[@]}]}")
	echo "${all[@]}"
}

# ask EXPRESSION: what Python makes of doctor's JSON in $output, with L for layers, T for tiers.
ask()
{
	/usr/bin/python3 -IS -c '
import json, sys
d = json.loads(sys.argv[1])
L, T, C = d["layers"], d["tiers"], d["tier_causes"]
print(eval(sys.argv[2]))' "$output" "$1"
}

is() { [ "$(ask "$1")" = True ] || { echo "not so: $1"; echo "$output"; return 1; }; }

# without CALL... -- COMMAND: runs it under a filter that answers those calls like a container's.
without()
{
	/usr/bin/python3 -c '
import ctypes, os, platform, struct, sys
EPERM, ENOSYS, NEWUSER = 1, 38, 0x10000000
arm = platform.machine() == "aarch64"
clone, unshare = (220, 97) if arm else (56, 272)
rules = {"userns": [(435, 0, ENOSYS), (clone, NEWUSER, EPERM), (unshare, NEWUSER, EPERM)],
         "clone3": [(435, 0, ENOSYS)], "landlock": [(444, 0, ENOSYS)]}
at = sys.argv.index("--")
code = b""
for nr, flag, errno in [r for name in sys.argv[1:at] for r in rules[name]]:
    if flag:
        code += struct.pack("=HBBI", 0x20, 0, 0, 16) + struct.pack("=HBBI", 0x45, 0, 3, flag)
    code += struct.pack("=HBBI", 0x20, 0, 0, 0) + struct.pack("=HBBI", 0x15, 0, 1, nr)
    code += struct.pack("=HBBI", 0x06, 0, 0, 0x50000 | errno)
code += struct.pack("=HBBI", 0x06, 0, 0, 0x7fff0000)
text = ctypes.create_string_buffer(code)
prog = struct.pack("@HP", len(code) // 8, ctypes.addressof(text))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, os.getuid() != 0, 0, 0, 0)
if libc.prctl(22, 2, prog, 0, 0) != 0:
    sys.exit("no filter: %d" % ctypes.get_errno())
os.execv(sys.argv[at + 1], sys.argv[at + 1:])' "$@"
}

# What tries the network in a box is cordon itself, and a build with sanitizers does not run in one.
is_static() { ! readelf -Ws "$CORDON" | grep -q __asan_init || skip "not with sanitizers"; }

@test "doctor names every layer and every tier" {
	run as root "$BIN/cordon" doctor
	for l in $layers; do
		grep -Eq "^  $l +(holds|MISSING) " <<<"$output"
	done
	for t in $tiers; do
		grep -Eq -- "^  --tier $t +(works|does not work) here" <<<"$output"
	done
}

@test "a missing layer has a cause, and a layer that holds has no cause" {
	for who in $(everybody); do
		run as "$who" "$BIN/cordon" doctor --json
		is 'len(L) == 21 and len(T) == 3'
		is 'all(isinstance(l["holds"], bool) for l in L.values())'
		is 'all(l["holds"] == (l["cause"] == "") for l in L.values())'
		is 'all(T[t] == (t not in C) for t in T) and all(C.values())'
	done
}

@test "status 0 only when tier full works" {
	for who in $(everybody); do
		run as "$who" "$BIN/cordon" doctor --json
		is "T['full'] == ($status == 0)"
		[ "$status" -eq 0 ] || [ "$status" -eq 125 ]
	done
}

# bats test_tags=long
@test "a tier works exactly if a run in it works" {
	for who in $(everybody); do
		for t in $tiers; do
			local ran=0
			as "$who" "$BIN/cordon" run --user --tier "$t" --lang binary /usr/bin/true || ran=$?
			run as "$who" "$BIN/cordon" doctor --json
			is "T['$t'] == ($ran == 0)"
		done
	done
}

@test "an ordinary user lacks only the layers that need root" {
	run as user "$BIN/cordon" doctor --json
	is 'set(n for n in L if not L[n]["holds"]) <= {"cgroup", "memfd"}'
	is '"root" in L["memfd"]["cause"]'
	is 'T["no-cgroup"] and T["no-userns"]'
}

# bats test_tags=long
@test "every canary notices when its layer is left out" {
	[ -x "$BIN/mutant/cordon" ] || skip "no mutant build"
	local n=0
	for l in $layers; do
		for who in $(everybody $((++n))); do
			run as "$who" env CORDON_WITHOUT="$l" "$BIN/mutant/cordon" doctor --json
			is "not L['$l']['holds'] and ('$l' in ('cgroup', 'memfd') or not T['no-cgroup'])"
		done
	done
}

@test "the shipped program has no layer left out by a variable" {
	run as root "$BIN/cordon" doctor --json
	local before
	before=$(ask 'sorted(n for n in L if L[n]["holds"])')
	run as root env CORDON_WITHOUT=userns,seccomp,landlock "$BIN/cordon" doctor --json
	[ "$before" = "$(ask 'sorted(n for n in L if L[n]["holds"])')" ]
}

@test "a filter that forbids user namespaces is named, and no-userns works" {
	for who in $(everybody); do
		run -125 as "$who" bash -c "$(declare -f without); without userns -- $BIN/cordon doctor --json"
		is 'not L["userns"]["holds"] and "seccomp filter around" in L["userns"]["cause"]'
		is 'L["netns"]["cause"] == "it depends on userns, which is missing"'
		is '"no-userns" in L["userns"]["cure"]'
		is 'not T["full"] and not T["no-cgroup"] and T["no-userns"]'
	done
}

@test "a container that does not know clone3 is no obstacle" {
	run as user bash -c "$(declare -f without); without clone3 -- $BIN/cordon doctor --json"
	is 'L["userns"]["holds"] and L["seccomp"]["holds"] and T["no-cgroup"]'
}

@test "without Landlock no tier works, and it says so" {
	run -125 as user bash -c "$(declare -f without); without landlock -- $BIN/cordon doctor --json"
	is 'not L["landlock"]["holds"] and "Landlock" in L["landlock"]["cause"]'
	is 'not any(T.values()) and "landlock" in C["no-userns"]'
}

@test "a limit of no user namespaces is named" {
	run -125 as user unshare -Ur sh -c \
		"echo 0 >/proc/sys/user/max_user_namespaces; exec $BIN/cordon doctor --json"
	is '"max_user_namespaces is 0" in L["userns"]["cause"]'
	is '"user.max_user_namespaces=" in L["userns"]["cure"] and not T["full"]'
}

@test "a chroot, in which there are no user namespaces, is named" {
	need_root
	mkdir -p "$T/root/proc" "$T/root/dev"
	cp "$BIN"/cordon{,-box,-probe} "$T/root/"
	# A build with sanitizers is not static.
	ldd "$BIN/cordon" 2>/dev/null | grep -o '/[^ ]*' | xargs -r cp --parents -Lt "$T/root"
	run -125 as root unshare -m sh -c "cd $T/root && mount -t proc proc proc &&
		mount -t tmpfs tmpfs dev && mknod -m 666 dev/null c 1 3 &&
		exec chroot . /cordon doctor --json"
	is '"chroot" in L["userns"]["cause"] and not T["full"] and not T["no-cgroup"]'
}

@test "a masked /proc, as in a container, is named" {
	need_root
	# For the kernel one complete /proc anywhere is enough, such as that of a chroot.
	run -125 as root unshare -m sh -c \
		"findmnt -rnt proc -o TARGET | grep -vx /proc | xargs -r umount -l
		mount --bind /dev/null /proc/kallsyms && exec $BIN/cordon doctor --json"
	is '"masked" in L["newroot"]["cause"] and not T["full"] and T["no-userns"]'
}

# Whoever asked for JSON gets JSON, also when there is nothing to tell but that.
@test "a doctor that fails says so in JSON" {
	mkdir "$BATS_TEST_TMPDIR/broken"
	cp "$BIN/cordon" "$BATS_TEST_TMPDIR/broken/"
	printf 'no program\n' >"$BATS_TEST_TMPDIR/broken/cordon-probe"
	chmod 755 "$BATS_TEST_TMPDIR/broken/cordon-probe"
	run --separate-stderr -125 as root "$BATS_TEST_TMPDIR/broken/cordon" doctor --json
	[ -z "$stderr" ]
	/usr/bin/python3 -c '
import json, sys
d = json.loads(sys.argv[1])
assert d["status"] == "error" and "cordon-probe" in d["error"]["message"], d' "$output"
	run --separate-stderr -125 as root "$BATS_TEST_TMPDIR/broken/cordon" doctor
	[ -z "$output" ] && [[ $stderr == "cordon: "*cordon-probe* ]]
}

@test "it is quick, and leaves no process, segment, mount, file or cgroup behind" {
	need_root
	# Boxes make their cgroups below their caller's: this one has some of its own.
	local c own groups=()
	for c in memory pids cpu; do
		own=/sys/fs/cgroup/$c$(sed -n "s/^[0-9]*:$c:\/*/\//p" /proc/self/cgroup)/doctor-test.$$
		! mkdir "$own" 2>/dev/null || groups+=("$own")
	done
	# With a /tmp, an IPC and a pid namespace of its own: other boxes may run on this machine.
	run as root unshare -mipf --mount-proc sh -c "
		for g in ${groups[*]}; do echo 0 >\$g/cgroup.procs; done
		mount --bind $BIN /mnt && mount -t tmpfs tmpfs /tmp && cd /mnt || exit
		sort /proc/self/mountinfo >/tmp/mounts
		start=\$(date +%s%N)
		./cordon doctor >/dev/null
		ms=\$(((\$(date +%s%N) - start) / 1000000))
		[ \$ms -lt 5000 ] || echo it took \$ms ms
		# The last cordon-box has said its word before it clears up.
		for i in \$(seq 100); do
			set -- /proc/[0-9]*
			[ \$# -gt 1 ] || break
			sleep 0.05
		done
		sort /proc/self/mountinfo | diff /tmp/mounts -
		ls /tmp | grep -vx mounts
		tail -n +2 /proc/sysvipc/shm
		for p in /proc/[0-9]*; do
			[ \$p = /proc/1 ] || [ ! -d \$p ] || cat \$p/status
		done"
	local said=$output
	for _ in 1 2 3 4 5 6 7 8; do
		run find "${groups[@]}" -mindepth 1 -type d
		[ -n "$output" ] || break
		sleep 0.5
	done
	rmdir "${groups[@]}"
	[ -z "$said$output" ] || { echo "$said$output"; return 1; }
}

@test "hosts that a rule names are reached and no others, and that is tried" {
	is_static
	for who in $(everybody); do
		run as "$who" "$BIN/cordon" doctor --json
		is 'd["net"] == {"holds": True, "cause": "", "cure": ""}'
		run as "$who" "$BIN/cordon" doctor
		grep -q -- '^  --net     holds ' <<<"$output"
	done
}

# bats test_tags=long
@test "doctor notices a cordon-egress that is missing, does nothing or refuses no connection" {
	is_static
	local other=$BATS_TEST_TMPDIR/other
	mkdir "$other"
	cp "$BIN"/cordon{,-box,-probe} "$other/"
	run as root "$other/cordon" doctor --json
	is 'not d["net"]["holds"] and "cordon-egress" in d["net"]["cause"] and d["net"]["cure"] != ""'
	cp /bin/true "$other/cordon-egress"
	run as root "$other/cordon" doctor --json
	is 'not d["net"]["holds"] and "did not start" in d["net"]["cause"]'
	cp "$BATS_TEST_DIRNAME/../egress/open" "$other/cordon-egress"
	run as root "$other/cordon" doctor --json
	is 'd["net"]["cause"] == "a host that no rule names was reached"'
}

# bats test_tags=long
@test "a box that connects without asking, or lacks a layer that --net depends on, is noticed" {
	is_static
	[ -x "$BIN/mutant/cordon" ] || skip "no mutant build"
	for who in $(everybody); do
		run as "$who" "$BIN/mutant/cordon" doctor --json
		is 'd["net"]["holds"]'
		run as "$who" env CORDON_WITHOUT=egress "$BIN/mutant/cordon" doctor --json
		is 'd["net"]["cause"] == "a host that no rule names was reached"'
		for l in netns seccomp landlock; do
			run as "$who" env CORDON_WITHOUT="$l" "$BIN/mutant/cordon" doctor --json
			is 'not d["net"]["holds"] and d["net"]["cause"] != ""'
		done
		run as "$who" env CORDON_WITHOUT=egress "$BIN/cordon" doctor --json
		is 'd["net"]["holds"]'
	done
}

@test "without a network of its own there is nothing to try, and it says so" {
	run as user bash -c "$(declare -f without); without userns -- $BIN/cordon doctor --json"
	is 'not d["net"]["holds"] and "neither works here" in d["net"]["cause"]'
}

@test "doctor --try reports the outcome, and needs a port" {
	run -1 as root "$BIN/cordon" doctor --try 1
	[ "$output" = "1: Connection refused" ]
	for word in 0 65536 x 80x -1; do
		run -125 as root "$BIN/cordon" doctor --try "$word"
		grep -q 'a port' <<<"$output"
	done
	run -125 as root "$BIN/cordon" doctor --try 1 --try 2 --try 3
}
