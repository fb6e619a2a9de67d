# SPDX-License-Identifier: MIT
# Control: ordinary code runs, with threads, a temporary file and a local socket pair.
require "json"
require "socket"
require "tempfile"
seen = []
Thread.new { seen << 42 }.join
Tempfile.create("scratch") do |scratch|
  scratch.write(JSON.generate(seen))
  scratch.rewind
  a, b = UNIXSocket.pair
  a.write(scratch.read)
  puts "benign #{JSON.parse(b.recv(64))[0]}"
end
