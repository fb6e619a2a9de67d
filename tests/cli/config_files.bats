#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A configuration that is broken, or that others can change, stops every command that uses it.
load helper
load config_enforced

@test "every command but those that report it is stopped by a broken file" {
	local -A table=()
	local c
	for c in "${commands[@]}"; do table[${c%% *}]=1; done
	for c in $("$CORDON" help | sed -n 's/^  cordon \([a-z]*\) .*/\1/p'); do
		case $c in config | doctor | version | man | completion | help) continue ;; esac
		[ -n "${table[$c]:-}" ] || { echo "no row for $c"; return 1; }
	done
	printf 'enforcd: {tier: full}\n' >>/etc/cordon/config.yaml
	stops '/etc/cordon/config.yaml:11: there is no key "enforcd"' 1
	call user config check
	err_has 'did you mean "enforced"?'
}

@test "every command is stopped by a file or directory that others can write to" {
	chmod 664 /etc/cordon/config.yaml
	stops 'users other than root can change it'
	chmod 644 /etc/cordon/config.yaml
	chmod 777 /etc/cordon
	stops 'users other than root can change it'
	chmod 755 /etc/cordon
	chown "$TEST_UID" /etc/cordon/config.yaml
	stops 'users other than root can change it'
	chown 0 /etc/cordon/config.yaml
	works run --user x.py
}

@test "every command is stopped by a link, a directory, a pipe, a file that cannot be read" {
	mv /etc/cordon/config.yaml /etc/cordon/real.yaml
	ln -s real.yaml /etc/cordon/config.yaml
	stops '/etc/cordon/config.yaml is a link'
	rm /etc/cordon/config.yaml
	mkdir /etc/cordon/config.yaml
	stops 'is not a regular file'
	rmdir /etc/cordon/config.yaml
	mkfifo /etc/cordon/config.yaml
	stops 'is not a regular file'
	rm /etc/cordon/config.yaml
	install -m 600 /etc/cordon/real.yaml /etc/cordon/config.yaml
	call user run --user x.py
	exits 125
	err_has 'Permission denied'
	call root run --user x.py
	exits 0
}

@test "every command is stopped where a caller could change what is enforced" {
	chmod 666 /etc/cordon/policy.yaml
	stops '/etc/cordon/policy.yaml: users other than root can change it'
	chmod 644 /etc/cordon/policy.yaml
	chown "$TEST_UID" /etc/cordon/rules
	stops '/etc/cordon/rules: users other than root can change it'
	chown 0 /etc/cordon/rules
	rm /etc/cordon/policy.yaml
	stops 'enforced.policy: /etc/cordon/policy.yaml: No such file'
	ln -s "$T/lax.yaml" /etc/cordon/policy.yaml
	stops 'is a link'
}
