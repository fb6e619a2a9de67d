/* SPDX-License-Identifier: MIT
 *
 * Linked into SAN=1 builds only. The leak checker stops the process with ptrace at its end, which
 * takes seconds and never ends where the process has hidden itself, as the box's have; and their
 * environment is empty, so it cannot be switched off from outside. An allocation that is too large
 * returns NULL, as the C library's does.
 */
const char *__asan_default_options(void); /* NOLINT: its name */

const char *__asan_default_options(void) /* NOLINT */
{
	return "detect_leaks=0:allocator_may_return_null=1";
}
