/* SPDX-License-Identifier: MIT
 *
 * Whole reads and writes, small files, descriptors over sockets, the monotonic clock.
 */
#ifndef CORDON_BASE_IO_H
#define CORDON_BASE_IO_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

int io_write_all(int fd, const void *data, size_t len);
/* Reads until LEN or end of file; returns the bytes read, or -1. */
ssize_t io_read_full(int fd, void *data, size_t len);
/* Reads a small text file relative to DIRFD, NUL-terminated, without its last newline. One that
 * does not fit is EOVERFLOW: a part must not pass for the whole. BUF is empty on failure. */
int io_read_text(int dirfd, const char *path, char *buf, size_t size);
/* The same of a file that is open. */
int io_take_text(int fd, char *buf, size_t size);
int io_write_text(int dirfd, const char *path, const char *text);
/* The next entry. NULL: errno is 0 at the end, or says why there may be more. */
struct dirent *io_readdir(DIR *d);

/* One datagram with descriptors. */
#define IO_FDS_MAX 12
int io_send_fds(int sock, const void *data, size_t len, const int *fds, size_t count);
/* Returns the length, 0 at end, -1. *COUNT is the room in FDS, then how many came. A message that
 * does not fit is EMSGSIZE. */
ssize_t io_recv_fds(int sock, void *data, size_t size, int *fds, size_t *count);
/* With at most one. FD may be -1, *RET_FD is -1 when none came. */
int io_send(int sock, const void *data, size_t len, int fd);
ssize_t io_recv(int sock, void *data, size_t size, int *ret_fd);

uint64_t io_now_ns(void);

/* Sealed memfd that holds DATA: nobody can change it afterwards. Returns the fd or -1. */
int io_sealed_memfd(const char *name, const void *data, size_t len);
bool io_is_sealed(int fd);

#endif
