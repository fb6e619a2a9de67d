/* SPDX-License-Identifier: MIT
 *
 * Options of the sanitizers, linked into SAN=1 builds only. The leak checker uses ptrace at the
 * end of the process. That takes seconds, and never ends for the processes of the box, which
 * ptrace cannot see; their environment is empty, so no variable can switch it off. An allocation
 * that is too large returns NULL, as in the C library.
 */
const char *__asan_default_options(void); /* NOLINT: its name */

const char *__asan_default_options(void) /* NOLINT */
{
	return "detect_leaks=0:allocator_may_return_null=1";
}
