/* SPDX-License-Identifier: MIT
 *
 * A filter program that is written from its end to its beginning, so that the target of a jump is
 * known. A label is the number of instructions from it to the end of the program.
 */
#ifndef CORDON_TOOLS_BPF_H
#define CORDON_TOOLS_BPF_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_INSNS_MAX 4096 /* BPF_MAXINSNS: the kernel refuses more */
#define BPF_RETS_MAX 16

struct bpf {
	size_t len;
	struct sock_filter insns[BPF_INSNS_MAX]; /* the last one first, until bpf_finish */
	size_t rets, ret_label[BPF_RETS_MAX];	 /* the nearest return with each answer */
	uint32_t ret_answer[BPF_RETS_MAX];
};

/* Each adds instructions at the beginning and returns their label, or 0 if the program is full. */
size_t bpf_load(struct bpf *p, size_t offset);
size_t bpf_and(struct bpf *p, uint32_t mask);
size_t bpf_ret(struct bpf *p, uint32_t answer);
/* TEST is BPF_JEQ, BPF_JGE or BPF_JSET. Both outcomes jump. */
size_t bpf_jump(struct bpf *p, uint16_t test, uint32_t value, size_t yes, size_t no);
/* Brings the instructions into their order. */
void bpf_finish(struct bpf *p);

#endif
