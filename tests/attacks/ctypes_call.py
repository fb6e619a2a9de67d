# SPDX-License-Identifier: MIT
# VAREK cases 6 and 7: a raw system call through ctypes, with this machine's own number.
import ctypes, os, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
numbers = {"x86_64": {"ptrace": 101, "bpf": 321}, "aarch64": {"ptrace": 117, "bpf": 280}}
libc = ctypes.CDLL(None, use_errno=True)
result = libc.syscall(numbers[os.uname().machine][args["call"]], 0, 0, 0, 0)
print("ESCAPED" if result >= 0 else "HELD", result, os.strerror(ctypes.get_errno()))
