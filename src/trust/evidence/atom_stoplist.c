/* SPDX-License-Identifier: MIT
 *
 * The stop list: literals that look like atoms but are in a great many documents and programs. A row
 * must be something that many unrelated people write. It must never be a place that an attacker could
 * send to, such as a paste site or a storage service. Also the suffixes by which a word with dots is
 * a file and not a host.
 */
#include <string.h>

#include "base/scope.h"
#include "trust/evidence/atoms.h"

enum { WHOLE = 0, BELOW = 1, URLS = 2 };

/* BELOW: also names below the host, or files below the directory. URLS: also URLs there. */
static const struct {
	enum atom_kind kind;
	char text[24];
	unsigned how;
} rows[] = {
	/* Names of specifications, which have the form of addresses. */
	{ATOM_HOST, "w3.org", BELOW | URLS},
	{ATOM_HOST, "ietf.org", BELOW | URLS},
	{ATOM_HOST, "rfc-editor.org", BELOW | URLS},
	{ATOM_HOST, "xmlsoap.org", BELOW | URLS},
	{ATOM_HOST, "json-schema.org", BELOW | URLS},
	{ATOM_HOST, "schema.org", BELOW | URLS},
	{ATOM_HOST, "unicode.org", BELOW | URLS},
	{ATOM_HOST, "purl.org", BELOW | URLS},
	{ATOM_HOST, "iana.org", BELOW | URLS},
	{ATOM_HOST, "openxmlformats.org", BELOW | URLS},
	{ATOM_HOST, "schemas.microsoft.com", BELOW | URLS},
	/* Licences and projects that every file head names. */
	{ATOM_HOST, "gnu.org", BELOW | URLS},
	{ATOM_HOST, "fsf.org", BELOW | URLS},
	{ATOM_HOST, "apache.org", BELOW | URLS},
	{ATOM_HOST, "opensource.org", BELOW | URLS},
	{ATOM_HOST, "creativecommons.org", BELOW | URLS},
	{ATOM_HOST, "mozilla.org", BELOW | URLS},
	{ATOM_HOST, "kernel.org", BELOW | URLS},
	{ATOM_HOST, "debian.org", BELOW | URLS},
	{ATOM_HOST, "python.org", BELOW | URLS},
	{ATOM_HOST, "pypa.io", BELOW | URLS},
	{ATOM_HOST, "nodejs.org", BELOW | URLS},
	{ATOM_HOST, "numpy.org", BELOW | URLS},
	{ATOM_HOST, "scipy.org", BELOW | URLS},
	{ATOM_HOST, "pydata.org", BELOW | URLS},
	{ATOM_HOST, "wikipedia.org", BELOW | URLS},
	{ATOM_HOST, "doi.org", BELOW},
	{ATOM_HOST, "arxiv.org", BELOW},
	/* Common hosts: the name alone is no evidence, but a path on it is. */
	{ATOM_HOST, "github.com", WHOLE},
	{ATOM_HOST, "www.github.com", WHOLE},
	{ATOM_HOST, "api.github.com", WHOLE},
	{ATOM_HOST, "gitlab.com", WHOLE},
	{ATOM_HOST, "bitbucket.org", WHOLE},
	{ATOM_HOST, "sourceforge.net", WHOLE},
	{ATOM_HOST, "stackoverflow.com", WHOLE},
	{ATOM_HOST, "readthedocs.io", BELOW},
	{ATOM_HOST, "readthedocs.org", BELOW},
	{ATOM_HOST, "pypi.org", WHOLE},
	{ATOM_HOST, "pypi.python.org", WHOLE},
	{ATOM_HOST, "npmjs.com", WHOLE},
	{ATOM_HOST, "www.npmjs.com", WHOLE},
	{ATOM_HOST, "registry.npmjs.org", WHOLE},
	{ATOM_HOST, "crates.io", WHOLE},
	{ATOM_HOST, "docker.io", WHOLE},
	{ATOM_HOST, "google.com", WHOLE},
	{ATOM_HOST, "www.google.com", WHOLE},
	{ATOM_HOST, "gmail.com", WHOLE},
	{ATOM_HOST, "hotmail.com", WHOLE},
	{ATOM_HOST, "yahoo.com", WHOLE},
	{ATOM_HOST, "outlook.com", WHOLE},
	{ATOM_HOST, "microsoft.com", WHOLE},
	{ATOM_HOST, "www.microsoft.com", WHOLE},
	{ATOM_HOST, "youtube.com", WHOLE},
	{ATOM_HOST, "www.youtube.com", WHOLE},
	{ATOM_HOST, "twitter.com", WHOLE},
	/* Examples (RFC 2606); a name below them is an atom. */
	{ATOM_HOST, "example.com", URLS},
	{ATOM_HOST, "www.example.com", URLS},
	{ATOM_HOST, "api.example.com", URLS},
	{ATOM_HOST, "example.org", URLS},
	{ATOM_HOST, "www.example.org", URLS},
	{ATOM_HOST, "example.net", URLS},
	{ATOM_HOST, "foo.com", URLS},
	{ATOM_HOST, "bar.com", URLS},
	{ATOM_HOST, "localhost.localdomain", URLS},
	{ATOM_HOST, "localhost", URLS},
	/* This machine, any machine, common examples and resolvers. */
	{ATOM_IP, "0.0.0.0", URLS},
	{ATOM_IP, "127.0.0.1", URLS},
	{ATOM_IP, "127.0.1.1", URLS},
	{ATOM_IP, "255.255.255.255", URLS},
	{ATOM_IP, "255.255.255.0", URLS},
	{ATOM_IP, "255.255.0.0", URLS},
	{ATOM_IP, "255.0.0.0", URLS},
	{ATOM_IP, "1.2.3.4", URLS},
	{ATOM_IP, "1.1.1.1", URLS},
	{ATOM_IP, "8.8.8.8", URLS},
	{ATOM_IP, "8.8.4.4", URLS},
	{ATOM_IP, "10.0.0.0", URLS},
	{ATOM_IP, "10.0.0.1", URLS},
	{ATOM_IP, "172.16.0.0", URLS},
	{ATOM_IP, "192.168.0.0", URLS},
	{ATOM_IP, "192.168.0.1", URLS},
	{ATOM_IP, "192.168.1.0", URLS},
	{ATOM_IP, "192.168.1.1", URLS},
	{ATOM_IP, "192.168.1.100", URLS},
	{ATOM_IP, "192.0.2.1", URLS},
	{ATOM_IP, "198.51.100.1", URLS},
	{ATOM_IP, "203.0.113.1", URLS},
	{ATOM_IP, "2001:db8::1", URLS},
	/* Examples of people. */
	{ATOM_EMAIL, "git@github.com", WHOLE},
	{ATOM_EMAIL, "user@example.com", WHOLE},
	{ATOM_EMAIL, "test@example.com", WHOLE},
	{ATOM_EMAIL, "noreply@github.com", WHOLE},
	{ATOM_EMAIL, "you@example.com", WHOLE},
	{ATOM_EMAIL, "me@example.com", WHOLE},
	{ATOM_EMAIL, "foo@bar.com", WHOLE},
	/* The standard layout: programs, libraries, devices, places for temporary files. */
	{ATOM_PATH, "/bin", BELOW},
	{ATOM_PATH, "/sbin", BELOW},
	{ATOM_PATH, "/lib", BELOW},
	{ATOM_PATH, "/lib64", BELOW},
	{ATOM_PATH, "/usr/bin", BELOW},
	{ATOM_PATH, "/usr/sbin", BELOW},
	{ATOM_PATH, "/usr/lib", BELOW},
	{ATOM_PATH, "/usr/lib64", BELOW},
	{ATOM_PATH, "/usr/libexec", BELOW},
	{ATOM_PATH, "/usr/include", BELOW},
	{ATOM_PATH, "/usr/share", BELOW},
	{ATOM_PATH, "/usr/local", BELOW},
	{ATOM_PATH, "/usr/src", BELOW},
	{ATOM_PATH, "/opt/local", BELOW},
	{ATOM_PATH, "/dev/null", WHOLE},
	{ATOM_PATH, "/dev/zero", WHOLE},
	{ATOM_PATH, "/dev/full", WHOLE},
	{ATOM_PATH, "/dev/random", WHOLE},
	{ATOM_PATH, "/dev/urandom", WHOLE},
	{ATOM_PATH, "/dev/stdin", WHOLE},
	{ATOM_PATH, "/dev/stdout", WHOLE},
	{ATOM_PATH, "/dev/stderr", WHOLE},
	{ATOM_PATH, "/dev/tty", WHOLE},
	{ATOM_PATH, "/dev/ptmx", WHOLE},
	{ATOM_PATH, "/dev/fd", BELOW},
	{ATOM_PATH, "/dev/shm", WHOLE},
	{ATOM_PATH, "/var/tmp", WHOLE},
	{ATOM_PATH, "/var/lib", WHOLE},
	{ATOM_PATH, "/var/log", WHOLE},
	{ATOM_PATH, "/var/run", WHOLE},
	{ATOM_PATH, "/proc/self", WHOLE},
	{ATOM_PATH, "/proc/self/fd", WHOLE},
	{ATOM_PATH, "/proc/cpuinfo", WHOLE},
	{ATOM_PATH, "/proc/meminfo", WHOLE},
	{ATOM_PATH, "/proc/mounts", WHOLE},
	{ATOM_PATH, "/sys/fs/cgroup", WHOLE},
	{ATOM_PATH, "/etc/hosts", WHOLE},
	{ATOM_PATH, "/etc/localtime", WHOLE},
	{ATOM_PATH, "/etc/os-release", WHOLE},
	{ATOM_PATH, "/etc/resolv.conf", WHOLE},
	{ATOM_PATH, "/home/user", WHOLE},
	{ATOM_PATH, "/path/to", BELOW},
	{ATOM_PATH, "/foo/bar", BELOW},
	{ATOM_PATH, "/tmp/foo", WHOLE},
	{ATOM_PATH, "/tmp/test", WHOLE},
	/* Below a home or a project. */
	{ATOM_PATH, ".bashrc", WHOLE},
	{ATOM_PATH, ".profile", WHOLE},
	{ATOM_PATH, ".config", WHOLE},
	{ATOM_PATH, ".cache", WHOLE},
	{ATOM_PATH, ".local", WHOLE},
	{ATOM_PATH, ".local/share", WHOLE},
	{ATOM_PATH, ".local/bin", WHOLE},
	{ATOM_PATH, ".venv", BELOW},
	{ATOM_PATH, ".git", BELOW},
	{ATOM_PATH, ".github", BELOW},
	{ATOM_PATH, ".gitignore", WHOLE},
	{ATOM_PATH, ".vscode", BELOW},
	/* Alphabets and constants. */
	{ATOM_TOKEN, "0123456789abcdef", BELOW},
	{ATOM_TOKEN, "0123456789ABCDEF", BELOW},
};

/* Is TEXT below ROW? A host below it ends with ROW; any other name begins with it. */
static bool is_below(enum atom_kind kind, const char *text, size_t len, const char *row, size_t n)
{
	if (len <= n)
		return false;
	if (kind == ATOM_HOST)
		return text[len - n - 1] == '.' && memcmp(text + len - n, row, n) == 0;
	return (kind == ATOM_TOKEN || text[n] == '/') && memcmp(text, row, n) == 0;
}

static int row_find(enum atom_kind kind, const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].kind != kind)
			continue;
		size_t n = strlen(rows[i].text);
		if ((len == n && memcmp(text, rows[i].text, n) == 0) ||
		    (rows[i].how & BELOW && is_below(kind, text, len, rows[i].text, n)))
			return (int)i;
	}
	return -1;
}

/* SCHEME://NAME[:PORT][/...]: an URL of a common host is common if the row says so, and a bare one
 * always. */
static bool is_common_url(const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len), *host = colon + 3, *end = host;

	while (end < text + len && *end != '/' && *end != '?' && *end != ':')
		end++;
	int row = row_find(ATOM_HOST, host, (size_t)(end - host));
	if (row < 0)
		row = row_find(ATOM_IP, host, (size_t)(end - host));
	const char *path = memchr(end, '/', (size_t)(text + len - end));
	return row >= 0 && (rows[row].how & URLS || !path || path + 1 == text + len);
}

bool atom_is_common(enum atom_kind kind, const char *text, size_t len)
{
	return kind == ATOM_URL ? is_common_url(text, len) : row_find(kind, text, len) >= 0;
}

/* Endings of files. One that is missing here ties code to a document only if both name the same file. */
static const char file_ends[] = " asm bak bat bin bmp bz2 c cc cfg conf cpp crt cs css csv dat db "
				"deb diff dll doc docx env exe "
				"gif go gz h hpp htm html ico in ini ipynb jar java jpeg jpg js "
				"json jsonl jsx key lock log lua "
				"m4a md mjs mk mov mp3 mp4 npy npz old orig out parquet patch pdf "
				"pem php pickle pkl pl png ppt "
				"pptx ps ps1 py pyc pyi pyx rb rpm rs rst rtf scss sh so sql "
				"sqlite sqlite3 svg swift tar tex tgz "
				"tif tiff tmp toml ts tsv tsx ttf txt vue wasm wav webp whl xls "
				"xlsx xml xz yaml yml zip zst ";

bool atom_is_file_end(const char *label, size_t len)
{
	for (const char *word = file_ends + 1, *end; (end = strchr(word, ' ')); word = end + 1)
		if ((size_t)(end - word) == len && memcmp(word, label, len) == 0)
			return true;
	return false;
}
