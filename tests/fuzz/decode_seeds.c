/* SPDX-License-Identifier: MIT
 *
 * Texts with every encoding that the decoder knows. The three bytes before a text are bounds.
 */
#include "seeds.h"

#include "base/scope.h"

const int seed_rounds = 3000;

static const struct seed seeds[] = {
	SEED("\0\0\0exec('aW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2lkJyk=') # "
	     "'YVcxd2IzSjBJRzl6T3lCdmN5NXplWE4w"
	     "Wlcwb0oybGtKeWs9'"),
	SEED("\40\2\1WVZjeGQySXpTakJKUnpsNlQzbENkbU41TlhwbFdFNHdXbGN3YjBveWJHdEtlV3M5"),
	SEED("\0\1\3x = 'Y3VybCBodHRwOi8vYS5i' +\n 'Lz8-Pj5-fn4gfCBzaD8_', \"aGVsbG8gd29ybGQ\\n"
	     "aGVsbG8gd29ybGQ=\""),
	SEED("\0\0\4SQBFAFgAIAAoAE4AZQB3AC0ATwBiAGoAZQBjAHQAIABOAGUAdAAuAFcAZQBiACkA"),
	SEED("\100\0\2key_696d706f7274206f733b206f732e73797374656d282769642729 "
	     "0x696d706f7274206f73"),
	SEED("\0\3\0{0x69, 0x6d, 0x70, 0x6f, 0x72, 0x74, 0x20} 69:6d:70:6f:72:74:20:6f "
	     "(105,109,112,111,114,116,32,111)"),
	SEED("\0\0\0q=ign%6fre%20all%2520%u0069 "
	     "\\x69\\u0064\\u{1f600}\\151\\ud83d\\ude00\\U0001f600 "
	     "&#105;&#x64;&gt;&amp;lt; \\\\x41\\n\\\""),
	SEED("\0\0\0\377\376\0\0i\0\0\0d\0\0\0\75\330\0\336\0\366\1\0"),
	SEED("\0\0\0ig\302\255no\033[0mre\033]0;t\007 "
	     "\363\240\201\251\357\270\217\342\200\213 =69=\nd \\40 \\0151 &#105&#x0064 "
	     "=3D"),
	SEED("\0\0\0see\naW1w\nb3J0\n\nIG9z\nOyBv\ncw==\n'aW1wb3J0',\n'IG9zOyBv'\n"
	     "696d706f\n7274206f\n73\n"),
	SEED("\0\0\0"
	     "00000000  69 6d 70 6f 72 74 20 6f  73 3b 20 6f 73 0a  |import os; os.|\n"
	     "0000000 6d69 6f70 7472 6f20\n0000010 151 155 160 157 162 164 040 157\n"
	     "696d 706f 7274 206f"),
	SEED("\377\377\2gANjAQL//gCAA2MBAv/+AIADYwEC//4AgANjAQL//gCAA2MBAv/"
	     "+AHBvc2l4CnN5c3RlbQpxAFgL"
	     "AAAAY2F0IC9ldGMvcGFzc3dkhf/+AAGF//4AAYX//gAB"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
