/* SPDX-License-Identifier: MIT
 *
 * A kernel, or a filter before it, that takes a call and does nothing: the right that should have
 * gone is still there. The box must not start, and the message must not blame an old errno. prctl
 * and capget are this program's own here.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/box.h"
#include "tap.h"

/* Every call says yes; capabilities and no_new_privs stay as they were. */
static bool keeps_caps;

int prctl(int option, ...)
{
	(void)option;
	return 0;
}

long syscall(long number, ...)
{
	va_list ap;

	va_start(ap, number);
	(void)va_arg(ap, void *);
	unsigned char *data = va_arg(ap, unsigned char *);
	va_end(ap);
	if (number == SYS_capget)
		memset(data, keeps_caps, 2 * sizeof(struct __user_cap_data_struct));
	return 0;
}

static void test_lie(const char *layer, const char *message)
{
	struct spec spec = {.tier = TIER_FULL};
	struct box b = {.spec = &spec};
	struct err err = {0};

	errno = EXDEV;
	int r = creds_drop_held(&b, &err);
	ok(r == -1 && err.code == ERR_LAYER && strcmp(err.layer, layer) == 0,
	   "%s: it does not hold, and the run ends", layer);
	if (!ok(strcmp(err.message, message) == 0 && err.sys_errno == 0, "%s: no old errno", layer))
		printf("# %s\n", err.message);
}

int main(void)
{
	keeps_caps = true;
	test_lie("caps", "capabilities are still there");
	keeps_caps = false;
	test_lie("nnp", "no_new_privs is not set");
	return tap_done();
}
