// SPDX-License-Identifier: MIT
// The same from node.
const fs = require("fs");
const args = Object.fromEntries(process.argv.slice(2).filter((w) => w.includes("="))
    .map((w) => [w.slice(0, w.indexOf("=")), w.slice(w.indexOf("=") + 1)]));
const tries = [
    () => console.log(fs.readFileSync(args.secret, "utf8")),
    () => console.log(fs.readFileSync("/proc/self/root" + args.secret, "utf8")),
    () => console.log(fs.readFileSync("/etc/shadow", "utf8")),
    () => console.log(fs.readFileSync("/proc/1/environ", "utf8")),
    () => fs.writeFileSync(args.outside + "/planted", "x"),
    () => fs.appendFileSync(args.home + "/.profile", "planted\n"),
    () => fs.chmodSync(args.secret, 0o777),
    () => { if (!process.env.SECRET_TOKEN) throw new Error("no token"); },
    () => process.kill(Number(args.victim), "SIGKILL"),
];
for (const [number, attempt] of tries.entries()) {
    try {
        attempt();
        console.log("ESCAPED way", number);
        process.exit(1);
    } catch (error) {
        console.log(number, error.code || error.message);
    }
}
console.log("HELD");
