/* SPDX-License-Identifier: MIT
 *
 * A ticket as JSON.
 */
#include "show/ticket_json.h"

#include "trust/ticket.h"

static json_t *list_json(const struct ticket *t, enum cap cap)
{
	json_t *all = jsonval_array();

	for (size_t i = 0; i < t->count[cap]; i++)
		json_array_append_new(all, jsonval_readable(t->list[cap][i]));
	return all;
}

#define TICKET(function, expression) FIELD(function, struct ticket, expression)
TICKET(ticket_id, jsonval_id(&v->id))
TICKET(ticket_giver, json_string(ticket_giver_name(v->giver)))
TICKET(ticket_by, jsonval_readable(v->by))
TICKET(ticket_conversation, v->has_conversation ? jsonval_id(&v->conversation) : json_null())
TICKET(ticket_directory, v->has_directory ? jsonval_readable(v->directory) : json_null())
TICKET(ticket_program, v->has_program ? jsonval_hex(v->program, sizeof(v->program)) : json_null())
TICKET(ticket_write, list_json(v, CAP_WRITE))
TICKET(ticket_net, list_json(v, CAP_NET))
TICKET(ticket_secret, list_json(v, CAP_SECRET))
TICKET(ticket_sent, jsonval_number(v->sent_max))
TICKET(ticket_to, jsonval_number(v->to_us / 1000))
TICKET(ticket_runs, v->runs ? jsonval_number(v->runs) : json_null())
TICKET(ticket_used, jsonval_number(v->used))

const struct json_field ticket_fields[] = {
	{"ticket", "its id", ticket_id},
	{"giver", "plan or grant", ticket_giver},
	{"by", "the person or the account", ticket_by},
	{"conversation", "the conversation it is for, or null", ticket_conversation},
	{"directory", "the directory it is for, or null", ticket_directory},
	{"program", "hash of the program it is for, or null", ticket_program},
	{"write", "paths below the directory", ticket_write},
	{"net", "hosts", ticket_net},
	{"secret", "names of secrets; in a grant NAME=METHODS:HOST:PORT/PATH", ticket_secret},
	{"sent_max", "bytes that one run may send", ticket_sent},
	{"to", "when it ends, ms since 1970", ticket_to},
	{"runs", "the number of runs it is for; null: any number", ticket_runs},
	{"used", "the number of runs that have used it", ticket_used},
	{0}};
