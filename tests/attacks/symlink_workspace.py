# SPDX-License-Identifier: MIT
# Links and odd names planted in the workspace for programs that read it later.
import os, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
os.symlink(args["secret"], "README.md")
os.symlink("../../../../../../etc", "etc")
os.makedirs("a" * 200 + "/" + "b" * 200)
with open("line\nbreak\r\x1b[2K", "w") as file:
    file.write("x")
try:
    print("ESCAPED", open("README.md").read())
    sys.exit(1)
except OSError as error:
    print("HELD", error.strerror)
