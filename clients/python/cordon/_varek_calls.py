# SPDX-License-Identifier: MIT
"""VAREK's default lists of system calls. A caller can compare its policy with them. The box enforces its own list,
which is more exact."""
from __future__ import annotations

from typing import FrozenSet

ALLOW: FrozenSet[str] = frozenset("""
access arch_prctl brk clock_getres clock_gettime clock_nanosleep clone clone3 close close_range dup dup2
dup3 epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 exit exit_group faccessat faccessat2 fcntl
fdatasync fork fstat fsync futex get_robust_list getcwd getdents getdents64 getegid geteuid getgid
getpid getppid getrandom getrlimit gettid gettimeofday getuid ioctl kill lseek lstat madvise membarrier
mlock mmap mprotect mremap munlock munmap nanosleep newfstatat open openat openat2 pipe pipe2 poll ppoll
pread64 prlimit64 pselect6 pwrite64 read readlink readlinkat readv rseq rt_sigaction rt_sigprocmask
rt_sigreturn rt_sigsuspend sched_getaffinity sched_getparam sched_getscheduler sched_yield select
set_robust_list set_tid_address sigaltstack stat statx sysinfo tgkill time timerfd_create
timerfd_settime uname vfork wait4 waitid write writev
""".split())
NETWORK: FrozenSet[str] = frozenset("""
accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmsg sendmsg sendto
setsockopt shutdown socket socketpair
""".split())
KILL: FrozenSet[str] = frozenset("""
add_key bpf chroot delete_module finit_module init_module io_uring_setup ioperm iopl kcmp
kexec_file_load kexec_load keyctl mount perf_event_open pivot_root process_vm_readv process_vm_writev
ptrace reboot request_key setns umount2 unshare userfaultfd
""".split())
