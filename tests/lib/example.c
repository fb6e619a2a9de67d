/* SPDX-License-Identifier: MIT
 *
 * example [OPTION=VALUE...]: runs the code of its standard input and shows what came of it; program=PATH
 * names the cordon that runs it. The tests compile and run it.
 */
#include <cordon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int show(void *ctx, int stream, const char *data, size_t len)
{
	(void)ctx;
	return fwrite(data, 1, len, stream == 1 ? stdout : stderr) == len ? 0 : -1;
}

int main(int argc, char **argv)
{
	static char code[1 << 20];
	size_t len = fread(code, 1, sizeof(code), stdin);
	struct cordon *c = cordon_new();
	struct cordon_result *r = NULL;

	for (int i = 1; c && i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (value)
			*value++ = '\0';
		if ((strcmp(argv[i], "program") == 0 && value ? cordon_set_program(c, value)
							      : cordon_set(c, argv[i], value)) < 0)
			break;
	}
	if (!c || cordon_error(c)[0] || cordon_on_output(c, show, NULL) < 0 ||
	    cordon_run(c, code, len, &r) < 0) {
		fprintf(stderr, "example: %s\n", c ? cordon_error(c) : "out of memory");
		cordon_free(c);
		return 1;
	}
	fflush(stdout);
	printf("[%s %d]%s%s\n", cordon_status(r), cordon_exit_code(r), *cordon_reason(r) ? " " : "",
	       cordon_reason(r));
	cordon_result_free(r);
	cordon_free(c);
	return 0;
}
