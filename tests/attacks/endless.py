# SPDX-License-Identifier: MIT
# VAREK case 9: neither a signal nor a polite request ends this.
import signal, time
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
end = time.monotonic() + 20
while time.monotonic() < end:
    pass
print("ESCAPED")
