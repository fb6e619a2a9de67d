/* SPDX-License-Identifier: MIT
 *
 * The table of boilerplate. A row must have no effect: it must never contain a call that an attacker
 * would want to hide.
 */
#include "trust/evidence/boilerplate.h"

#include <string.h>

#include "base/scope.h"
#include "trust/evidence/winnow.h"

static const char *const rows[] = {
	/* Licences. */
	"Permission is hereby granted, free of charge, to any person obtaining a copy of this "
	"software and associated documentation files (the Software), to deal in the Software "
	"without restriction, including without limitation the rights to use, copy, modify, merge, "
	"publish, distribute, sublicense, and/or sell copies of the Software, and to permit "
	"persons to whom the Software is furnished to do so, subject to the following conditions: "
	"The above copyright notice and this permission notice shall be included in all copies or "
	"substantial portions of the Software.",
	"THE SOFTWARE IS PROVIDED AS IS, WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, "
	"INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR "
	"PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE "
	"FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR "
	"OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER "
	"DEALINGS IN THE SOFTWARE.",
	"Licensed under the Apache License, Version 2.0 (the License); you may not use this file "
	"except in compliance with the License. You may obtain a copy of the License at "
	"http://www.apache.org/licenses/LICENSE-2.0 Unless required by applicable law or agreed to "
	"in writing, software distributed under the License is distributed on an AS IS BASIS, "
	"WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License "
	"for the specific language governing permissions and limitations under the License.",
	"This program is free software; you can redistribute it and/or modify it under the terms "
	"of the GNU General Public License as published by the Free Software Foundation; either "
	"version 2 of the License, or (at your option) any later version.",
	"This program is free software: you can redistribute it and/or modify it under the terms "
	"of the GNU General Public License as published by the Free Software Foundation, either "
	"version 3 of the License, or (at your option) any later version.",
	"This library is free software; you can redistribute it and/or modify it under the terms "
	"of the GNU Lesser General Public License as published by the Free Software Foundation; "
	"either version 2.1 of the License, or (at your option) any later version.",
	"is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even "
	"the implied warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU "
	"General Public License for more details.",
	"FITNESS FOR A PARTICULAR PURPOSE. See the GNU Lesser General Public License for more "
	"details.",
	"You should have received a copy of the GNU General Public License along with this "
	"program; "
	"if not, write to the Free Software Foundation, Inc., 51 Franklin Street, Fifth Floor, "
	"Boston, MA 02110-1301 USA",
	"You should have received a copy of the GNU General Public License along with this "
	"program. "
	"If not, see <http://www.gnu.org/licenses/>.",
	"You should have received a copy of the GNU Lesser General Public License along with this "
	"library. If not, see <https://www.gnu.org/licenses/>.",
	"Redistribution and use in source and binary forms, with or without modification, are "
	"permitted provided that the following conditions are met: Redistributions of source code "
	"must retain the above copyright notice, this list of conditions and the following "
	"disclaimer. Redistributions in binary form must reproduce the above copyright notice, "
	"this list of conditions and the following disclaimer in the documentation and/or other "
	"materials provided with the distribution.",
	"THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS AS IS AND ANY EXPRESS "
	"OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF "
	"MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL "
	"THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, "
	"SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT "
	"OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) "
	"HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR "
	"TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS "
	"SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.",
	"SPDX-License-Identifier: Apache-2.0",
	"SPDX-License-Identifier: GPL-2.0-or-later",
	"SPDX-License-Identifier: BSD-3-Clause",
	/* Beginnings of addresses; the rest of the address is an atom. */
	"https://en.wikipedia.org/wiki/",
	"https://stackoverflow.com/questions/",
	"https://docs.python.org/3/library/",
	"https://docs.microsoft.com/en-us/library/",
	"https://learn.microsoft.com/en-us/dotnet/",
	"https://developer.mozilla.org/en-US/docs/Web/",
	/* First and last lines. */
	"#!/usr/bin/env python3 # -*- coding: utf-8 -*- import argparse import json import os "
	"import "
	"sys",
	"if __name__ == '__main__': main()",
	"if __name__ == '__main__': sys.exit(main())",
	"if __name__ == '__main__': unittest.main()",
	"from __future__ import annotations import argparse",
	"from typing import Any, Dict, List, Optional, Tuple, Union",
	"from dataclasses import dataclass, field from typing import",
	"from datetime import datetime, timedelta from pathlib import Path",
	"from collections import defaultdict, Counter, OrderedDict",
	"import os import sys import re import json import time import datetime",
	"import json import os import re import sys import time import logging import argparse",
	"import numpy as np import pandas as pd import matplotlib.pyplot as plt import seaborn as "
	"sns",
	"import pandas as pd import numpy as np import matplotlib.pyplot as plt",
	"import matplotlib matplotlib.use('Agg') import matplotlib.pyplot as plt import numpy as "
	"np",
	"import argparse import logging import os import sys",
	"parser = argparse.ArgumentParser(description=__doc__) args = parser.parse_args()",
	"logging.basicConfig(level=logging.INFO) logger = logging.getLogger(__name__)",
	"plt.figure(figsize=(10, 6)) plt.tight_layout() plt.legend() plt.grid(True) plt.show()",
	"plt.figure(figsize=(12, 6)) plt.figure(figsize=(8, 6)) fig, ax = "
	"plt.subplots(figsize=(10, 6))",
	"raise NotImplementedError() raise NotImplementedError('Subclasses must implement this')",
	"#!/usr/bin/env bash set -euo pipefail",
	"SCRIPT_DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"",
	"export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	"<!DOCTYPE html> <html lang=\"en\"> <head> <meta charset=\"UTF-8\"> <meta "
	"name=\"viewport\" "
	"content=\"width=device-width, initial-scale=1.0\"> <title>",
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
	"0123456789abcdefghijklmnopqrstuvwxyz 0123456789abcdefABCDEF",
	"Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt "
	"ut labore et dolore magna aliqua.",
	"The quick brown fox jumps over the lazy dog",
};

int boilerplate_prints(struct prints *ret, struct err *err)
{
	AUTO_CANON struct canon c = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (canon_text(&c, rows[i], strlen(rows[i]), err) < 0)
			return -1;
		winnow_all(&c, ret);
	}
	for (size_t i = 0; i < ret->count; i++)
		ret->list[i] = PRINT(ret->list[i], 0); /* the place is not needed */
	return prints_sort(ret, 1, err);
}

bool boilerplate_has(const struct prints *common, uint64_t hash)
{
	size_t at = prints_seek(common->list, common->count, 0, hash);

	return at < common->count && PRINT_HASH(common->list[at]) == hash;
}
