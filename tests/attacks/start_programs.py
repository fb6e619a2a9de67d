# SPDX-License-Identifier: MIT
# VAREK case 1: the plain ways to start a program from Python; the canary is a file outside.
import os, subprocess, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
canary = args["outside"] + "/planted"
tries = [
    lambda: subprocess.run(["/bin/touch", canary], check=True),
    lambda: subprocess.run("echo x > " + canary, shell=True, check=True),
    lambda: subprocess.check_output(["/bin/sh", "-c", "id"]),
    lambda: os.system("touch " + canary) and 1 / 0,
    lambda: os.popen("id").read() or 1 / 0,
    lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "id"], {}) and None,
]
for number, attempt in enumerate(tries):
    try:
        attempt()
    except Exception as error:
        print(number, type(error).__name__, error)
    else:
        print("ESCAPED way", number)
        sys.exit(1)
print("HELD")
