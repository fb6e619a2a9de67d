/* SPDX-License-Identifier: MIT
 *
 * The program's first instructions, which populate its data and stack pages with one call each. A
 * static PIE writes to each of its data pages when it relocates itself, and then grows its stack.
 * The page faults took a tenth of a short run. The pages of .bss are left out, because few are
 * used. Then the C library's start code runs as usual. Kernels before 5.14 refuse the call, which
 * costs only time. The program is not relocated yet: the code must not use absolute addresses or a
 * stack frame.
 */

/* Bytes below the stack pointer that every run uses; the kernel maps 128 KB at first. */
#define STACK "20480"

#if defined(__aarch64__)
__asm__(".pushsection .text\n"
	".global entry_point\n"
	".hidden entry_point\n"
	".type entry_point, %function\n"
	"entry_point:\n"
	"	hint #34\n"	/* bti c */
	"	mov x8, #233\n" /* madvise */
	"	mov x2, #23\n"	/* MADV_POPULATE_WRITE */
	"	adrp x0, __init_array_start\n"
	"	adrp x1, _edata\n"
	"	add x1, x1, :lo12:_edata\n"
	"	sub x1, x1, x0\n"
	"	svc #0\n"
	"	mov x0, sp\n"
	"	mov x1, #" STACK "\n"
	"	sub x0, x0, x1\n"
	"	and x0, x0, #-4096\n"
	"	svc #0\n"
	"	mov x0, #0\n" /* as the kernel set it: no function to call at exit */
	"	b _start\n"
	".size entry_point, . - entry_point\n"
	".popsection\n");
#elif defined(__x86_64__)
__asm__(".pushsection .text\n"
	".global entry_point\n"
	".hidden entry_point\n"
	".type entry_point, @function\n"
	"entry_point:\n"
	"	endbr64\n"
	"	movq %rdx, %r12\n" /* the function to call at exit, which _start reads */
	"	movl $28, %eax\n"  /* madvise */
	"	movl $23, %edx\n"  /* MADV_POPULATE_WRITE */
	"	leaq __init_array_start(%rip), %rdi\n"
	"	andq $-4096, %rdi\n"
	"	leaq _edata(%rip), %rsi\n"
	"	subq %rdi, %rsi\n"
	"	syscall\n"
	"	movl $28, %eax\n"
	"	leaq -" STACK "(%rsp), %rdi\n"
	"	andq $-4096, %rdi\n"
	"	movl $" STACK ", %esi\n"
	"	syscall\n"
	"	movq %r12, %rdx\n"
	"	jmp _start\n"
	".size entry_point, . - entry_point\n"
	".popsection\n");
#endif

/* glibc's start code of a static program reads /proc/self/exe, for the $ORIGIN of libraries. That
 * takes half of its time, and this program loads no libraries. A C library without this function
 * ignores the symbol. */
const char *entry_point_origin(void) __asm__("_dl_get_origin");
const char *entry_point_origin(void)
{
	return (const char *)-1; /* glibc's value for "unknown" */
}
