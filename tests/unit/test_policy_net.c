/* SPDX-License-Identifier: MIT
 *
 * Entries of the network lists: what each is written as, what is refused in which list, and the
 * longest name and label. What is written must read back as the same.
 */
#include "policy/net.h"

#include "base/scope.h"
#include "tap.h"

struct net_row {
	const char *text, *allow, *deny; /* what it is written as; NULL: refused */
};

static const struct net_row nets[] = {
	{"example.org:443", "example.org:443", "example.org:443"},
	{"Example.ORG:443", "example.org:443", "example.org:443"},
	{"example.org", NULL, "example.org:*"},
	{"example.org:*", "example.org:*", "example.org:*"},
	{"example.org:8000-8100", "example.org:8000-8100", "example.org:8000-8100"},
	{"example.org:80-80", "example.org:80", "example.org:80"},
	{"example.org:1-65535", "example.org:*", "example.org:*"},
	{"*.example.org:443", "*.example.org:443", "*.example.org:443"},
	{"*.org:443", NULL, "*.org:443"},
	{"*:443", NULL, NULL},
	{"*", NULL, NULL},
	{"a.*.org:443", NULL, NULL},
	{"*example.org:443", NULL, NULL},
	{"localhost:80", "localhost:80", "localhost:80"},
	{"xn--bcher-kva.example:443", "xn--bcher-kva.example:443", "xn--bcher-kva.example:443"},
	{"b\xc3\xbc"
	 "cher.example:443",
	 NULL, NULL},
	{"example.org.:443", NULL, NULL},
	{".example.org:443", NULL, NULL},
	{"exa mple.org:443", NULL, NULL},
	{"-a.org:443", NULL, NULL},
	{"a-.org:443", NULL, NULL},
	{"a_b.org:443", NULL, NULL},
	{"https://example.org:443", NULL, NULL},
	{"example.org/path:443", NULL, NULL},
	{"user@example.org:443", NULL, NULL},
	{":443", NULL, NULL},
	{"example.org:", NULL, NULL},
	{"example.org:0", NULL, NULL},
	{"example.org:65535", "example.org:65535", "example.org:65535"},
	{"example.org:65536", NULL, NULL},
	{"example.org:0443", NULL, NULL},
	{"example.org:+443", NULL, NULL},
	{"example.org:443-80", NULL, NULL},
	{"example.org:80-", NULL, NULL},
	{"example.org:https", NULL, NULL},
	{"192.0.2.1:80", "192.0.2.1:80", "192.0.2.1:80"},
	{"192.0.2.1/32:80", "192.0.2.1:80", "192.0.2.1:80"},
	{"192.0.2.0/24:80", "192.0.2.0/24:80", "192.0.2.0/24:80"},
	{"192.0.2.1/24:80", NULL, NULL},
	{"0.0.0.0:80", NULL, "0.0.0.0:80"},
	{"[::]:80", NULL, "[::]:80"},
	{"0.0.0.0/8:80", "0.0.0.0/8:80", "0.0.0.0/8:80"},
	{"192.0.2.0/33:80", NULL, NULL},
	{"192.0.2.0/:80", NULL, NULL},
	{"192.0.2.0/024:80", NULL, NULL},
	{"192.0.2:80", NULL, NULL},
	{"192.0.2.256:80", NULL, NULL},
	{"0192.0.2.1:80", NULL, NULL},
	{"3221225985:80", NULL, NULL},
	{"0xc0000201:80", NULL, NULL},
	{"1.2.3.0x4:80", NULL, NULL},
	{"0.0.0.0/0:80", NULL, "0.0.0.0/0:80"},
	{"128.0.0.0/1:80", "128.0.0.0/1:80", "128.0.0.0/1:80"},
	{"[2001:db8::/32]:443", "[2001:db8::/32]:443", "[2001:db8::/32]:443"},
	{"[2001:DB8:0:0::1]:443", "[2001:db8::1]:443", "[2001:db8::1]:443"},
	{"[::/0]:443", NULL, "[::/0]:443"},
	{"[2001:db8::1/32]:443", NULL, NULL},
	{"[2001:db8::/129]:443", NULL, NULL},
	{"[2001:db8::", NULL, NULL},
	{"[2001:db8::]443", NULL, NULL},
	{"[example.org]:443", NULL, NULL},
	{"2001:db8::1:443", NULL, NULL},
	{"", NULL, NULL},
};

static void test_net(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(nets); i++)
		for (int allows = 0; allows < 2; allows++) {
			const char *wanted = allows ? nets[i].allow : nets[i].deny;
			char text[POLICY_NET_TEXT_MAX] = "refused";
			struct arena arena = {0};
			struct policy_net n, again;
			struct err err = {0};
			bool good;

			if (policy_net_parse(nets[i].text, allows, &arena, &n, &err) == 0)
				good = wanted &&
				       strcmp(policy_net_format(&n, text, sizeof(text)), wanted) ==
					       0 &&
				       policy_net_parse(text, allows, &arena, &again, &err) == 0;
			else
				good = !wanted && err.message[0];
			if (!ok(good, "%s \"%s\": %s", allows ? "allow" : "deny", nets[i].text,
				wanted ? wanted : "refused"))
				printf("# %s: %s\n", text, err.message);
			arena_done(&arena);
		}
}

static void test_names(void)
{
	char label[64 + 1] = {0}, name[400] = "";
	struct policy_net n;
	struct arena arena = {0};
	struct err err;

	memset(label, 'a', 63);
	for (int i = 0; i < 4; i++)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s%.*s", i ? "." : "",
			 i == 3 ? 61 : 63, label);
	ok(strlen(name) == POLICY_NET_NAME_MAX &&
		   policy_net_parse(name, false, &arena, &n, &err) == 0,
	   "the longest name is read");
	strcat(name, "a");
	ok(policy_net_parse(name, false, &arena, &n, &err) < 0, "one byte more is refused");
	memset(label, 'a', 64);
	snprintf(name, sizeof(name), "%.63s.org", label);
	ok(policy_net_parse(name, false, &arena, &n, &err) == 0, "the longest label is read");
	snprintf(name, sizeof(name), "%.64s.org", label);
	ok(policy_net_parse(name, false, &arena, &n, &err) < 0, "one byte more is refused");
	arena_done(&arena);
}

static const struct {
	const char *entry, *host;
	bool lists, denies;
} matches[] = {
	{"127.0.0.0/8", "127.0.0.1:80", false, true},
	{"127.0.0.0/8", "128.0.0.1:80", false, false},
	{"10.128.0.0/9:80", "10.200.0.1:80", false, true},
	{"10.128.0.0/9:80", "10.100.0.1:80", false, false},
	{"10.128.0.0/9:80", "10.200.0.1:81", false, false},
	{"[2001:db8::/32]", "[2001:db8::1]:443", false, true},
	{"[2001:db8::/32]", "[2001:db9::1]:443", false, false},
	{"192.0.2.1:80", "192.0.2.1:80", true, true},
	{"*.example.org", "a.example.org:443", true, true},
	{"example.org", "127.0.0.1:443", false, false},
};

static void test_matches(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
		struct arena arena = {0};
		struct policy_net n;
		struct err err;
		struct policy_netlist list = {1, &n};

		ok(policy_net_parse(matches[i].entry, false, &arena, &n, &err) == 0 &&
			   policy_net_lists(&list, matches[i].host) == matches[i].lists &&
			   policy_net_denies(&list, matches[i].host) == matches[i].denies,
		   "%s %s %s", matches[i].entry, matches[i].denies ? "denies" : "does not deny",
		   matches[i].host);
		arena_done(&arena);
	}
}

int main(void)
{
	test_net();
	test_names();
	test_matches();
	return tap_done();
}
