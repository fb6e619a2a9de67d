#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034
# Plan tokens: code that was fixed before anything was read keeps its trust, because what comes later comes
# to it as data. What a run is given beside the code is asked about at each run; and what a token is bound to, it
# is bound to. What makes code of it is no plan: plan_code.bats.
load helper
load story
load plan
load scan

# No trick has to be known: a module of that name in the workspace is enough, or one that no table has.
beside_it() {
	begin "$1"
	printf 'import csv\nprint(len(list(csv.reader(open("planted.csv")))))\n' | code counts.py
	printf 'try:\n\timport acme\nexcept ImportError:\n\tprint("none")\n' | code acme.py
	printf 'import subprocess\ntry:\n\tsubprocess.run(["sed", "-f", "x"])\nexcept OSError:\n\tpass\n' | code sed.py
	plan "$1" --ask read --runs 9 counts.py
	exits 0
	local counts=$token acme
	plan "$1" --ask read --runs 9 acme.py
	exits 0
	acme=$token
	plan "$1" --ask read --runs 9 sed.py
	exits 0
	reads_table "$1"
	submit "$1" --workspace "$W:ro" --plan "$counts" counts.py
	exits 0
	holds 'r["origin"] == "plan"'
	submit "$1" --workspace "$W:ro" --plan "$acme" acme.py
	is_no_plan 'it may make code of what it is given: line 2: import acme'
	submit "$1" --workspace "$W:ro" --plan "$token" sed.py
	is_no_plan 'it may make code of what it is given: line 3: the program sed'
	IN=$W/planted.csv
	submit "$1" --stdin - --plan "$acme" acme.py
	is_no_plan 'import acme'
	IN=/dev/null
	submit "$1" --plan "$acme" acme.py
	holds 'r["origin"] == "plan"'
	# As text it ties to nothing, and it is where Python would not look.
	echo 'reader = print' >"$W/csv.py"
	submit "$1" --workspace "$W:ro" --plan "$counts" counts.py
	is_no_plan 'module that it names, or its settings, is in its workspace'
	holds 'r["origin"] == "exposed"'
	rm "$W/csv.py"
	ln -s planted.csv "$W/csv.py"
	submit "$1" --workspace "$W:ro" --plan "$counts" counts.py
	is_no_plan 'module that it names, or its settings, is in its workspace'
	rm "$W/csv.py"
	echo 'axes.prop_cycle: cycler(x=[])' >"$W/matplotlibrc"
	submit "$1" --workspace "$W:ro" --plan "$counts" counts.py
	is_no_plan 'module that it names, or its settings, is in its workspace'
	rm "$W/matplotlibrc"
	submit "$1" --workspace "$W:ro" --plan "$counts" counts.py
	holds 'r["origin"] == "plan"'
}
@test "what is beside a plan's code is not planned" { every beside_it; }

# Python also looks in its user's home for code, and where that is a variable says.
at_home() {
	begin "$1"
	local minor home
	minor=$(/usr/bin/python3 -c 'import sys; print(sys.version_info[1])')
	home=$W/.local/lib/python3.$minor/site-packages
	mkdir -p "$home"
	echo 'import sys; sys.stdout.write("at home\n")' >"$home/planted.pth"
	echo 'import sys; sys.stdout.write("at home\n")' >"$home/usercustomize.py"
	printf 'import csv\nprint("here")\n' | code here.py
	plan "$1" --ask read --env HOME=/workspace here.py
	exits 0
	gate "$1" ingest --domain "$D" --kind file --name planted.pth "$home/planted.pth"
	exits 0
	submit "$1" --workspace "$W:ro" --env HOME=/workspace --plan "$token" here.py
	exits 0
	holds 'r["origin"] == "plan" and r["stdout"] == "here\n"'
}
@test "what lies in a home directory is no part of a plan" { every at_home; }

# The story's plan with the library that everybody would use.
with_pandas() {
	begin "$1"
	printf 'import pandas as pd\ntable = pd.read_csv("planted.csv")\nprint(table["units"].mean())\n' | code mean2.py
	plan "$1" --ask read mean2.py
	exits 0
	reads_table "$1"
	submit "$1" --workspace "$W:ro" --plan "$token" mean2.py
	exits 0
	holds 'r["origin"] == "plan" and r["verdict"] == "allow" and r["stdout"] == "2.0\n"'
}
@test "a plan reads the table that was read later, with pandas" {
	/usr/bin/python3 -c 'import pandas' || skip "no pandas"
	every with_pandas
}

# What nobody can read is a plan as long as it is given nothing.
unread() {
	begin "$1"
	echo 'require(process.argv[2] || "/workspace/x.js")' | code asks.js
	echo 'console.log(1)' | code one.js
	plan "$1" --ask read asks.js
	exits 126
	err_has 'code of node is a plan only without --ask'
	plan "$1" --runs 2 one.js
	exits 0
	reads_table "$1"
	submit "$1" --plan "$token" one.js
	holds 'r["origin"] == "plan"'
	submit "$1" --plan "$token" --stdin "$W/planted.csv" one.js
	is_no_plan 'nobody can read node'
}
@test "a language that nobody reads gets no inputs in a plan" {
	[ -x /usr/bin/node ] || skip "no node"
	every unread
}

# A program and a virtual environment where an untrusted run could write are code that nobody planned.
written() {
	begin "$1"
	echo 'print(1)' | code one.py
	cp /usr/bin/true "$W/prog"
	local prog venv
	plan "$1" --ask read --runs 9 --exec "$W/prog" one.py
	exits 0
	prog=$token
	mkdir -p "$W/venv/bin" "$W/venv/lib/python3.11/site-packages"
	ln -s /usr/bin/python3 "$W/venv/bin/python3"
	printf 'home = /usr/bin\n' >"$W/venv/pyvenv.cfg"
	plan "$1" --ask read --runs 9 --venv "$W/venv" one.py
	exits 0
	venv=$token
	submit "$1" --exec "$W/prog" --plan "$prog" one.py
	exits 0
	holds 'r["origin"] == "plan"'
	submit "$1" --venv "$W/venv" --plan "$venv" one.py
	exits 0
	holds 'r["origin"] == "plan"'
	reads_table "$1"
	echo 'open("more", "w")' | code writer.py
	agreed "$1" --workspace "$W:overlay" --commit writer.py
	holds 'r["committed"]'
	submit "$1" --exec "$W/prog" --plan "$prog" one.py
	is_no_plan 'an untrusted run could write what it may start'
	submit "$1" --venv "$W/venv" --plan "$venv" one.py
	is_no_plan 'an untrusted run could write what it may start'
}
@test "what an untrusted run could write is nothing that a plan starts" {
	need_root
	written user:no-cgroup
}

# What nobody knows is untrusted.
inputs() {
	begin "$1"
	echo 'print(len(input()))' | code counts.py
	echo 'print(1)' | code one.py
	echo 'nobody knows these words' >"$T/words"
	plan "$1" --ask read --inputs tool --runs 9 counts.py
	exits 0
	local tool=$token none
	plan "$1" --ask read --inputs untrusted --runs 9 counts.py
	exits 0
	local any=$token
	plan "$1" --ask read --inputs tool --runs 9 one.py
	exits 0
	none=$token
	reads_table "$1"
	submit "$1" --stdin "$T/words" --plan "$tool" counts.py
	is_no_plan 'the inputs are not what the plan allows'
	IN=$T/words
	submit "$1" --stdin - --plan "$tool" counts.py
	is_no_plan 'the inputs are not what the plan allows'
	IN=/dev/null
	submit "$1" --workspace "$W:ro" --plan "$none" one.py
	is_no_plan 'the inputs are not what the plan allows'
	submit "$1" --plan "$none" one.py
	holds 'r["origin"] == "plan"'
	submit "$1" --stdin "$T/words" --plan "$any" counts.py
	exits 0
	holds 'r["origin"] == "plan" and r["stdout"] == "24\n"'
	# A file that says it is empty, and a pipe.
	submit "$1" --stdin /proc/version --plan "$tool" counts.py
	is_no_plan 'the inputs are not what the plan allows'
	[ -p "$T/pipe" ] || mkfifo -m 644 "$T/pipe"
	cat "$T/words" >"$T/pipe" &
	submit "$1" --stdin "$T/pipe" --plan "$tool" counts.py
	wait
	is_no_plan 'the inputs are not what the plan allows'
}
@test "what nobody knows is no input that a plan asks for" { every inputs; }

# Bytes that a rule has found to be an attack are no data like any other: who wants them says so.
attacked() {
	begin "$1"
	echo 'print(len(input()))' | code counts.py
	rule "$T/denies/a.yaml" ATR-2026-90001 critical 'moonstone\s+word'
	echo 'a moonstone word, and more of them behind it' >"$T/words"
	plan "$1" --ask read --runs 9 counts.py
	exits 0
	local all=$token
	plan "$1" --ask read --inputs hostile --runs 9 counts.py
	exits 0
	submit "$1" --stdin "$T/words" --plan "$all" counts.py
	holds 'r["origin"] == "plan"'
	gate "$1" ingest --domain "$D" --rules "$T/denies" --kind file --name words "$T/words"
	exits 0
	submit "$1" --stdin "$T/words" --plan "$all" counts.py
	is_no_plan 'the inputs are not what the plan allows'
	submit "$1" --stdin "$T/words" --plan "$token" counts.py
	holds 'r["origin"] == "plan"'
}
@test "hostile input is no input of a plan that does not ask for it" { every attacked; }

# What comes with the code is planned with it: exactly that, or it is no plan.
bound() {
	local one=(--env A=1 --env B=2 --net example.org:443 --exec /usr/bin/wc)
	begin "$1"
	printf 'import sys\nprint(sys.argv[1:])\n' | code args.py
	plan "$1" --runs 99 --ask read "${one[@]}" --json args.py -- x 'y z'
	exits 0
	holds 'len(r["rest_sha256"]) == 64' 'r["caps"] == ["compute", "read", "net"]'
	token=$(said token)
	reads_table "$1"
	submit "$1" "${one[@]}" --plan "$token" args.py -- x 'y z'
	holds "'plan: the code is exactly what was planned' in r['reasons']"
	for other in "--env A=1 args.py -- x y z" "--env A=1 --env B=2 args.py" "args.py -- x" \
		"--net example.org:443 --exec /usr/bin/wc --env B=2 --env A=1 args.py -- x y z" \
		"--env A=1 --env B=2 --net example.org:80 --exec /usr/bin/wc args.py -- x y z" \
		"--env A=1 --env B=2 --net example.org:443 args.py -- x y z" "args.py"; do
		# shellcheck disable=SC2086
		submit "$1" --plan "$token" $other
		is_no_plan 'the plan is for other arguments or another environment'
	done
	talk "$1"
	for variable in PYTHONPATH=lib BASH_ENV=x NODE_OPTIONS=x LD_PRELOAD=x PATH=/workspace; do
		plan "$1" --env "$variable" args.py
		exits 126
		err_has "the variable ${variable%%=*} is in no plan"
		err_has 'try: leave it out'
	done
}
@test "a plan is bound to arguments, environment, hosts and programs" { every bound; }

# Who asks later what led to a run hears of its plan; who runs it without, at once.
told() {
	local id
	begin "$1"
	plan "$1" --ask read --json mean.py
	exits 0
	id=$(said plan) token=$(said token)
	reads_table "$1"
	submit "$1" --workspace "$W:ro" --plan "$token" mean.py
	holds 'r["origin"] == "plan"'
	gate "$1" audit trace "$(said audit_id)" --json
	exits 0
	holds "[x['body']['plan'] for x in r['records'] if x['kind'] == 'verdict'] == ['$id']" \
		"any(x['kind'] == 'plan' and x['body']['id'] == '$id' for x in r['records'])" \
		"all('plan:$id' in x['refs'] for x in r['records'] if x['kind'] in ('verdict', 'plan'))"
	gate "$1" run --tier "${1#*:}" --domain "$D" --workspace "$W:ro" --plan "$token" mean.py
	exits 0
	out_is 'mean: 2'
	err_has "cordon: no plan: the plan's runs are used up"
	gate "$1" audit tail -n 4 --json
	grep -q '"kind":"verdict"' "$T/out" || show
	! grep -q "plan:$id" "$T/out" || show
}
@test "the log names a run's plan, and a token that does not hold is told" { every told; }
