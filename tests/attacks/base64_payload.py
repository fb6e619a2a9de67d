# SPDX-License-Identifier: MIT
# VAREK case 2: the words that a scanner looks for exist only at run time.
import base64, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
hidden = base64.b64encode(b"__import__('subprocess').run(['/bin/touch', canary], check=True)")
try:
    exec(base64.b64decode(hidden), {"canary": args["outside"] + "/planted"})
except Exception as error:
    print("HELD", type(error).__name__, error)
else:
    print("ESCAPED")
    sys.exit(1)
