/* SPDX-License-Identifier: MIT
 *
 * The program's first instructions. A static PIE relocates itself and so writes to each of its data
 * pages in turn; then its stack grows, page by page. Every first touch is a fault, and a fault takes
 * longer than the work behind it: together they were a tenth of a short run. So the kernel is asked
 * for those pages with one call each (not for those behind the data, of which few are touched), and
 * the C library's own start goes on as if nothing had been. Only a hint: a kernel that refuses
 * (before 5.14) loses nothing but time. Nothing is relocated yet, so nothing here may need an
 * absolute address or a stack frame.
 */

/* Bytes below the stack pointer that a run uses anyhow; the kernel gives 128 KB at first. */
#define STACK "20480"

#if defined(__aarch64__)
__asm__(".pushsection .text\n"
	".global entry_start\n"
	".hidden entry_start\n"
	".type entry_start, %function\n"
	"entry_start:\n"
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
	"	mov x0, #0\n" /* as the kernel left it: nothing to call at exit */
	"	b _start\n"
	".size entry_start, . - entry_start\n"
	".popsection\n");
#elif defined(__x86_64__)
__asm__(".pushsection .text\n"
	".global entry_start\n"
	".hidden entry_start\n"
	".type entry_start, @function\n"
	"entry_start:\n"
	"	endbr64\n"
	"	movq %rdx, %r12\n" /* what to call at exit; _start reads it */
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
	".size entry_start, . - entry_start\n"
	".popsection\n");
#endif

/* The C library's start of a static program asks /proc/self/exe where it lies, for the $ORIGIN of libraries
 * that it might load, and that takes as long as all the rest of it. We load none. Where the library does not
 * ask by this name, nothing is lost. */
const char *entry_origin(void) __asm__("_dl_get_origin");
const char *entry_origin(void)
{
	return (const char *)-1; /* its own word for unknown */
}
