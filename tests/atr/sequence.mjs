// SPDX-License-Identifier: MIT
// A fixed random sequence, and JSON lines, for the comparisons with JavaScript. The same seed gives
// the same tests everywhere; it must never use real randomness.
import fs from 'node:fs';

export function sequence(seed) {
	let state = seed;
	return (n) => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		state >>>= 0;
		return state % n;
	};
}

export const print = (o) => fs.writeSync(1, JSON.stringify(o) + '\n');
