/* SPDX-License-Identifier: MIT
 *
 * For plain ASCII this allocates nothing: every form is the text itself.
 */
#include "detect/prepared.h"

#include <stdlib.h>

#include "detect/language.h"
#include "scan/text/lower.h"

int prepared_init(struct prepared *p, struct text source, struct err *err)
{
	*p = (struct prepared){.source = source};
	if (normal_decode(source.s, source.len, &p->raw, err) < 0)
		return -1;
	if (normal_fold(&p->raw, &p->normal, err) < 0) {
		normal_done(&p->raw);
		return -1;
	}
	p->differs = p->normal.data != p->raw.data;
	return 0;
}

void prepared_done(struct prepared *p)
{
	normal_done(&p->normal);
	normal_done(&p->raw);
	fences_done(&p->fences);
	free(p->lower);
	*p = (struct prepared){0};
}

int prepared_lower(struct prepared *p, struct err *err)
{
	if (!p->lower)
		p->lower = lower_text(p->normal.data, p->normal.len, &p->lower_len);
	return p->lower ? 0 : err_memory(err);
}

int prepared_fences(struct prepared *p, bool unclosed, struct err *err)
{
	if (!p->fenced)
		fences_find(p->normal.data, p->normal.len, unclosed, &p->fences);
	p->fenced = true;
	return p->fences.failed ? err_memory(err) : 0;
}

const char *prepared_language(struct prepared *p)
{
	if (!p->language)
		p->language = language_of(p->raw.data, p->raw.len);
	return p->language;
}
