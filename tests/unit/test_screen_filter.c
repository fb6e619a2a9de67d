/* SPDX-License-Identifier: MIT
 *
 * What of a program's output reaches the user's terminal, whole and byte by byte.
 */
#include "show/screen_filter.h"

#include <string.h>

#include "tap.h"

static const struct {
	const char *what, *from, *to;
} rows[] = {
	{"text", "a\tb\r\n\xc3\xa9 \xe2\x82\xac", "a\tb\r\n\xc3\xa9 \xe2\x82\xac"},
	{"colours", "\033[31mred\033[0m", "\033[31mred\033[0m"},
	{"the cursor and modes", "\033[2J\033[1;1H\033[?1049h\0337\033(B",
	 "\033[2J\033[1;1H\033[?1049h\0337\033(B"},
	{"a title", "a\033]0;title\007b", "ab"},
	{"the clipboard", "a\033]52;c;ZXZpbA==\033\\b", "ab"},
	{"a device string", "a\033P$q\"p\033\\b", "ab"},
	{"other strings", "a\033_x\033\\b\033^y\033\\c\033Xz\033\\d", "abcd"},
	{"a string that another sequence ends", "a\033]0;x\033[31mb", "a\033[31mb"},
	{"a string in a string", "a\033]0;x\033]52;c;y\007b", "ab"},
	{"a string that is cancelled", "a\033]0;x\030b", "ab"},
	{"ESC twice", "a\033\033]0;x\007b", "ab"},
	{"a control character in a sequence", "a\033\n]52;c;x\007\033\007]0;y\033\\b", "a\n\007b"},
	{"a request of identity in a sequence", "a\033\005[0mb", "a\033[0mb"},
	{"the terminal's identity", "a\005\033Zb", "ab"},
	{"controls of eight bits",
	 "a\xc2\x9d"
	 "52;c;x\xc2\x9c"
	 "b\xc2\xa0",
	 "a52;c;xb\xc2\xa0"},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t piece = 1; piece <= 64; piece += 63) {
			struct screen_filter f = {0};
			size_t len = strlen(rows[i].from), n = 0;
			char out[256];
			for (size_t at = 0; at < len; at += piece)
				n += screen_filter(&f, rows[i].from + at,
						   len - at < piece ? len - at : piece, out + n);
			ok(n == strlen(rows[i].to) && memcmp(out, rows[i].to, n) == 0,
			   "%s, %zu bytes at once", rows[i].what, piece);
		}
	return tap_done();
}
