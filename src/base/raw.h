/* SPDX-License-Identifier: MIT
 *
 * A system call that leaves errno alone: the answer, or -errno. For code that runs in another
 * process's memory, whose errno it would be.
 */
#ifndef CORDON_BASE_RAW_H
#define CORDON_BASE_RAW_H

static inline long raw_call(long number, long a, long b, long c)
{
#if defined(__x86_64__)
	long answer;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return answer;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b, x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#else
#error "no system call for this machine"
#endif
}

#endif
