/* SPDX-License-Identifier: MIT
 *
 * cordon audit archive: moves the bodies of old records into a file (store/archive.h). An option or
 * log.keep of the configuration sets the age. Nothing is archived automatically.
 */
#include "store/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/cli/audit.h"
#include "show/jsonval.h"
#include "show/terminal.h"

struct archive_view {
	const struct archive_info *info;
	uint64_t before_us;
};

#define ARCHIVE(function, expression) FIELD(function, struct archive_view, expression)
ARCHIVE(field_records, jsonval_number(v->info->records))
ARCHIVE(field_first, v->info->records ? jsonval_number(v->info->first) : json_null())
ARCHIVE(field_last, v->info->records ? jsonval_number(v->info->last) : json_null())
ARCHIVE(field_bytes, jsonval_number(v->info->bytes))
ARCHIVE(field_before, jsonval_number(v->before_us / 1000))
ARCHIVE(field_sha256,
	v->info->records ? jsonval_hex(v->info->sha256, sizeof(v->info->sha256)) : json_null())

const struct json_field audit_archive_fields[] = {
	{"records", "records whose bodies were moved to the file; 0: no file was made",
	 field_records},
	{"first", "number of the first such record, or null", field_first},
	{"last", "number of the last such record, or null", field_last},
	{"bytes", "bytes of their bodies", field_bytes},
	{"before", "all are older than this time, ms since 1970", field_before},
	{"sha256", "the SHA-256 stored in the file, or null", field_sha256},
	{0}};

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t audit_overdue(struct audit *a)
{
	uint64_t keep_us = a->call->config.now.keep_ms * 1000, oldest = 0, now = now_us();
	struct err none;

	if (!keep_us || keep_us >= now || archive_oldest(a->state->store, &oldest, &none) < 0)
		return 0;
	return oldest && oldest < now - keep_us ? now - keep_us : 0;
}

/* Parses 2026-08-31 or 2026-08-31T12:00:00Z. */
static int parse_date(const char *word, uint64_t *ret_us, struct err *err)
{
	struct tm t = {0};
	const char *end = strptime(word, "%Y-%m-%d", &t);

	if (end && *end)
		end = strptime(end, "T%H:%M:%SZ", &t);
	time_t seconds = end && !*end ? timegm(&t) : -1;
	if (seconds < 0)
		return err_set(err, ERR_USAGE,
			       "--before: a date like 2026-08-31 or 2026-08-31T12:00:00Z");
	*ret_us = (uint64_t)seconds * 1000000;
	return 0;
}

/* An enforced log.keep also limits --before. */
static int check_date(const struct config *c, uint64_t before_us, uint64_t kept_from_us,
		      struct err *err)
{
	const char *where = c->enforced.where[CONFIG_LOG_KEEP];

	if (!where || before_us <= kept_from_us)
		return 0;
	err_set(err, ERR_REFUSED, "--before: the log keeps younger records on this machine");
	err_cause(err, "%.200s enforces log.keep", where);
	err_cure(err, "leave --before out, or ask the administrator of this machine (root)");
	return -1;
}

static int find_before(const struct audit *a, uint64_t *ret_us, struct err *err)
{
	const struct cli_call *call = a->call;
	uint64_t keep_ms = call->config.now.keep_ms, now = now_us();
	uint64_t kept_from = keep_ms < now / 1000 ? now - keep_ms * 1000 : 0;

	if (a->options->before)
		return parse_date(a->options->before, ret_us, err) < 0
			       ? -1
			       : check_date(&call->config, *ret_us, kept_from, err);
	if (!keep_ms) {
		err_set(err, ERR_USAGE, "--before or --keep is required");
		err_cure(err, "--before 2026-08-31, --keep 90d, or log: {keep: 90d} in the "
			      "configuration");
		return -1;
	}
	*ret_us = kept_from;
	return 0;
}

int audit_archive(struct audit *a, struct err *err)
{
	struct archive_info info;
	uint64_t before = 0;
	char when[TERMINAL_TIME_MAX];

	if (find_before(a, &before, err) < 0 ||
	    archive_make(a->state->store, before, AT_FDCWD, a->call->argv[1], &info, err) < 0)
		return -1;
	if (a->call->json)
		jsonval_print(jsonval_object(audit_archive_fields,
					     &(struct archive_view){&info, before}));
	else if (!info.records)
		printf("no record from before %s is left to archive\n",
		       terminal_time(before, when));
	else
		printf("%llu records, %llu to %llu, are in the archive now; the log keeps their "
		       "hashes\n",
		       (unsigned long long)info.records, (unsigned long long)info.first,
		       (unsigned long long)info.last);
	return 0;
}

int audit_load_archives(const struct audit *a, struct archive_set *set, struct err *err)
{
	for (size_t i = 0; i < a->options->archivec; i++) {
		const char *name = a->options->archive[i];
		AUTO_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0)
			return err_errno(err, ERR_INPUT, "%.200s", name);
		if (archive_load(set, fd, err) < 0) {
			err_context(err, "%.200s", name);
			return -1;
		}
	}
	return 0;
}
