/* SPDX-License-Identifier: MIT
 *
 * What is run, and which tool runs it: two tables, the only place a peer or a workload is named.
 * Every peer gets the same kind of box: own user, mount, pid, net, ipc and uts namespaces, /usr
 * read-only, private /proc, /dev and /tmp, an empty environment; otherwise its time says nothing.
 * A row must never make a peer slower than its own documentation would.
 */
#include "bench.h"

const struct work works[WORK_COUNT] = {
	[WORK_TRUE] = {"true", "/bin/true", "--lang binary /bin/true", NULL, "/bin/true, cold"},
	[WORK_PYTHON] = {"python", "/usr/bin/python3 -I -S -c pass",
			 "--lang binary /usr/bin/python3 -- -I -S -c pass", NULL,
			 "python3 -I -S -c pass, the same flags everywhere"},
	[WORK_SCRIPT] = {"script", "/usr/bin/python3 -I -", "--lang python {here}/pass.py",
			 "pass.py",
			 "a python script; cordon in its own python profile, the others read it "
			 "from stdin"},
	[WORK_JOB] = {"job", "/usr/bin/python3 -I -", "--lang python {here}/job.py", "job.py",
		      "a python script of 2 KB"},
	[WORK_ECHO] = {"echo", "/bin/echo ok", "--lang binary /bin/echo -- ok", NULL,
		       "proof that the tool runs its program"},
	[WORK_SLEEP] = {"sleep", "/usr/bin/sleep 2", "--lang binary /usr/bin/sleep -- 2", NULL,
			"a live sandbox that does nothing"},
	[WORK_INSIDE] = {"inside", "/usr/bin/python3 -I -", "--lang python {here}/inside.py",
			 "inside.py", "the speed of code inside"},
};

/* clang-format off */
#define BWRAP_BOX \
	"bwrap --unshare-all --die-with-parent --new-session --clearenv " \
	"--setenv PATH /usr/bin:/bin --setenv LANG C.UTF-8 --setenv HOME /tmp " \
	"--tmpfs / --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin " \
	"--symlink usr/lib /lib --ro-bind-try /lib64 /lib64 " \
	"--ro-bind /etc/alternatives /etc/alternatives " \
	"--ro-bind /etc/ld.so.cache /etc/ld.so.cache " \
	"--dev /dev --proc /proc --tmpfs /tmp --remount-ro / "
/* clang-format on */

const struct tool tools[] = {
	{"bare", "/bin/true", "{cmd}", 0, 1, "posix_spawn without any sandbox"},
	{"cordon", "{cordon}", "{cordon} run {box}", NEED_ROOT, 1, "every layer on, no gate"},
	{"cordon+gate", "{gated}", "{gated} run {box}", NEED_ROOT, 1,
	 "the same with the gate: rules, policy, a durable record before it starts"},
	{"cordon-no-cgroup+gate", "{gated}", "{gated} run --tier no-cgroup {box}", 0, 1,
	 "the next with the gate"},
	{"cordon-no-cgroup", "{cordon}", "{cordon} run --tier no-cgroup {box}", 0, 1,
	 "every layer but the cgroup: what an ordinary user has without delegation"},
	{"bwrap+filter", "bwrap", BWRAP_BOX "--seccomp 9 -- {cmd}", NEED_FILTER, 1,
	 "bubblewrap with Cordon's own filter"},
	{"bwrap", "bwrap", BWRAP_BOX "-- {cmd}", 0, 1, "bubblewrap without a filter"},
	{"unshare", "unshare",
	 "unshare --user --map-root-user --mount --pid --net --ipc --uts --fork "
	 "--kill-child --mount-proc {cmd}",
	 0, 1, "util-linux: namespaces only, the host's root, no filter"},
	{"crun", "crun",
	 "crun --root {scratch}/crun --cgroup-manager=disabled run "
	 "--bundle {scratch}/bundle-{work} {id}",
	 NEED_ROOT | NEED_BUNDLE | NEED_PURE_CGROUP, 2, "OCI runtime, no cgroup, no filter"},
	{"firejail", "firejail",
	 "firejail --quiet --noprofile --private-dev --private-tmp --net=none "
	 "--caps.drop=all --nonewprivs --seccomp -- {cmd}",
	 NEED_ACCOUNT, 20, "its own filter; on Debian the network namespace may be off"},
	{"runsc", "runsc",
	 "runsc --root {scratch}/runsc --network=none --ignore-cgroups run "
	 "--bundle {scratch}/bundle-{work} {id}",
	 NEED_ROOT | NEED_BUNDLE, 20, "gVisor: its own kernel"},
};

const size_t tools_count = sizeof(tools) / sizeof(tools[0]);
_Static_assert(sizeof(tools) / sizeof(tools[0]) <= TOOLS_MAX, "raise TOOLS_MAX");

const unsigned client_counts[CLIENT_ROWS] = {1, 2, 8};
