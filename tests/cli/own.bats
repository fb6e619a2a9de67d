#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Cordon's own directories and files (state, keys, cache, rules, configuration) in a box: never seen and
# never changed, whatever directory, virtual environment, program or input is given.
load helper

needs() { own_programs; }

# home WHO: a home directory that holds everything of Cordon's, with keys and a cache in it.
home()
{
	WHO=$1
	H=$T/home-$1
	mkdir -p "$H/project" "$H/.local/share/cordon" "$H/.config/cordon"
	echo 'print(1)' >"$H/project/ok.py"
	compiled_rules
	! is_root || [ "$1" != user ] || chown -R "$TEST_UID:$TEST_UID" "$H"
	chmod 755 "$H"
	TIER=no-cgroup
	[ "$1" = user ] || TIER=full
	given "$H/project/ok.py"
	exits 0
	trust "$1" "$H" "$H/.local/state"
	KEYS=$(cut -d' ' -f2 "$H"/.local/state/cordon/*.key)
	[ "$(wc -w <<<"$KEYS")" -ge 2 ]
}

# compiled_rules: the home's cache begins as a copy of the shared one, with its key: compiling takes longer than a test.
compiled_rules()
{
	[ -n "${CACHE_KEY:-}" ] || return 0
	seed_state "$EUID" "$H/.local/state"
	mkdir -p "$H/.cache/cordon" && chmod 700 "$H/.cache/cordon"
	cp "$XDG_CACHE_HOME"/cordon/*.{db,rl} "$H/.cache/cordon/"
}

# own ARG...: cordon ARG... as the one whose home it is.
own()
{
	status=0
	as "$WHO" env HOME="$H" XDG_STATE_HOME="$H/.local/state" XDG_CACHE_HOME="$H/.cache" \
		XDG_DATA_HOME="$H/.local/share" XDG_CONFIG_HOME="$H/.config" \
		timeout 60 "$CORDON" "$@" <"$IN" >"$T/out" 2>"$T/err" || status=$?
}

# given ARG...: cordon run, so.
given() { own run --user --tier "$TIER" "$@"; }

# everywhere CHECK: in every way.
everywhere()
{
	local way
	for way in $WAYS; do
		home "${way%%:*}"
		"$1"
		rm -rf --one-file-system "$H"
	done
}

# modes: in which a whole home directory can be given.
modes() { if [ "$WHO" = root ]; then echo ro overlay; else echo ro overlay rw; fi; }

no_key_in()
{
	local key
	for key in $KEYS; do
		! grep -qaF "$key" "$@" || { echo "a key is in $*"; return 1; }
	done
}

fingerprint() { (cd "$H" && find .local .cache .config -path '*log.db*' -o -name heads -o -path '*/overlays*' -o -printf '%p %y %m %U ' -type f -exec sha256sum {} \; -o -printf '\n' | sort); }

# A program that prints every byte it can reach, and says what it saw of the own directories.
reader()
{
	cat >"$T/read.py" <<-'PY'
		import os, sys
		at = sys.argv[1]
		for top, dirs, files in os.walk(at):
		    if os.path.basename(top) == "cordon":
		        print("own", os.path.relpath(top, at), dirs, files)
		    for name in files:
		        try:
		            sys.stdout.buffer.write(open(os.path.join(top, name), "rb").read())
		        except OSError:
		            pass
	PY
}

read_home()
{
	local mode
	for mode in $(modes); do
		given --whole --workspace "$H:$mode" "$T/read.py" -- .
		exits 0
		no_key_in "$T/out" "$T/err"
		[ "$(grep -ac '^own .* \[\] \[\]$' "$T/out")" -eq 4 ] || show
		out_has 'print(1)'
	done
	ln -sfn "$H" "$T/way"
	given --whole --workspace "$T/way:ro" "$T/read.py" -- .
	exits 0
	no_key_in "$T/out"
}
@test "a box shows a home directory without Cordon's files in it" {
	reader
	everywhere read_home
}

# What contained code tries with all of it.
writer()
{
	cat >"$T/write.py" <<-'PY'
		import os, shutil
		own = [".local/state/cordon", ".cache/cordon", ".local/share/cordon", ".config/cordon"]
		def attempt(what, *args):
		    try:
		        what(*args)
		    except OSError:
		        pass
		def put(path, text="mine"):
		    with open(path, "w") as f:
		        f.write(text)
		for path in own:
		    for name in os.listdir(path):
		        attempt(os.unlink, path + "/" + name)
		    attempt(put, path + "/cache.key")
		    attempt(put, path + "/policy.yaml")
		    attempt(os.mkdir, path + "/rules")
		    attempt(os.rmdir, path)
		    attempt(os.rename, path, "gone")
		    parts = path.split("/")
		    for i in range(len(parts) - 1, 0, -1):
		        above = "/".join(parts[:i])
		        attempt(os.rename, above, above + "-gone")
		        attempt(shutil.rmtree, above)
		        attempt(os.symlink, "/tmp", above)
		    attempt(os.makedirs, path, 0o700)
		    attempt(put, path + "/cache.key")
		put("project/done", "done")
	PY
}

# warmed: the cache has all its files. Cordon keeps the last one only when those that it is made from are two
# seconds old: without this any later run could write it.
warmed()
{
	local tries
	for ((tries = 0; tries < 600; tries++)); do
		! compgen -G "$H/.cache/cordon/*.wm" >/dev/null || return 0
		sleep 0.5
		given "$H/project/ok.py"
		exits 0
	done
	ls -l "$H/.cache/cordon"
	return 1
}

write_home()
{
	local mode option
	for mode in $(modes); do
		[ "$mode" != ro ] || continue
		option=
		[ "$mode" != overlay ] || option=--apply
		rm -f "$H/project/done"
		given --whole --workspace "$H:$mode" "$H/project/ok.py" # so that everything is there
		warmed
		fingerprint >"$T/before"
		given --json --whole --workspace "$H:$mode" $option "$T/write.py"
		exits 0
		[ "$(cat "$H/project/done")" = 'done' ] || show
		fingerprint | diff "$T/before" - || { echo "changed in $mode"; return 1; }
		given "$H/project/ok.py"
		exits 0
	done
}
# bats test_tags=long
@test "nothing that is written there reaches Cordon's own directories" {
	writer
	everywhere write_home
}

make_missing()
{
	rm -rf "$H/.config" "$H/.cache" "$H/.local/share"
	cat >"$T/make.py" <<-'PY'
		import os
		for path in (".config/cordon", ".cache/cordon", ".local/share/cordon"):
		    try:
		        os.makedirs(path, exist_ok=True)
		        open(path + "/planted", "w").write("x")
		    except OSError:
		        pass
	PY
	local mode option
	for mode in $(modes); do
		option=
		[ "$mode" != overlay ] || option=--apply
		given --whole --workspace "$H:$mode" $option "$T/make.py"
		exits 0
		[ -z "$(find "$H" -name planted)" ] || { find "$H" -name planted; return 1; }
	done
}
# bats test_tags=long
@test "a box makes no directory that Cordon would use" {
	everywhere make_missing
}

refuse_inside()
{
	local state=$H/.local/state/cordon
	ln -s "$state" "$T/link-$WHO"
	ln -s "$state/log.key" "$H/project/data"
	cat >"$T/in.py" <<<'import sys; print(sys.stdin.read())'
	as "$WHO" cp /usr/bin/true "$H/.cache/cordon/true"
	as "$WHO" mkdir -p "$H/.cache/cordon/venv/bin"
	as "$WHO" ln -s /usr/bin/python3 "$H/.cache/cordon/venv/bin/python3"
	local all=(
		"--workspace $state:ro" "--workspace $T/link-$WHO:ro" "--workspace $H/.cache/cordon"
		"--stdin $state/log.key" "--stdin $H/project/data" "--exec $H/.cache/cordon/true"
		"--venv $H/.cache/cordon/venv" "--policy $H/project/ok.py --stdin $H/project/ok.py")
	local words
	for words in "${all[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		given $words "$T/in.py"
		[ "$status" -ge 125 ] || { echo "$words"; show; }
		no_key_in "$T/out" "$T/err"
	done
	as "$WHO" cp "$state/log.key" "$state/plan.py"
	for words in "$state/plan.py" "--lang python $H/project/data" "--lang binary $H/.cache/cordon/true"; do
		# shellcheck disable=SC2086
		given $words
		exits 126
		err_has "Cordon's own"
		no_key_in "$T/out" "$T/err"
	done
	IN=$state/log.key
	given --stdin - "$T/in.py"
	exits 126
	given --lang python -
	exits 126
	IN=/dev/null
	no_key_in "$T/out" "$T/err"
}
@test "a path inside Cordon's directories is refused, through links too" {
	everywhere refuse_inside
}

@test "without user namespaces a directory that contains one is refused, and others are not" {
	local who whos=user
	! is_root || whos='root user'
	reader
	for who in $whos; do
		home "$who"
		TIER=no-userns given --whole --workspace "$H:ro" "$T/read.py" -- "$H"
		exits 126
		err_has 'no-userns'
		no_key_in "$T/out" "$T/err"
		TIER=no-userns given --workspace "$H/project:ro" "$T/read.py" -- "$H/project"
		exits 0
		out_has 'print(1)'
		no_key_in "$T/out" "$T/err"
	done
}

as_venv()
{
	as "$WHO" mkdir -p "$H/bin"
	as "$WHO" ln -s /usr/bin/python3 "$H/bin/python3"
	given --venv "$H" "$T/read.py" -- "$H"
	exits 0
	out_has 'print(1)'
	no_key_in "$T/out" "$T/err"
	# Root's box is another account, which may not even enter what is above them.
	[ "$WHO" = root ] || [ "$(grep -ac '^own .* \[\] \[\]$' "$T/out")" -eq 4 ] || show
}
@test "a virtual environment that contains them is shown without them" {
	reader
	everywhere as_venv
}

by_request()
{
	as "$WHO" mkdir "$H/project/r" "$H/project/s"
	as "$WHO" chmod 700 "$H/project/s"
	as "$WHO" cp -r "$T/share/cordon/rules/." "$H/project/r/"
	as "$WHO" tee "$H/project/policy.yaml" <<<'version: 2' >/dev/null
	cat >"$T/own.py" <<-'PY'
		import os
		print(os.listdir("r"), os.listdir("s"), len(open("policy.yaml").read()), open("ok.py").read())
		for path in "r/x", "s/x", "policy.yaml":
		    try:
		        open(path, "w").write("mine")
		    except OSError:
		        continue
		    print("written", path)
	PY
	local before
	before=$(find "$H/project" -type f ! -path '*/s/*' -exec sha256sum {} + | sort)
	given --state "$H/project/s" --rules "$H/project/r" --policy "$H/project/policy.yaml" \
		--workspace "$H/project" --apply "$T/own.py"
	exits 0
	out_is $'[] [] 0 print(1)'
	[ "$(find "$H/project" -type f ! -path '*/s/*' -exec sha256sum {} + | sort)" = "$before" ]
}
# bats test_tags=long
@test "state, rules and a policy that options name are masked too" {
	everywhere by_request
}

# bats test_tags=long
@test "a workspace with a link to Cordon's directories is refused" {
	home user
	rm -rf "$H/.cache"
	as user mkdir "$H/far"
	as user ln -s far "$H/.cache"
	given --whole --workspace "$H:rw" "$T/home-user/project/ok.py"
	exits 126
	err_has '.cache'
}

@test "a second mount shows no more than the first" {
	need_root
	reader
	home user
	mkdir "$T/bound" "$H/project/below"
	unshare -m --propagation private bash -c "
		mount --bind '$H' '$T/bound' && mount --bind '$H/.local' '$H/project/below' &&
		HOME=$H XDG_STATE_HOME=$H/.local/state XDG_CACHE_HOME=$H/.cache XDG_DATA_HOME=$H/.local/share \
		XDG_CONFIG_HOME=$H/.config setpriv --reuid $TEST_UID --regid $TEST_UID --clear-groups bash -c '
			$CORDON run --user --tier no-cgroup --workspace $T/bound:ro $T/read.py -- . &&
			$CORDON run --user --tier no-cgroup --workspace $H/project:ro $T/read.py -- .
		'" >"$T/out" 2>"$T/err" || show
	no_key_in "$T/out"
	out_has 'own state/cordon [] []' || out_has 'own below/state/cordon [] []'
}

@test "mounts below the workspace, also of one file, do not show Cordon's files" {
	need_root
	reader
	home user
	as user mkdir -p "$H/venv/bin" "$H/venv/below"
	as user ln -s /usr/bin/python3 "$H/venv/bin/python3"
	as user touch "$H/project/key" "$H/project/log" "$H/venv/key"
	unshare -m --propagation private bash -c "
		mount --bind '$H/.local' '$H/venv/below' && cd '$H/.local/state/cordon' &&
		mount --bind log.key '$H/project/key' && mount --bind log.db '$H/project/log' &&
		mount --bind log.key '$H/venv/key' &&
		HOME=$H XDG_STATE_HOME=$H/.local/state XDG_CACHE_HOME=$H/.cache XDG_DATA_HOME=$H/.local/share \
		XDG_CONFIG_HOME=$H/.config setpriv --reuid $TEST_UID --regid $TEST_UID --clear-groups bash -c '
			cd /
			$CORDON run --user --tier no-cgroup --workspace $H/project:ro $T/read.py -- . &&
			$CORDON run --user --tier no-cgroup --venv $H/venv $T/read.py -- $H/venv || exit
			$CORDON run --user --tier no-cgroup --stdin $H/project/key $T/read.py -- /tmp
			[ \$? -eq 126 ]
		'" >"$T/out" 2>"$T/err" || show
	no_key_in "$T/out" "$T/err"
	! grep -qa 'SQLite format' "$T/out" || show
	out_has 'print(1)'
	out_has 'own below/state/cordon [] []'
	err_has "$H/project/key is Cordon's own"
}

# bats test_tags=long
@test "root's box shows nothing of a user's Cordon" {
	need_root
	reader
	home user
	as user chmod 755 "$H/.local/state"
	as user mkdir -p "$H/elsewhere/deep"
	as user chmod 700 "$H/elsewhere"
	given --state "$H/elsewhere" "$H/project/ok.py"
	exits 0
	KEYS="$KEYS $(cut -d' ' -f2 "$H"/elsewhere/*.key)"
	box root:full --whole --workspace "$H:ro" "$T/read.py" -- .local
	exits 0
	no_key_in "$T/out" "$T/err"
	out_has 'own state/cordon [] []'
	local dir
	for dir in "$H/elsewhere" "$H/elsewhere/deep"; do
		box root:full --workspace "$dir:ro" "$T/read.py" -- .
		exits 126
		err_has 'cordon-state'
	done
	box root:full --stdin "$H/elsewhere/log.key" "$T/read.py" -- /tmp
	exits 126
	err_has 'cordon-state'
}

not_allowed()
{
	rm -rf "$H/.config" "$H/.local/share"
	printf 'version: 2\nprofile: strict\nexposed: {tier: no-cgroup}\n' >"$H/project/policy.yaml"
	local mode option c
	own conversation new
	c=$(cat "$T/out")
	printf 'for number in range(1, 100):\n    print(number * number)\n' >"$H/project/read.py"
	own ingest --conversation "$c" --kind web --name page "$H/project/read.py"
	for mode in $(modes); do
		option=
		[ "$mode" != overlay ] || option=--apply
		own run --conversation "$c" --tier "$TIER" --policy "$H/project/policy.yaml" --whole --workspace "$H:$mode" $option \
			"$H/project/read.py"
		exits 75
		[ ! -e "$H/.config" ] && [ ! -e "$H/.local/share" ] || { ls -A "$H"; return 1; }
	done
}
@test "a run that is not allowed makes nothing" {
	everywhere not_allowed
}

with_secret()
{
	as "$WHO" tee "$H/project/token" <<<'the-secret-itself' >/dev/null
	chmod 644 "$H/project/token"
	cat >"$H/policy.yaml" <<-YAML
		version: 2
		secrets:
		  - name: TOKEN
		    host: api.example.org:443
		    file: $H/project/token
	YAML
	local mode
	for mode in $(modes); do
		given --policy "$H/policy.yaml" --workspace "$H/project:$mode" "$T/read.py" -- .
		exits 0
		out_has 'print(1)'
		! grep -q the-secret "$T/out" || show
	done
	given --policy "$H/policy.yaml" --stdin "$H/project/token" "$T/read.py" -- /tmp
	exits 126
	err_has '(secret)'
}
@test "the file of a policy's secret is not seen" {
	reader
	everywhere with_secret
}

shut()
{
	[ "$WHO" != root ] || return 0
	as "$WHO" chmod 0 "$H/.local"
	given --state "$T/as-user/shut" --whole --workspace "$H:rw" "$H/project/ok.py"
	as "$WHO" chmod 755 "$H/.local"
	exits 126
	err_has 'may show'
	given --state "$T/as-user/shut" --workspace "$H/project:rw" "$H/project/ok.py"
	exits 0
}
@test "an own path that cannot be looked up counts as present" {
	everywhere shut
}

@test "a key with a second name is not used" {
	home user
	as user ln "$H/.local/state/cordon/log.key" "$H/project/plan"
	given "$H/project/ok.py"
	[ "$status" -ne 0 ] || show
	err_has 'log.key'
	rm "$H/project/plan"
	given "$H/project/ok.py"
	exits 0
}
