#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Known bytes among the files of a workspace or a virtual environment, in a conversation that has read
# nothing: they are what they were, whatever they are called and however the code gets at them.
load helper
load story
load scan

# fresh ORIGIN WAY ARG...: in a new conversation it has that origin.
fresh()
{
	local origin=$1 way=$2
	shift 2
	talk "$way"
	submit "$way" "$@"
	holds "r['origin'] == '$origin'"
}

# place FILE NAME...: the same bytes in a workspace of their own; it is $P.
place()
{
	local from=$1 name
	shift
	P=$T/place-$RANDOM$RANDOM
	for name; do
		mkdir -p "$(dirname "$P/$name")"
		cp "$from" "$P/$name"
	done
	! is_root || chown -R "$TEST_UID" "$P"
}

WHY='any("has bytes that were read, or that an untrusted run wrote" in x for x in r["reasons"])'

ways_to_run()
{
	printf 'import sys; sys.path.insert(0, "/workspace/lib")\nimport evil\n' | code below.py
	printf 'import sys; sys.path.insert(0, "/workspace/evil.zip")\nimport evil\n' | code zip.py
	echo 'exec(open("/workspace/evil.txt").read())' | code exec.py
	echo '. /workspace/evil.txt' | code source.sh
	echo 'require("/workspace/evil.js")' | code require.js
	echo 'print(1)' | code plain.py
}

# The same as a word that the code is given, or through a pipe, where nobody can look before it runs.
told_elsewhere() {
	begin "$1"
	printf 'numbers = [4879, 12104, 12756, 6792]\n' | code doc
	gate "$1" ingest --domain "$D" --kind web --name https://planets.example/ doc
	exits 0
	printf 'import sys\nexec(sys.argv[1])\n' | code argument.py
	printf 'import os\nexec(os.environ["DOC"])\n' | code variable.py
	printf 'import sys\nexec(sys.stdin.read())\n' | code input.py
	printf 'import sys\nprint(len(sys.stdin.read()))\n' | code counts.py
	local text more
	text=$(cat "$T/doc")
	more="$text"$'\n'
	fresh agent "$1" argument.py -- "$text "
	fresh exposed "$1" argument.py -- "$text"
	holds "$WHY"
	fresh exposed "$1" argument.py -- 1 "$more"
	fresh exposed "$1" --env "DOC=$text" variable.py
	fresh exposed "$1" --env "DOC=$more" variable.py
	mkfifo "$T/pipe"
	IN=$T/pipe
	cat "$T/doc" >"$T/pipe" &
	fresh_piped exposed "$1" --workspace "$W:overlay" --diff input.py
	holds 'any("through a pipe" in x for x in r["reasons"])'
	cat "$T/doc" >"$T/pipe" &
	fresh_piped agent "$1" counts.py
	IN=/dev/null
	rm "$T/pipe"
}
# fresh_piped ORIGIN WAY ARG...: the same, and its input is $IN.
fresh_piped()
{
	local origin=$1 way=$2 in=$IN
	shift 2
	IN=/dev/null
	talk "$way"
	IN=$in
	submit "$way" --stdin - "$@"
	holds "r['origin'] == '$origin'"
}
@test "known bytes: a document as a word, or through a pipe" { every told_elsewhere; }

# A document that was read, put into another conversation's workspace.
read_elsewhere() {
	begin "$1"
	ways_to_run
	printf 'numbers = [4879, 12104, 12756, 6792]\n' | code doc
	gate "$1" ingest --domain "$D" --kind web --name https://planets.example/ doc
	exits 0
	place doc clean
	echo '# one byte more or less' >>"$P/clean"
	fresh agent "$1" --workspace "$P:ro" plain.py
	place doc evil.py
	echo 'import evil' | code import.py
	fresh exposed "$1" --workspace "$P:overlay" --commit import.py
	exits 75
	place doc lib/evil.py
	fresh exposed "$1" --workspace "$P:ro" below.py
	holds "$WHY"
	place doc evil.zip
	fresh exposed "$1" --workspace "$P:ro" zip.py
	place doc evil.txt deeper/and/deeper/evil.js
	fresh exposed "$1" --workspace "$P:ro" exec.py
	fresh exposed "$1" --workspace "$P:ro" source.sh
	[ ! -x /usr/bin/node ] || fresh exposed "$1" --workspace "$P:ro" require.js
	fresh exposed "$1" --workspace "$P/deeper:ro" plain.py
	gate "$1" audit trace "$(said audit_id)"
	out_has planets.example
	# A link leads out of it, and nowhere in the box.
	mkdir "$T/links-${1%%:*}"
	ln -s "$P/evil.txt" "$T/links-${1%%:*}/"
	fresh agent "$1" --workspace "$T/links-${1%%:*}:ro" plain.py
	/usr/bin/python3 -m venv --without-pip "$T/venv-${1%%:*}"
	fresh agent "$1" --venv "$T/venv-${1%%:*}" plain.py
	cp doc "$T/venv-${1%%:*}/lib/evil.py"
	fresh exposed "$1" --venv "$T/venv-${1%%:*}" plain.py
}
@test "known bytes: a document in another conversation's workspace" {
	every read_elsewhere
}

# What an exposed run wrote, in a directory that no run could write.
written_elsewhere() {
	begin "$1"
	reads_table "$1"
	echo 'print(2)' | code plain.py
	printf 'import os\nos.mkdir("sub")\nopen("sub/note.txt", "w").write("take the second one")\n' | code writer.py
	agreed "$1" --workspace "$W:overlay" --commit writer.py
	place "$W/sub/note.txt" copy
	fresh exposed "$1" --workspace "$P:ro" plain.py
	place plain.py plain.py
	mv "$W/sub" "$P/"
	fresh exposed "$1" --workspace "$P:ro" plain.py
	# All of the directory, in another one.
	place plain.py plain.py
	rm -rf "${W:?}/"*
	mv "$W" "$P/w"
	fresh exposed "$1" --workspace "$P:ro" plain.py
}
@test "known bytes: what a run wrote, moved into a clean directory" {
	need_root
	written_elsewhere user:no-cgroup
}

# The same of a run that writes there directly. Where it closes something behind it, or hides it deep, nobody
# knows what that is: then whatever is changed from then on may be it.
written_directly() {
	begin "$1"
	reads_table "$1"
	echo 'print(2)' | code plain.py
	echo 'nobody has changed this one' >"$W/old.txt"
	cat >"$T/writer.py" <<-'END'
		import os
		os.symlink("/etc", "c-link")
		os.mkdir("sub")
		open("sub/note.txt", "w").write("take the second one")
		os.utime("sub/note.txt", (0, 0))
	END
	agreed "$1" --workspace "$W:rw" writer.py
	place "$W/old.txt" copy
	fresh agent "$1" --workspace "$P:ro" plain.py
	place plain.py plain.py
	mv "$W/sub" "$P/"
	fresh exposed "$1" --workspace "$P:ro" plain.py
	mv "$P/sub/note.txt" "$T/alone"
	chmod 644 "$T/alone"
	fresh exposed "$1" --stdin "$T/alone" plain.py
}
hides_it() {
	begin "$1"
	reads_table "$1"
	echo 'print(2)' | code plain.py
	echo 'nobody has changed this one' >"$W/old.txt"
	echo "import os; $2" | code writer.py
	agreed "$1" --workspace "$W:rw" writer.py
	holds 'any("it wrote more than can be remembered" in x for x in r["reasons"])'
	place "$W/old.txt" copy
	fresh exposed "$1" --workspace "$P:ro" plain.py
	holds 'any("more than could be remembered" in x for x in r["reasons"])'
}
@test "known bytes: what a run wrote directly, moved away" {
	need_root
	written_directly user:no-cgroup
}
@test "known bytes: what a run closes behind it" {
	need_root
	hides_it user:no-cgroup 'os.mkdir("a-closed"); os.chmod("a-closed", 0)'
}
@test "known bytes: what a run hides too deep" {
	need_root
	hides_it user:no-cgroup 'os.makedirs("b-deep/" + "d/" * 70)'
}

# Hostile is denied where it may be run, and is data where it may not, as on standard input.
hostile_files() {
	begin "$1"
	ways_to_run
	pack
	printf 'x = "some moonstone word, and a few more"\n' | code doc
	gate "$1" ingest --domain "$D" --rules "$T/r" --kind web --name https://evil.example/ doc
	exits 0
	place doc evil.txt evil.js evil.zip lib/evil.py
	fresh hostile "$1" --workspace "$P:ro" exec.py
	exits 126
	holds 'r["verdict"] == "deny"' 'any(e["how"] == "file evil.js" for e in r["evidence"])'
	fresh hostile "$1" --workspace "$P:ro" source.sh
	[ ! -x /usr/bin/node ] || fresh hostile "$1" --workspace "$P:ro" require.js
	fresh hostile "$1" --workspace "$P:ro" below.py
	fresh exposed "$1" --workspace "$P:ro" plain.py
	exits 0
	fresh exposed "$1" --stdin "$P/evil.txt" plain.py
	exits 0
}
@test "known bytes: hostile ones are not run" {
	every hostile_files
}

# What nobody has looked at is unknown, and that is said.
bounds() {
	begin "$1"
	echo 'print(1)' | code plain.py
	mkdir many large
	/usr/bin/python3 -c '
for i in range(50000):
    open(f"many/{i}", "w").close()'
	truncate -s 256M large/most
	fresh agent "$1" --workspace "$T/many:ro" plain.py
	truncate -s 16777215 piece
	gate "$1" ingest --domain "$D" --kind web --name https://planets.example/ piece
	exits 0
	fresh agent "$1" --workspace "$T/many:ro" plain.py
	touch many/more
	fresh exposed "$1" --workspace "$T/many:ro" plain.py
	holds 'any("more than 50000 files" in x for x in r["reasons"])'
	fresh agent "$1" --workspace "$T/large:ro" plain.py
	for i in $(seq 17); do
		truncate -s 16777215 "large/$i"
		printf %s "$i" | dd of="large/$i" conv=notrunc status=none
		[ "$i" -ne 16 ] || fresh agent "$1" --workspace "$T/large:ro" plain.py
	done
	fresh exposed "$1" --workspace "$T/large:ro" plain.py
	holds 'any("nobody can look through" in x and "256 MB" in x for x in r["reasons"])'
}
@test "known bytes: more than can be looked at is unknown" {
	need_root
	bounds user:no-cgroup
}

# While a run is looked at, another marks the directory that it is given: it is stopped in the middle of
# its scan until that one has ended, and then knows of it.
marked_meanwhile() {
	begin "$1"
	reads_table "$1"
	rm "$W/planted.csv"
	echo 'open("new.py", "w").write("print(1)")' | code writer.py
	submit "$1" --workspace "$W:rw" writer.py
	approve "$(said approval_id)"
	local exposed=$D
	/usr/bin/python3 -c 'print("x = [\n" + "1234567,\n" * 400000 + "]")' | code slow.py
	talk "$1"
	(XDG_STATE_HOME=$T/as-user/state XDG_CACHE_HOME=$USER_CACHE exec setpriv --reuid "$TEST_UID" \
		--regid "$TEST_UID" --clear-groups "$CORDON" run --json --tier "${1#*:}" --domain "$D" \
		--workspace "$W:ro" slow.py >"$T/slow" 2>&1 </dev/null) &
	sleep 0.3
	kill -STOP $!
	D=$exposed
	submit "$1" --workspace "$W:rw" writer.py
	exits 0
	kill -CONT $!
	wait
	cp "$T/slow" "$T/out"
	holds 'r["origin"] == "exposed"'
}
@test "known bytes: a directory that is marked while a run is looked at" {
	need_root
	marked_meanwhile user:no-cgroup
}
