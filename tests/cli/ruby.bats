#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A language without a reader is one row in src/conf/profile.c: it runs, and its code is scanned as text.
load helper

@test "ruby: output, arguments, libraries, exit status" {
	[ -x /usr/bin/ruby ] || skip "no ruby"
	printf 'require "json"\nrequire "digest"\nputs ARGV.to_json, Digest::MD5.hexdigest("")[0, 4]\nexit 3\n' | code x.rb
	local way
	for way in $WAYS; do
		box "$way" "$T/x.rb" -- a 'b c'
		exits 3
		out_is '["a","b c"]
d41d'
	done
}
