/* SPDX-License-Identifier: MIT
 *
 * Encodes the head: fields in fixed places, numbers big-endian, so the bytes are the same on every
 * machine.
 */
#include "store/head.h"

#include <string.h>

#include "store/backend.h"

/* Format 2 has no length of the file heads. */
static const uint8_t magic[8] = "cordlog2", magic_2[8] = "cordlog1";

static uint8_t *put_number(uint8_t *p, uint64_t n)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(n >> (56 - 8 * i));
	return p + 8;
}

static uint8_t *put_bytes(uint8_t *p, const void *data, size_t len)
{
	memcpy(p, data, len);
	return p + len;
}

size_t head_encode(const struct head *h, uint8_t ret[HEAD_MAX])
{
	uint8_t *p = put_bytes(ret, magic, sizeof(magic));

	p = put_number(p, h->tree.size);
	p = put_number(p, h->writes);
	p = put_number(p, h->checkpoint);
	p = put_number(p, h->heads);
	p = put_bytes(p, h->log_id, HEAD_LOG_ID);
	p = put_bytes(p, h->public, KEY_PUBLIC);
	p = put_bytes(p, h->last, RECORD_HASH);
	p = put_bytes(p, h->tree.edge, (size_t)merkle_edges(&h->tree) * MERKLE_HASH);
	return (size_t)(p - ret);
}

static const uint8_t *get_number(const uint8_t *p, uint64_t *ret)
{
	uint64_t n = 0;

	for (int i = 0; i < 8; i++)
		n = n << 8 | p[i];
	*ret = n;
	return p + 8;
}

static const uint8_t *get_bytes(const uint8_t *p, void *ret, size_t len)
{
	memcpy(ret, p, len);
	return p + len;
}

int head_decode(const uint8_t *data, size_t len, struct head *ret, struct err *err)
{
	size_t fixed = HEAD_MAX - MERKLE_EDGE_MAX * MERKLE_HASH;
	struct head h = {0};

	bool is_2 = len >= sizeof(magic_2) && memcmp(data, magic_2, sizeof(magic_2)) == 0;
	if (is_2)
		fixed -= 8;
	if (len < fixed || (!is_2 && memcmp(data, magic, sizeof(magic)) != 0))
		return err_set(err, ERR_INPUT, "the head of the log is damaged");
	const uint8_t *p = get_number(data + sizeof(magic), &h.tree.size);
	p = get_number(p, &h.writes);
	p = get_number(p, &h.checkpoint);
	if (!is_2)
		p = get_number(p, &h.heads);
	p = get_bytes(p, h.log_id, HEAD_LOG_ID);
	p = get_bytes(p, h.public, KEY_PUBLIC);
	p = get_bytes(p, h.last, RECORD_HASH);
	size_t edge = (size_t)merkle_edges(&h.tree) * MERKLE_HASH;
	if (len != fixed + edge || h.tree.size == 0 || h.tree.size > JCS_NUMBER_MAX ||
	    h.checkpoint > h.tree.size || h.writes == 0 || h.writes > JCS_NUMBER_MAX)
		return err_set(err, ERR_INPUT, "the head of the log is damaged");
	get_bytes(p, h.tree.edge, edge);
	*ret = h;
	return 0;
}

int head_from_tip(const struct store_tip *tip, struct head *ret, struct err *err)
{
	if (tip->head_len == 0)
		return err_set(err, ERR_INPUT,
			       tip->has_last ? "the log has records but no head"
					     : "there is no log");
	if (head_decode(tip->head, tip->head_len, ret, err) < 0)
		return -1;
	if (tip->has_last && tip->last_seq == ret->tree.size - 1 &&
	    memcmp(tip->last_hash, ret->last, RECORD_HASH) == 0)
		return 0;
	err_set(err, ERR_INPUT, "the log is inconsistent: its last record is not number %llu",
		(unsigned long long)ret->tree.size - 1);
	err_cure(err, "keep a copy of the log, then run cordon audit verify");
	return -1;
}
