#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The example in each command's help works as it stands there, in a directory with the files that it names.
load helper

examples() { "$CORDON" help | sed -n 's/^  cordon \([a-z]*\) .*/\1/p'; }

world()
{
	mkdir -p bin/path skills "$HOME/app"
	ln -s "$CORDON" bin/path/cordon
	cp -r "$TOP/rules" rules
	printf 'import sys\nprint(open(sys.argv[1]).read())\nopen("out", "w").write("x")\n' | code job.py
	printf 'n\n1\n' | code input.csv
	printf 'print(1)\n' | code report.py
	printf 'hello\n' | code page.html
	printf 'A skill that says hello.\n' >skills/SKILL.md
	printf 'version: 2\nnet: {allow: ["example.org:443"]}\n' | code policy.yaml
	"$CORDON" audit checkpoint >kept.txt
	"$CORDON" audit key >kept.pub
	export PATH="$T/bin/path:$PATH"
}

@test "every example works" {
	need_root
	local c example n=0
	world
	for c in $(examples); do
		C=$("$CORDON" conversation new)
		export C
		example=$("$CORDON" help "$c" | sed -n 's/^Example: //p')
		[[ $example == *cordon* ]] || { echo "$c has none"; return 1; }
		case $c in
		doctor) bash -c "$example" >out || [ $? -eq 125 ] ;; # what this machine cannot give is told
		trust | grant) script -qec "$example" /dev/null <<<yes >out || { echo "$c: $example"; cat out; return 1; } ;;
		*) bash -euo pipefail -c "$example" >out 2>err </dev/null || { echo "$c: $example"; show; } ;;
		esac
		n=$((n + 1))
	done
	[ $n -ge 14 ]
}

@test "help COMMAND is COMMAND --help" {
	local c
	for c in $(examples); do
		diff <("$CORDON" help "$c") <("$CORDON" "$c" --help)
	done
	diff <("$CORDON" help) <("$CORDON" --help)
	run -125 "$CORDON" help nothing
	[[ $output == *'"nothing"'* ]]
}

# bats test_tags=long
@test "the completion for zsh is one, and has every option" {
	local c o
	"$CORDON" completion zsh >_cordon
	for c in $(examples); do
		grep -q "^	$c)" _cordon
		for o in $("$CORDON" help "$c" | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
			grep -q -e "'\*${o}[=[]" _cordon || { echo "$c $o"; return 1; }
		done
	done
	command -v zsh >/dev/null || skip "no zsh"
	run -0 zsh -n _cordon
	run -0 zsh -fc 'autoload -U compinit; compinit -D; source ./_cordon; echo $_comps[cordon]'
	[ "$output" = _cordon ]
	run -125 "$CORDON" completion fish
}
