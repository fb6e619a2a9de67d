/* SPDX-License-Identifier: MIT
 *
 * Writes classic BPF, last instruction first. A conditional jump reaches 255 instructions forward;
 * a longer one goes through an unconditional jump in between. Returns are shared within reach,
 * which halves the length of a filter.
 */
#include "tools/bpf.h"

enum { REACH = 255 };

static size_t put(struct bpf *p, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (p->len == BPF_INSNS_MAX)
		return 0;
	p->insns[p->len++] = (struct sock_filter){code, jt, jf, k};
	return p->len;
}

size_t bpf_load(struct bpf *p, size_t offset)
{
	return put(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

size_t bpf_and(struct bpf *p, uint32_t mask)
{
	return put(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
}

/* Up to two jumps of the instruction itself may come in between. */
static bool is_near(const struct bpf *p, size_t label)
{
	return p->len + 2 - label <= REACH;
}

size_t bpf_ret(struct bpf *p, uint32_t answer)
{
	size_t i = 0;

	while (i < p->rets && p->ret_answer[i] != answer)
		i++;
	if (i < p->rets && is_near(p, p->ret_label[i]))
		return p->ret_label[i];
	size_t label = put(p, BPF_RET | BPF_K, 0, 0, answer);
	if (i < BPF_RETS_MAX) {
		p->ret_answer[i] = answer;
		p->ret_label[i] = label;
		p->rets += i == p->rets;
	}
	return label;
}

static size_t step(struct bpf *p, size_t label)
{
	return is_near(p, label) ? label
				 : put(p, BPF_JMP | BPF_JA, 0, 0, (uint32_t)(p->len - label));
}

size_t bpf_jump(struct bpf *p, uint16_t test, uint32_t value, size_t yes, size_t no)
{
	if (!yes || !no)
		return 0;
	yes = step(p, yes);
	no = step(p, no);
	if (!yes || !no)
		return 0;
	return put(p, BPF_JMP | BPF_K | test, (uint8_t)(p->len - yes), (uint8_t)(p->len - no),
		   value);
}

void bpf_finish(struct bpf *p)
{
	for (size_t i = 0; i < p->len / 2; i++) {
		struct sock_filter insn = p->insns[i];
		p->insns[i] = p->insns[p->len - 1 - i];
		p->insns[p->len - 1 - i] = insn;
	}
}
