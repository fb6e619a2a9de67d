/* SPDX-License-Identifier: MIT
 *
 * Canaries for capabilities, no_new_privs and unreadable memory. Where possible, each attack is first tried
 * without the layer: if it failed there too, it would prove nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/sys.h"
#include "probe/probe.h"

/* ---- caps ---- */

static int name_host(void)
{
	return sethostname("cordon-canary", 13);
}

static int raise_caps(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct all[2] = {{~0U, ~0U, 0}, {0x1ff, 0x1ff, 0}};

	return (int)syscall(SYS_capset, &head, all);
}

static int leave_space(void)
{
	return unshare(CLONE_NEWNS);
}

static int change_root(void)
{
	return chroot("/");
}

static const struct {
	const char *what;
	int (*try)(void);
} powers[] = {{"it took capabilities back", raise_caps},
	      {"it named its host", name_host},
	      {"it made a namespace", leave_space},
	      {"it changed its root", change_root}};

static int in_caps(struct probe *p, struct err *err)
{
	if (probe_become(p, err) < 0)
		return -1;
	/* In a UTS namespace of its own it may set the host name until its capabilities are dropped. */
	if ((p->box.layers & LAYER_BIT(LAYER_UTSNS)) && name_host() < 0)
		return probe_untried(err, "using a capability before it is dropped");
	if (creds_drop(&p->box, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(powers); i++)
		if (powers[i].try() == 0 || errno != EPERM)
			return probe_leak(err, "%s", powers[i].what);
	return 0;
}

int probe_caps(struct probe *p, struct err *err)
{
	uint32_t wanted = probe_usual_spaces(p);

	if (wanted)
		wanted |= p->proven & LAYER_BIT(LAYER_UTSNS);
	return probe_child(p, wanted, &(struct probe_part){.inside = in_caps}, err);
}

/* ---- nnp ---- */

/* A filter that allows all calls. The kernel accepts it only from a process that cannot gain privileges. */
static int load_any_filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = {1, &allow};

	return sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog);
}

static int in_nnp(struct probe *p, struct err *err)
{
	if (probe_become(p, err) < 0)
		return -1;
	bool inherited = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
	if (!inherited && load_any_filter() == 0) {
		errno = EINVAL;
		return probe_untried(err, "a filter is accepted without it");
	}
	if (creds_drop(&p->box, err) < 0)
		return -1;
	if (load_any_filter() < 0)
		return errno == EACCES
			       ? probe_leak(err, "to the kernel it could still gain privileges")
			       : probe_untried(err, "loading a filter");
	if (prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return probe_leak(err, "it switched no_new_privs off");
	return 0;
}

int probe_nnp(struct probe *p, struct err *err)
{
	/* Outside a user namespace: inside, CAP_SYS_ADMIN would be enough to load a filter. */
	p->spec.tier = TIER_NO_USERNS;
	return probe_child(p, 0, &(struct probe_part){.inside = in_nnp}, err);
}

/* ---- dumpable ---- */

/* Runs in a grandchild: same user, no capability on either side. Returns how many reads succeeded. */
static int spy(pid_t victim, char *memory)
{
	static const char *const files[] = {"environ", "mem", "maps"};
	struct iovec local = {memory, 1}, remote = {memory, 1};
	char path[64];
	int got = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", victim, files[i]);
		got += open(path, O_RDONLY | O_CLOEXEC) >= 0;
	}
	got += process_vm_readv(victim, &local, 1, &remote, 1, 0) == 1;
	return got;
}

static int count_leaks(char *memory, struct err *err)
{
	pid_t self = getpid(), pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(spy(self, memory));
	if (pid < 0)
		return probe_untried(err, "starting a process");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return probe_untried(err, "waiting for a process");
	return WIFEXITED(status) ? WEXITSTATUS(status) : probe_untried(err, "the spy died");
}

static int in_dumpable(struct probe *p, struct err *err)
{
	char secret = 's';

	if (probe_become(p, err) < 0 || creds_drop(&p->box, err) < 0)
		return -1;
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	int n = count_leaks(&secret, err);
	if (n < 0)
		return -1;
	if (n == 0) {
		errno = EPERM;
		return probe_untried(err, "reading a process that is not hidden");
	}
	if (box_wants(&p->box, LAYER_DUMPABLE) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_errno(err, ERR_LAYER, "hiding a process");
	n = count_leaks(&secret, err);
	return n > 0 ? probe_leak(err, "it read another process's memory") : n;
}

int probe_dumpable(struct probe *p, struct err *err)
{
	return probe_child(p, probe_usual_spaces(p), &(struct probe_part){.inside = in_dumpable},
			   err);
}
