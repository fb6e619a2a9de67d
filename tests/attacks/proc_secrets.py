# SPDX-License-Identifier: MIT
# Look for secrets of the caller in /proc: environments, command lines, descriptors, links.
import glob, os, sys
found = []
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/task/*/environ"):
    try:
        with open(path, "rb") as file:
            if b"SECRET" in file.read():
                found.append(path)
    except OSError:
        pass
for path in glob.glob("/proc/*/fd/*"):
    try:
        if "secret" in os.readlink(path):
            found.append(path)
    except OSError:
        pass
if any("SECRET" in name for name in os.environ):
    found.append("environ")
print("ESCAPED" if found else "HELD", found)
sys.exit(bool(found))
