# SPDX-License-Identifier: MIT
# The same from the shell: netcat, the shell's own /dev/tcp, and perl.
for word in "$@"; do
	case $word in tcp=*) port=${word#tcp=} ;; esac
done
if nc -e /bin/bash 127.0.0.1 "$port" 2>/dev/null; then echo ESCAPED nc && exit 1; fi
if { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then echo ESCAPED tcp && exit 1; fi
if perl -MIO::Socket::INET -e 'IO::Socket::INET->new(shift) or exit 1' "127.0.0.1:$port" 2>/dev/null; then
	echo ESCAPED perl && exit 1
fi
echo HELD
