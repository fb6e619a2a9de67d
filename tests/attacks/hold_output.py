# SPDX-License-Identifier: MIT
# VAREK A5: the parent ends, its child keeps standard output open.
import os, signal, time
if os.fork() == 0:
    os.setsid()
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_IGN)
    time.sleep(30)
    os._exit(0)
print("HELD a child holds the pipe", flush=True)
