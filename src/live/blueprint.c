/* SPDX-License-Identifier: MIT
 *
 * Opens, seals and hashes the code and its input, before the gate decides on them. blueprint_make.c
 * builds the rest of the spec.
 */
#include "live/blueprint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "conf/name_list.h"
#include "conf/profile.h"
#include "live/encoding.h"

enum { FIRST_LINE_MAX = 256 };

void blueprint_init(struct blueprint *p)
{
	p->payload.fd = p->workspace = p->saved = p->input = p->input_file = -1;
	p->channel = p->channel_in = p->parts = -1;
	p->pump.from = p->pump.to = -1;
	egress_process_init(&p->egress);
}

static void close_channel(struct blueprint *p)
{
	scope_close(&p->channel);
	scope_close(&p->channel_in);
	scope_close(&p->parts);
}

void blueprint_again(struct blueprint *p)
{
	scope_close(&p->workspace);
	scope_close(&p->saved);
	direct_close(&p->direct);
	host_paths_close(&p->host_paths);
	p->venv = p->library = NULL;
	p->own.missing = NULL;
	close_channel(p);
	egress_process_done(&p->egress);
	memset(&p->spec, 0, sizeof(p->spec));
	p->hash_later = p->reads_early = p->has_telemetry = false;
}

void blueprint_done(struct blueprint *p)
{
	private_path_close(&p->private);
	egress_process_done(&p->egress);
	arena_done(&p->arena);
	payload_done(&p->payload);
	scope_close(&p->workspace);
	scope_close(&p->saved);
	direct_close(&p->direct);
	host_paths_close(&p->host_paths);
	close_channel(p);
	scope_close(&p->input);
	scope_close(&p->input_file);
	scope_close(&p->pump.from);
	scope_close(&p->pump.to);
}

/* Of a file without a suffix: the program that its first line names. */
static const struct profile *guess_by_first_line(const char *file)
{
	AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char line[FIRST_LINE_MAX];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	if (n < 2 || line[0] != '#' || line[1] != '!')
		return NULL;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return profile_guess_program(line + 2);
}

static int choose_profile(struct blueprint *p, const struct request *r, struct err *err)
{
	char names[NAMES_MAX];

	p->profile = r->lang ? profile_find(r->lang) : profile_guess(r->file);
	if (!p->profile && !r->lang && !r->code)
		p->profile = guess_by_first_line(r->file);
	if (p->profile)
		return 0;
	err_set(err, ERR_USAGE, "%s%s",
		r->lang ? "unknown language " : "cannot tell the language of ",
		r->lang ? r->lang : r->file);
	err_cure(err, "use --lang %s", names_of_profiles(names, sizeof(names)));
	return -1;
}

/* The program reads from a pipe of its own: see pump.c. */
static int open_pump(struct blueprint *p, int *from, struct err *err)
{
	int pipe[2];

	if (io_box_pipe(pipe) < 0 || fcntl(pipe[1], F_SETFL, O_NONBLOCK) < 0)
		return err_errno(err, ERR_SYSTEM, "making a pipe");
	p->input = pipe[0];
	p->pump.to = pipe[1];
	p->pump.from = scope_take_fd(from);
	return 0;
}

/* An approval and the record of origin refer to this hash. */
static int fix_input(struct blueprint *bp, struct err *err)
{
	if (bp->input < 0 || payload_hash_file(bp->input, bp->input_sha256, err) < 0)
		return -1;
	bp->input_is_fixed = true;
	return 0;
}

/* The program must not share an open file description with the caller: it could move the caller's
 * file offset or change the flags of its pipe. */
static int open_input(struct blueprint *p, const struct request *req, struct err *err)
{
	const char *file = req->stdin_file ? req->stdin_file : "/dev/null";
	bool passed = strcmp(file, "-") == 0;
	AUTO_CLOSE int fd = passed ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				   : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (req->input) {
		p->input = payload_input("the input", req->input, req->input_len, err);
		return fix_input(p, err);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "--stdin %s", file);
	if (S_ISREG(st.st_mode)) {
		if (own_paths_refuse(&p->own, fd, file, err) < 0)
			return -1;
		p->input = payload_copy(fd, file, err);
		if (!passed && st.st_nlink)
			p->input_file = scope_take_fd(&fd);
		return fix_input(p, err);
	}
	if (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return err_set(err, ERR_INPUT,
			       "--stdin %s: only a file, a pipe or a character device can be read",
			       file);
	if (req->stdin_file)
		return open_pump(p, &fd, err);
	p->input = scope_take_fd(&fd);
	return fix_input(p, err); /* /dev/null */
}

static int open_payload(struct blueprint *p, const struct request *r, struct err *err)
{
	const char *name = r->code		       ? "the code"
			   : strcmp(r->file, "-") == 0 ? "standard input"
						       : r->file;
	int opened = r->code ? payload_take(&p->payload, p->profile, r->code, r->code_len, err)
			     : payload_open(&p->payload, p->profile, r->file, r->limit[LIMIT_TIME],
					    &p->own, err);

	if (opened < 0 || p->payload.is_program)
		return opened;
	return encoding_check(p->profile, name, p->payload.data, p->payload.len, err);
}

int blueprint_begin(struct blueprint *p, const struct request *req, const struct policy *policy,
		    struct err *err)
{
	own_paths_find(&p->own, req, policy, &p->arena);
	if (choose_profile(p, req, err) < 0)
		return -1;
	if (req->creates_box)
		return payload_take(&p->payload, p->profile, "", 0, err);
	if (open_payload(p, req, err) < 0)
		return -1;
	return open_input(p, req, err);
}
