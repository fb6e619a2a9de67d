// SPDX-License-Identifier: MIT
// node gets a fuller /proc than the others: what identifies or describes the kernel stays hidden.
const fs = require("fs");
const hidden = ["kallsyms", "cmdline", "keys", "kcore", "kmsg", "timer_list", "modules", "iomem",
    "interrupts", "sysrq-trigger", "config.gz", "slabinfo", "vmallocinfo", "1/environ", "1/maps"];
const seen = hidden.filter((name) => {
    try {
        const fd = fs.openSync("/proc/" + name, "r");
        return fs.readSync(fd, Buffer.alloc(64)) > 0;
    } catch {
        return false;
    }
});
console.log(seen.length ? "ESCAPED" : "HELD", seen.join(" "));
process.exit(seen.length ? 1 : 0);
