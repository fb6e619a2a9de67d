# SPDX-License-Identifier: MIT
# The checker of the other files: an assertion that does not hold, or means nothing, must fail its test.

load helper

# fails WORDS EXPRESSION...: holds fails, and its message has the words.
fails()
{
	local words=$1
	shift
	run -1 holds "$@"
	[[ $output == *"$words"* ]] || { echo "expected: $words"; echo "$output"; return 1; }
}

@test "holds passes when each expression is true" {
	echo '{"a": [1, 2.5, null, true], "b": "x\u0000é"}' >"$T/out"
	holds 'r["a"] == [1, 2.5, None, True]' 'len(r["b"]) == 3' 'any(x for x in r["a"])'
	holds 'base64.b64encode(b"a") == b"YQ=="' 'json.dumps(1) == "1"'
	[ "$(member 'r["a"][0]')" = 1 ]
}

@test "holds fails when an expression is false, wrong, or names a member that does not exist" {
	echo '{"a": [1], "b": "x"}' >"$T/out"
	fails 'not so: r["b"] == "y"' 'r["a"]' 'r["b"] == "y"'
	fails KeyError 'r["c"]'
	fails KeyError 'not r["c"]'
	fails IndexError 'r["a"][1] == 1'
	fails SyntaxError 'r["a"] ='
	fails NameError 'nothing(r)'
	fails 'no expression'
	run -1 member 'r["c"]'
}

@test "holds fails when the output is not one line of JSON" {
	local text
	for text in '' '{}' $'\n' $'{}\n{}\n' $'{} x\n' $'{}\n\n' $'{"a": NaN}\n' $'{"a": 1,}\n' $'{\n}\n' $'{}\r\n'; do
		printf %s "$text" >"$T/out"
		run -1 holds True
	done
	rm "$T/out"
	run -1 holds True
}
