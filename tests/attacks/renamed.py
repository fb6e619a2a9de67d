# SPDX-License-Identifier: MIT
# VAREK case 3: a list of names does not help against a copy under another name.
import os, shutil, subprocess, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
for source in ("/bin/touch", "/usr/bin/python3", sys.executable):
    for where in (".", "/tmp", "/dev/shm"):
        copy = os.path.join(where, "notes.txt")
        try:
            shutil.copy(source, copy)
            os.chmod(copy, 0o755)
            subprocess.run([copy, args["outside"] + "/planted"], check=True)
        except Exception as error:
            print(source, where, type(error).__name__)
        else:
            print("ESCAPED", source, where)
            sys.exit(1)
print("HELD")
