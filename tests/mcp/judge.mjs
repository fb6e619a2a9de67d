// SPDX-License-Identifier: MIT
// judge.mjs DIR EXPECTED: reads what MCP's conformance suite has written below DIR, and prints TAP: a test for each
// scenario. A check fails if it failed and EXPECTED does not say so, or if EXPECTED says so and it did not fail.
import {readdirSync, readFileSync} from "node:fs";

const [dir, file] = process.argv.slice(2);
const rows = readFileSync(file, "utf8").split("\n").filter((l) => l && !l.startsWith("#")).map((l) => l.split("|").map((w) => w.trim()));
const scenarios = new Map();

for (const name of readdirSync(dir).sort()) {
	const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*/, "");
	const checks = JSON.parse(readFileSync(`${dir}/${name}/checks.json`, "utf8"));
	scenarios.set(scenario, checks.filter((c) => c.status === "FAILURE").map((c) => c.id));
}

let n = 0, failed = 0;
const report = (words, problems) => {
	console.log(`${problems.length ? "not ok" : "ok"} ${++n} - ${words}`);
	problems.forEach((p) => console.log(`# ${p}`));
	failed += problems.length > 0;
};
const used = new Set();
for (const [scenario, failures] of scenarios) {
	const expected = rows.filter(([s]) => s === scenario || (s.endsWith("*") && scenario.startsWith(s.slice(0, -1))));
	const covers = (id) => expected.find(([, check]) => check === id || check === "*");
	failures.forEach((id) => used.add(covers(id)));
	report(`${scenario}${expected.length ? `, but for what ${file.split("/").pop()} says` : ""}`,
		failures.filter((id) => !covers(id)).map((id) => `${id} failed`));
}
report("every expected failure is one", rows.filter((row) => !used.has(row)).map((row) => row.join(" | ")));
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
