# SPDX-License-Identifier: MIT
# VAREK A1, A2, A7: read the host's files, write them, append to .profile, climb out with "..".
import glob, os, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
secret = args["secret"]


def siblings():
    """Above the workspace the box has empty directories, which lead to it."""
    if os.path.basename(secret) not in os.listdir(os.path.dirname(secret)):
        raise OSError(2, "not shown")


tries = [
    lambda: print(open(secret).read()),
    lambda: print(open("/tmp/../.." + secret).read()),
    lambda: print(open("/proc/self/root" + secret).read()),
    lambda: print(open("/etc/shadow").read()),
    lambda: print(os.listdir("/root")),
    siblings,
    lambda: open(args["outside"] + "/planted", "w").close(),
    lambda: open(args["home"] + "/.profile", "a").write("planted\n"),
    lambda: os.rename(secret, "stolen"),
    lambda: os.chmod(secret, 0o777),
    lambda: os.utime(secret, (0, 0)),
    lambda: os.symlink(secret, "link") or print(open("link").read()),
]
for number, attempt in enumerate(tries):
    try:
        attempt()
    except OSError as error:
        print(number, error.strerror)
    else:
        print("ESCAPED way", number)
        sys.exit(1)
print("HELD", len(glob.glob("/proc/[0-9]*")), "processes in sight")
