// SPDX-License-Identifier: MIT
// Control: ordinary node code runs.
setTimeout(() => console.log("benign", [20, 22].reduce((a, b) => a + b)), 1);
