# SPDX-License-Identifier: MIT
# The same with nothing but what the shell can do by itself.
for word in "$@"; do
	case $word in
	secret=*) secret=${word#secret=} ;;
	outside=*) outside=${word#outside=} ;;
	home=*) home=${word#home=} ;;
	esac
done
escaped=0
for file in "$secret" "/proc/self/root$secret" "/proc/1/root$secret" /etc/shadow /proc/1/environ; do
	{ read -r stolen <"$file"; } 2>/dev/null && [ -n "$stolen" ] && echo "$file: $stolen" && escaped=1
done
{ echo planted >"$outside/planted"; } 2>/dev/null && escaped=1
{ echo planted >>"$home/.profile"; } 2>/dev/null && escaped=1
[ "$escaped" = 0 ] && echo HELD && exit 0
echo ESCAPED
exit 1
