# SPDX-License-Identifier: MIT
# VAREK case 4: replace ourselves. If it works, the shell says so in our stead.
import os, sys
for call in (os.execv, os.execvp):
    try:
        call("/bin/sh", ["sh", "-c", "echo ESCAPED; exit 1"])
    except OSError as error:
        print(error)
print("HELD")
