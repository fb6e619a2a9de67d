# SPDX-License-Identifier: MIT
# VAREK A5: a daemon that outlives the run.
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2):
            os.close(fd)
        time.sleep(30)
    os._exit(0)
os.wait()
print("HELD look outside", flush=True)
