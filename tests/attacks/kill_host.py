# SPDX-License-Identifier: MIT
# VAREK A3 and A10: kill a process of the host, and our own supervisor.
import os, signal, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
for pid in (int(args["victim"]), os.getppid()):
    try:
        if pid > 1:
            os.kill(pid, signal.SIGKILL)
    except OSError as error:
        print(pid, error.strerror)
    else:
        if pid > 1:
            print("ESCAPED killed", pid)
            sys.exit(1)
print("HELD")
