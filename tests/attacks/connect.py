# SPDX-License-Identifier: MIT
# VAREK case 5 and A8: the host's loopback by TCP, UDP and TCP fast open. Never beyond loopback.
import socket, sys
args = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
tcp, udp = ("127.0.0.1", int(args["tcp"])), ("127.0.0.1", int(args["udp"]))
inet, stream, datagram = socket.AF_INET, socket.SOCK_STREAM, socket.SOCK_DGRAM
tries = [
    lambda: socket.create_connection(tcp, 2),
    lambda: socket.socket(inet, datagram).sendto(b"x", udp),
    lambda: socket.socket(inet, stream).sendto(b"x", 0x20000000, tcp),
    lambda: socket.socket(socket.AF_UNIX, stream).connect("\0" + args["abstract"]),
    lambda: socket.socket(socket.AF_UNIX, stream).connect(args["unix"]),
]
for number, attempt in enumerate(tries):
    try:
        attempt()
    except OSError as error:
        print(number, error)
    else:
        print("ESCAPED way", number)
        sys.exit(1)
print("HELD")
