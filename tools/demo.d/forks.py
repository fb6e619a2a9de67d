# SPDX-License-Identifier: MIT
# A fork bomb: every process makes more of them until the kernel says no. The first one tells.
import os
import signal
import sys
import time

first = os.getpid()
try:
    while True:
        os.fork()
except OSError as error:
    if os.getpid() != first:
        signal.pause()
    time.sleep(0.3)  # the others fill what is left
    sys.exit(f"fork: {error}")
