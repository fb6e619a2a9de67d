#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Plans in a shell: which words of its own commands may be computed. Bash runs what is in the data of each
# program of the first list: as an index a[$(...)], as the name of a variable, as an option or an operator.
load helper
load story
load plan

makes_code() {
	WAY=${WAYS%% *}
	talk "$WAY"
	rows 126 sh <<-'END'
		read n; [ $n -gt 10 ] && echo more\n
		read x; [ $x = y ]\n
		read f; test -e $f\n
		[ $(head -n1 f) -gt 5 ]\n
		for f in *; do [ $f = x ]; done\n
		[ * ]\n
		[ "$1" "$2" ]\n
		test "$@"\n
		mapfile -t a <x; [ "${a[@]}" ]\n
		read k; [ -v "cfg_$k" ]\n
		read k; [[ -v cfg_$k ]]\n
		read k; [ "-$k" "$(cat x)" ]\n
		read a; read b; printf "$a" "$b"\n
		read x; printf $x y\n
		read n; printf -v"$n" %s x\n
		read k; printf -v "cfg_$k" %s x\n
		read k; declare "cfg_$k=1"\n
		read k; declare -g "cfg_$k=1"\n
		read k; export "cfg_$k=1"\n
		f() { local "cfg_$1=$2"; }\nf "$(cat x)" y\n
		read k; readonly cfg_$k=1\n
		read k; typeset "$k=1"\n
		read v; command export A=$v\n
		read x; declare -a a="$x"\n
		read x; declare -A a="$x"\n
		f() { local -a a="$1"; }\nf "$(cat x)"\n
		read x; readonly -a a="$x"\n
		read x; a=(); declare -r a="$x"\n
		mapfile -t a <x; declare -r "a=$(cat y)"\n
		read f; trap "rm -f '$f'" EXIT\n
		trap 'read x; [ $x = y ]' EXIT\n
		\\trap 'read x; [ $x = y ]' EXIT\n
		"trap" 'read x; [ $x = y ]' EXIT\n
		command trap 'read x; [ $x = y ]' EXIT\n
		t=trap; $t 'read x; [ $x = y ]' EXIT\n
		c=command; $c declare -a a="$(cat x)"\n
		read x; command declare -a a="$x"\n
		read x; command -p declare -a a="$x"\n
		read x; builtin declare -a a="$x"\n
		read x; \\declare -a a="$x"\n
		read x; 'declare' -a a="$x"\n
		d=declare; read x; $d -a a="$x"\n
		\\mapfile -t a <x; declare -r a="$(cat y)"\n
		command mapfile -t a <x; declare -r a="$(cat y)"\n
		read k; read -p "what's it" "x_$k"\n
		read x; RANDOM+=$x\n
		read x; OPTIND+=$x\n
		read x; BASHPID+=$x\n
		read OPTIND <x\n
		f() { local OPTIND="$1"; getopts a x; }\nf "$(cat x)"\n
		while getopts a RANDOM; do :; done\n
		mapfile -t OPTIND <x\n
		read x; wait $x\n
		read x; wait -n "$x"\n
		read x; jobs -x $x\n
		f() { read n; }\nn=1\nf\necho $((n + 1))\n
		n=1\nwhile read m; do echo $((n)); n=$m; done\n
		n=1\nread -an <x\necho $((n))\n
		n=1\n: ${n:=$(cat x)}\necho $((n))\n
		a=1\nunset 'a[n]'\n
		read x; unset "$x"\n
		read x; set $x; ls\n
		compgen -W "$(cat x)"\n
		echo "${x:-$(eval y)}"\n
		cat <<END\n${x:-$([ $y = z ])}\nEND\n
		shopt -s compat31\n
		read x; case y in z) ls ;; *) [ $x = y ] ;; esac\n
		read x; echo "$([ $x = y ] && echo z)"\n
		read x; cat <([ $x = y ])\n
		f() { case $1 in a|b) [ $2 = y ] ;; esac; }\nf a "$(cat x)"\n
		read x; if ! builtin test $x; then ls; fi\n
		[ {-v,"$(cat x)"} ]\n
		read PS1\n
	END
}
@test "a shell's own commands that make code of their words are no plan" { makes_code; }

hands_over() {
	WAY=${WAYS%% *}
	talk "$WAY"
	rows 0 sh <<-'END'
		read n; [ "$n" -gt 10 ] && [ -n "$n" ] && [ "$n" = "$1" -o ! -e "$n" ] || test -z "$n"\n
		read n; [[ $n == a* && -n $n || $n =~ ^[0-9]+$ ]] && echo x\n
		if [ $# -lt 1 ] || [ $? -ne 0 ]; then echo "usage: $0" >&2; fi\n
		n=$(wc -l <table); [ $n -gt 3 ] && for i in 1 2 3; do [ $i = $n ]; done\n
		f() { local a=("$@") b=$1 c; local -r d="$2"; export E="$b"; c=$(date); echo "$c $d"; }\nf a b\n
		printf '%s: %d\\\\n' "$x" "$y"; printf "total: $x %s\\\\n" "$y"; printf "$x"; printf -- "$x" y; printf -v z %s "$x"\n
		trap 'rm -f "$f"' EXIT INT; trap - INT; f() { :; }; trap f TERM\n
		read -r -p "what's $x" a b; read -ra c; while IFS=, read -r d e; do echo "$e"; done <table; mapfile -t lines <table\n
		while getopts "ab:" opt; do case $opt in a|b) x=$OPTARG ;; *) exit 1 ;; esac; done; shift 1; unset x; SECONDS=0; OPTIND=1\n
		set -euo pipefail; shopt -s nullglob; cd "$(dirname "$0")"; exec >out; command -v ls; wait; sleep 1 & wait $!\n
		verbose=0\nif [ "$1" = -v ]; then verbose=1; fi\n[ $verbose = 1 ] && echo "${x:-none} ${#x} ${x//a/b} ${x^^}"\n
		case "$1" in\n  -h|--help) echo help ;;\n  (*) case $2 in a) ls;; esac;;\nesac\n
		RED='\\\\033[0m'; printf "${RED}%s\\\\n" "$x"; echo "what's $x"\n
	END
}
@test "a shell's own commands that hand over data are a plan" { hands_over; }
