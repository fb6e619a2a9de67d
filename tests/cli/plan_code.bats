#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034
# What makes code of its inputs is no plan, and what hands over data is one: a row for each way.
load helper
load story
load plan
load scan

makes_code() {
	WAY=${WAYS%% *}
	talk "$WAY"
	rows 126 py <<-'END'
		import sys\nsys.path.insert(0, "/workspace")\nimport helper\n
		from sys import path as p\np.append("/workspace")\nimport helper\n
		import sys\nsys.path += ["/workspace"]\n
		import sys\nsys.path[:0] = ["lib"]\n
		import sys\ngetattr(sys, "pa" + "th").append("lib")\n
		import logging\nlogging.sys.path.append("lib")\n
		import sys\nsys.meta_path.append(sys.argv)\n
		import sys\nsys.modules["csv"] = open\n
		import timeit\ntimeit.timeit(open("x").read())\n
		import site\nsite.addsitedir("/workspace")\n
		import runpy\nrunpy.run_path("x.py")\n
		import cProfile\ncProfile.run(open("x").read())\n
		import trace\ntrace.Trace().run(open("x").read())\n
		import bdb\nbdb.Bdb().run(open("x").read())\n
		import unittest\nunittest.main(module=None, argv=["x", "discover"])\n
		import pkgutil\npkgutil.resolve_name("x:y")\n
		from importlib.machinery import SourceFileLoader\nSourceFileLoader("x", "x.py").load_module()\n
		import zipimport\nzipimport.zipimporter("x.zip")\n
		import logging.config\nlogging.config.fileConfig("x.ini")\n
		from logging import config\nconfig.fileConfig("x.ini")\n
		import yaml\nyaml.load_all(open("x"), yaml.Loader)\n
		import asyncio\nasyncio.run(asyncio.create_subprocess_shell(open("x").read()))\n
		from os import *\nsystem(open("x").read())\n
		from math import *\nprint(sin(pi))\n
		from yaml import *\nprint(Loader(open("x")).get_single_data())\n
		import functools\nf = functools.singledispatch(print)\ndef g(x): pass\ng.__annotations__["x"] = input()\nf.register(g)\n
		tb_frame = None\ntry: 1 / 0\nexcept Exception as e: print(e.__traceback__.tb_frame)\n
		import json\nprint(json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.decoder.json.loads)\n
		import numpy.lib.format\nnumpy.lib.format.read_array(open("x", "rb"), True)\n
		import os\nos.execv("/bin/sh", ["sh", "x"])\n
		import doctest\ndoctest.testfile("x.txt")\n
		import subprocess\nsubprocess.run(["bash", "x.sh"])\n
		import subprocess\nsubprocess.run([open("x").read()])\n
		import subprocess\nsubprocess.run(["/workspace/python3", "x"])\n
		import pandas\npandas.read_csv("x.csv", converters={"a": eval})\n
		import pandas\npandas.read_csv("x.csv").query(open("q").read())\n
		import numpy\nnumpy.load("x.npy", allow_pickle=True)\n
		import pickle\nclass U(pickle.Unpickler): pass\nU(open("x", "rb")).load()\n
		print(list(map(eval, open("x"))))\n
		import sqlite3\nsqlite3.connect(":memory:").load_extension("/workspace/x")\n
		import os\nfor name in open("x"): getattr(os, name)()\n
		import six\nsix.exec_(open("x").read())\n
		breakpoint()\n
		import inspect\nprint(inspect.signature(print, eval_str=True))\n
		import typing\ntyping.ForwardRef(open("x").read())._evaluate({}, {}, frozenset())\n
		import yaml\nyaml.Loader(open("x")).get_single_data()\n
		import sys\nprint.__self__.__dict__[sys.argv[1]](sys.stdin.read())\n
		import os, sys\nos.__dict__[sys.argv[1]](sys.stdin.read())\n
		import inspect, os, sys\ndict(inspect.getmembers(os))[sys.argv[1]]()\n
		import sys\nsetattr(sys, "path", ["lib"])\nimport csv\n
		import os\nlist(map(os.system, open("x")))\n
		import atexit, os\natexit.register(os.popen, open("x").read())\n
		import os, sys\nvars(os)[sys.argv[1]](sys.stdin.read())\n
		import importlib.metadata as m\nfor e in m.entry_points(): e.load()\n
		import importlib.metadata\nimportlib.util.module_from_spec(input())\n
		import os\nx = os\nx.system(input())\n
		import os\nfor m in [os]: m.execv(input(), [])\n
		globals()[input()]()\n
		print(().__class__.__base__.__subclasses__()[int(input())])\n
		import gc\nprint(gc.get_objects()[int(input())])\n
		import inspect\ninspect.currentframe().f_globals[input()]()\n
		import operator, sys\noperator.attrgetter(input())(sys.stdin)\n
		import enum\nenum.bltns.compile(input(), "x", "exec")\n
		import json\njson.codecs.builtins.compile(input(), "x", "exec")\n
		import types\nf = types.FunctionType\n
		class A:\n  import os\nA.os.execv(input(), [])\n
		import json as j\nif input(): import os as j\nj.system(input())\n
		def f():\n  global s\n  from os import system as s\nf()\ns(input())\n
		import asyncio\nasyncio.get_event_loop().subprocess_shell(None, input())\n
		import subprocess\nsubprocess.run("wc -l " + input(), shell=True)\n
		import subprocess\nsubprocess.run(["wc", input()], shell=True)\n
		import subprocess\nsubprocess.run("wc -l x", shell=input())\n
		import subprocess\nsubprocess.run(**{"args": ["wc", input()]})\n
		import subprocess\nsubprocess.run(["env", input()])\n
		import subprocess\nsubprocess.run(["wc"], executable=input())\n
		import os\nos.execv("/bin/" + input(), ["x"])\n
		import os\nos.environ[input()] = "x"\n
		import os\nos.environ["PATH"] = input()\n
		match int:\n  case type(__subclasses__=s): s()\n
		from os import *\nexecv(input(), [])\n
		import statsmodels.formula.api as smf\nsmf.ols(input(), data=None)\n
		import typing\ntyping.get_type_hints(input)\n
		import tracemalloc\ntracemalloc.Snapshot.load(input())\n
		import string, sys\nstring.Formatter().get_field(input(), [sys.stdin], {})\n
		import markdown\nmarkdown.markdown("x", extensions=[input()])\n
		import subprocess\nsubprocess.run(["ls"], env={"PATH": input()})\n
		import subprocess\nsubprocess.run(["ls"], env={"PATH": "/workspace"})\n
		import os, subprocess\nsubprocess.run(["ls"], env=dict(os.environ, A="1"))\n
		import os\ne = os.environ\ne[input()] = input()\n
		import os\ne = os.environ.copy()\n
		import os\nos.environ["TZ"] = input()\n
		import os\nos.environ["TZ"], x = input(), 1\n
		import os\nfor os.environ["TZ"] in input(): pass\n
		import os\nprint(os.environ[input()], os.getenv("A"))\n
		import os\nprint(os.getenv(input()))\n
		import subprocess, sys\nsubprocess.Popen(["ls"], -1, sys.argv[1])\n
		import subprocess, sys\nsubprocess.Popen(["ls", sys.argv[1]], -1, sys.argv[1])\n
		import sys\ndef system(x): pass\ndef f(o): o.system(sys.argv[1])\n
		import pandas as pd, sys\ndf = pd.read_csv("x.csv")\nprint(df.agg(sys.argv[1]))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nname = df.columns[0]\nprint(df.groupby("a").aggregate([name, "sum"]))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.rolling(3).apply(input()))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.transform({"a": df["b"][0]}))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.apply(func=input()))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.agg(**{"a": input()}))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.groupby("a").agg(n=("b", input())))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.pivot_table(index="a", aggfunc=input()))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\ndf.plot(backend=input())\n
		import pandas as pd\ndf = pd.read_csv("x.csv", engine=input())\n
		import pandas as pd\npd.set_option("plotting.backend", input())\n
		import pandas as pd\npd.options.plotting.backend = input()\n
		import pandas as pd\ndef f(x): return x\nf = input()\nprint(pd.read_csv("x.csv").apply(f))\n
		from pandas.io.formats.style import Styler\nStyler.from_custom_template("templates", "x.tpl")\n
		import matplotlib.pyplot as plt\nplt.style.use(input())\n
		import matplotlib.pyplot as plt\nplt.style.use("./my.mplstyle")\n
		import matplotlib.pyplot as plt\nplt.rc("axes", prop_cycle=input())\n
		import matplotlib\nmatplotlib.rc_file("x")\n
		import matplotlib\nmatplotlib.rc_params_from_file("x")\n
		import matplotlib.pyplot as plt\nwith plt.rc_context({"axes.prop_cycle": input()}): plt.plot([1])\n
		import matplotlib.pyplot as plt\nplt.rcParams["axes.prop_cycle"] = input()\n
		import matplotlib.pyplot as plt\nplt.rcParams[input()] = 3\n
		from matplotlib import rcParams\nrcParams.update({"axes.prop_cycle": input()})\n
		import matplotlib as mpl\np = mpl.rcParams\np["axes.prop_cycle"] = input()\n
		import matplotlib.pyplot as plt\nwith plt.style.context({"axes.prop_cycle": input()}): plt.plot([1])\n
		import matplotlib.pyplot as plt\nwith plt.style.context("/workspace/x.mplstyle"): plt.plot([1])\n
		from matplotlib.style import context\nwith context("./x.mplstyle"): pass\n
		from matplotlib.style import use as wear\nwear("./x.mplstyle")\n
		import matplotlib.pyplot as plt\nplt.style.use(style="./x.mplstyle")\n
		import matplotlib.pyplot as plt\nwith plt.rc_context(fname="x.rc"): plt.plot([1])\n
		import matplotlib\nwith matplotlib.rc_context(None, "x.rc"): pass\n
		import matplotlib\nmatplotlib.RcParams({"axes.prop_cycle": input()})\n
		import matplotlib\nmatplotlib.rcsetup.validate_cycler(input())\n
		import matplotlib\nmatplotlib.rcParamsDefault["axes.prop_cycle"] = input()\n
		import matplotlib.pyplot as plt\nplt.savefig("a.png", backend=input())\n
		import pandas as pd, json\npd.read_csv("x.csv").plot(**json.load(open("o.json")))\n
		import pandas as pd\nk = {"backend": input()}\npd.read_csv("x.csv").plot(**k)\n
		import pandas as pd\nk = {}\nk["backend"] = input()\npd.read_csv("x.csv").plot(**k)\n
		import pandas as pd\nk = {}\nk[input()] = input()\npd.read_csv("x.csv").plot(**k)\n
		import pandas as pd\nk = dict(backend=input())\npd.read_csv("x.csv").plot(**k)\n
		import pandas as pd\nk = {}\nk.update(input())\npd.read_csv("x.csv").plot(**k)\n
		import pandas as pd\nfor k in [input()]: pd.read_csv("x.csv").plot(**k)\n
		import pandas as pd\npd.read_csv("x.csv").hist(None, None, True, None, None, None, None, None, False, False, None, None, 10, input())\n
		import pandas as pd\npd.DataFrame.agg(pd.read_csv("x.csv"), input())\n
		import numpy as np\nnp.info("x", toplevel=input())\n
		import numpy as np\nfor read in (np.load,):\n    print(read("d.npz", None, True)["a"].shape)\n
		import numpy as np, pandas as pd\npd.Series(["d.npz"]).apply(np.load, args=(None, True))\n
		import numpy as np\nnp.frompyfunc(np.load, 3, 1)("d.npz", None, True)\n
		import numpy as np\nclass R: how = staticmethod(np.load)\nR.how("d.npz", None, True)\n
		import matplotlib.pyplot as plt\nplt.np.load("d.npz", None, True)\n
		import matplotlib.pyplot as plt\nprint(plt.Figure.np.load("d.npz", None, True))\n
		from matplotlib.pyplot import np\nnp.load("d.npz", None, True)\n
		import matplotlib.cm\nmatplotlib.cm.np.load("d.npz", None, True)\n
		import pandas as pd\npd.io.common.import_optional_dependency("pickle").load(open("p", "rb"))\n
		from pandas.compat._optional import import_optional_dependency as f\nf(open("d").read())\n
		import pandas as pd\npd.io.formats.style.jinja2.Template(open("t").read()).render()\n
		import numpy as np\nprint(np.memmap("p", dtype=object, mode="r", shape=(1,))[0])\n
		import numpy as np\nprint(np.ndarray((1,), object, open("d", "rb").read())[0])\n
		import numpy as np\nprint(np.rec.fromstring(open("d", "rb").read(), dtype=[("a", "O")]))\n
		import numpy as np\nprint(np.lib.stride_tricks.as_strided(np.zeros(1), (9,), (8,)))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.pivot_table("a", "b", "c", df.x[0]))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(pd.pivot_table(df, "a", "b", "c", df.x[0]))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(pd.crosstab(df.a, df.b, df.c, None, None, df.x[0]))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.groupby("a").agg(n=pd.NamedAgg("b", df.x[0])))\n
		import functools\nfunctools.update_wrapper(print, len, input())\n
		import subprocess\nsubprocess.run(args=["bash", "x.sh"])\n
		import os\nos.environ.update({"PATH": "/workspace"})\n
	END
	rows 126 sh <<-'END'
		bash /workspace/x.sh\n
		if true; then sh x; fi\n
		f() { dash x; }\nf\n
		function f { /bin/bash x; }\nf\n
		read l; $l\n
		read l; "$l" x\n
		read l; trap "$l" EXIT\n
		. ./x\n
		sed -f x.sed table\n
		read l; sed "$l" table\n
		sed 's/.*/ls &/e' table\n
		awk -f x.awk table\n
		read l; awk "$l" table\n
		awk '{ system($0) }' table\n
		awk '{ print | "sh" }' table\n
		find . -exec sh {} \\;\n
		find . -name '*.sh' | xargs sh\n
		ls | xargs sed -i s/a/b/\n
		xargs -I{} env {}\n
		while read a b; do s=$((s + b)); done <table\n
		read a; (( a > 1 )) && echo more\n
		read a; let s=a\n
		read a; [[ $a -gt 1 ]] && echo more\n
		read a; echo ${x[a]}\n
		read a; echo ${x[$a]}\n
		read a; echo ${x:a}\n
		read a; echo ${!a}\n
		read a; declare "$a"\n
		read a; printf -v "$a" x\n
		mapfile -c 1 -C "$x" rows <table\n
		coproc bash x\n
		read a; echo "${a@P}"\n
		read PS4; set -x; ls\n
		read a; env -S "$a"\n
		mapfile -t x <table; "${x[0]}"\n
		timeout 5 nice bash x\n
		command . x\n
		exec bash x\n
		bash <<<"$(cat x)"\n
		node x.js\n
		read n; echo "${s:0:$n}"\n
		read n; echo ${s::n}\n
		read n; echo ${s: n}\n
		read n; echo ${s:(n)}\n
		read n; echo ${s:${n}}\n
		read n; echo "${@:n}"\n
		read n; echo "${a[@]:n}"\n
		read n; a[${n}]=1\n
		read n; a[n+1]=1\n
		read n; a[${b[0]}]+=1\n
		read n; echo ${a["$n"]}\n
		read n; echo ${a[-n]}\n
		echo ${a[$(cat x)]}\n
		read n; a=([n]=1)\n
		a=([$(cat x)]=1)\n
		read n; declare -a a=([$n]=1)\n
		read n; declare -ri m=$n\n
		read n; declare -n r=$n; echo $r\n
		f() { local -n r=$1; echo "$r"; }\nf "$(cat x)"\n
		read l; declare -g "$l"\n
		export "$(cat x)"\n
		read n; RANDOM=$n\n
		sed 's|a|b|e' x\n
		sed 1e x\n
		awk '{\n system($0)\n}' x\n
		awk '{ print | $0 }' x\n
		xargs timeout 5 <x\n
		xargs split <x\n
		split --f=sh x\n
		cat <<END\n$(bash x)\nEND\n
		f() (bash x)\nf\n
		echo ${s/$(bash x)/}\n
		sed --expression='s/x/y/e' x\n
		sed '$e' x\n
		sed '2e date' x\n
		sed '/x/e' x\n
		sed 's_a_b_e' x\n
		sed "s:a:b:ge" x\n
		sed 's/a/b/Ie' x\n
		sed -ne 's/a/b/p;e' x\n
		sed -e 1d -e e x\n
		sed 'y/a/b/;e' x\n
		awk -F'|' '{ system($0) }' x\n
		awk -F '|' '{ print | $0 }' x\n
		awk '@include "x"' y\n
		awk -i x '{}' y\n
		read l; PATH=$l wc x\n
		read PATH <x; wc y\n
		read l; LD_PRELOAD=$l wc x\n
		enable -f ./x.so x\n
		hash -p ./x wc; wc y\n
		read l; bind -x "$l"\n
		read l; getopts a "$l"\n
		read l; wait -p "$l"\n
		shopt -s expand_aliases; alias wc=./x\n
		read l; fc -s "$l"\n
		sed -l 70 's/^/ /e' x\n
		sed --line-length 70 's/^/ /e' x\n
		sed --e='s/^/ /e' x\n
		sed ':a e date' x\n
		sed 's/[/]/a/e' x\n
		sed p *.csv\n
		sed >out p x -e e\n
		awk '{ print|$0 }' x\n
		awk '{ if (1) /"/; print | "sh"; /"/ }' x\n
		awk --include=x '{}' y\n
		awk -l x '{}' y\n
		awk '{ "date" |getline }' y\n
		read l; command eval "$l"\n
		read l; builtin eval "$l"\n
		builtin source x\n
	END
}
@test "what makes code of its inputs is no plan" { makes_code; }

hands_over() {
	WAY=${WAYS%% *}
	talk "$WAY"
	rows 0 py <<-'END'
		import csv, json, re, sys\nprint(re.compile("a").match(open(sys.argv[1]).read()))\n
		import pandas as pd\ndf = pd.read_csv("x.csv").query("a > 1")\nprint(df.describe())\n
		import numpy as np, matplotlib.pyplot as plt\nplt.plot(np.loadtxt("x"))\n
		import pandas as pd\ndef f(*all): return len(all)\nx = pd.read_csv("x.csv")\nprint(f(x, x, x, x, x, x, x, x, x, x, x, x))\n
		import numpy as np\ndef f(x: np.ndarray) -> np.ndarray: return x if isinstance(x, np.ndarray) else np.zeros(3)\nprint(f(1))\n
		import pandas as pd\ndf = pd.read_csv("x.csv")\nprint(df.pivot_table("a", "b", "c", "sum", 0), df.agg(n=pd.NamedAgg("b", "max")))\n
		import matplotlib.pyplot as plt, pandas as pd\nplt.imshow([[1]], cmap=plt.cm.viridis_r)\npd.options.display.max_rows = 5\n
		import importlib.metadata, logging, os.path\nprint(getattr(os, "sep"), importlib.metadata.version("x"))\n
		import yaml\nprint(list(yaml.safe_load_all(open("x"))), yaml.safe_load("a: 1"))\n
		import ast\nprint(ast.literal_eval(open("x").read()))\n
		import subprocess\nsubprocess.run(["/usr/bin/wc", "-l", "table"])\n
		import subprocess as s\nfor f in open("x"): s.run(["wc", "-l", f], check=True)\n
		import os\nos.environ["TZ"] = "UTC"\nprint(os.environ.get("HOME"), hasattr(os, "fork"))\n
		import os, subprocess\nsubprocess.run(["ls"], env={"TZ": "UTC"})\nprint(os.environ["HOME"], os.getenv("A", 1))\n
		try: import ujson as json\nexcept ImportError: import json\nprint(json.loads("1"))\n
		from collections import namedtuple\nP = namedtuple("P", "x y")\nprint(P(1, 2)._asdict())\n
		class A:\n  def __init__(self): self._x = 1\n  def __repr__(self): return type(self).__name__\nprint(A()._x)\n
		import pandas as pd, numpy as np\ndef f(x): return x\ndf = pd.read_csv("x.csv")\nprint(df.agg("sum"), df.agg(["min", np.max]), df.apply(f, axis=1), df.apply(lambda x: x), df["a"].apply(str.strip), df.groupby("a").agg({"b": "sum", "c": f}), df.groupby("a").agg(n=("b", "count")))\n
		import pandas as pd\ndf = pd.read_csv("x.csv", engine="python")\nprint(df.pivot_table(index="a", aggfunc="sum"), df.agg({c: "mean" for c in df.columns}), df["a"].transform(len))\npd.set_option("display.max_rows", 500)\n
		import matplotlib.pyplot as plt\nk = dict(color="r", lw=2)\nplt.plot([1], **k)\nplt.hist([1], **{"bins": 3})\ndef f(ax, **words):\n    ax.plot([1], **words)\nf(plt.gca(), color="b")\ns = {"alpha": 0.5}\ns["color"] = "g"\nplt.scatter([1], [2], **s, **k)\nwith plt.style.context("ggplot"): plt.plot([1])\n
		import matplotlib.pyplot as plt\nplt.style.use("ggplot")\nplt.rcParams["figure.figsize"] = (10, 5)\nplt.rcParams.update({"font.size": 12})\nplt.rc("font", size=12)\nwith plt.rc_context({"lines.linewidth": 2}): plt.plot([1])\n
		class A:\n  def apply(self, x): return x\nprint(A().apply(input()))\n
	END
	rows 0 sh <<-'END'
		cut -d, -f2 table | sort -n | uniq -c | head -n 3 >counts\n
		total() { awk -F, '{ s += $2 } END { print s }' table; }\ntotal | tee sum\n
		for f in *.csv; do wc -l "$f"; done\n
		while read -r a b; do echo "$b $a"; done <table\n
		sed -n 's/a$/e/p' table; find . -name '*.csv' | xargs -n 1 wc -l\n
		if [ "$(wc -l <table)" -gt 3 ]; then echo many; fi\ni=1; echo $((i + 1))\n
		a=(x y z); echo "${a[0]} ${a[-1]} ${#a[@]} ${a[@]:1:2}"; a[3]=w; b=([0]=x [1]=y)\n
		while read -r l; do echo "${l:0:3} ${l: -2} ${l:-none} ${l%%,*}"; done <table\n
		f() { local name=$1; declare -r two=$2; echo "$name $two"; }\nf a "$(date)"\nexport TZ=UTC\n
		find . -name '*.csv' | xargs -n 1 wc -l | sort -n; awk '/a|b/ || $1 > 2 { print $2 }' table | tee out\n
		sed -n '/a/p' table >out; sed --sandbox '1!G;h;$!d' table; read x; sed --sandbox "$x" table; sed -i.bak 's/e/e/' table; sed -e '1,3d;s,e,e,g' -e '$p' table\n
		awk -F'|' '{ print $2 }' table; echo "$PATH ${PATH}"\n
	END
}
@test "what hands over data is a plan" { hands_over; }

@test "no name that is listed of Python's own modules makes code" {
	/usr/bin/python3 "$TOP/tests/unit/plain_names.py" "$TOP/src/flow/plain_table.c" "$TOP/src/flow/plain_packages.c" >"$T/names"
	cat "$T/names"
	run ! grep '^not ok' "$T/names"
	grep -q '^ok 2' "$T/names"
}

told_where() {
	WAY=${WAYS%% *}
	talk "$WAY"
	printf 'ls\nsed -l 70 s/a/b/e x\n' >"$T/row.sh"
	plan "$WAY" --ask read row.sh
	exits 126
	err_has 'because: line 2: sed'
	err_has 'try: sed --sandbox'
}
@test "the refusal of a shell program names line, word and cure" { told_where; }
