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
/* Reads a small text file relative to DIRFD, NUL-terminated, without its last newline. EOVERFLOW if
 * it does not fit. BUF is empty on failure. */
int io_read_text(int dirfd, const char *path, char *buf, size_t size);
/* The same for an open file. */
int io_take_text(int fd, char *buf, size_t size);
int io_write_text(int dirfd, const char *path, const char *text);
/* The next entry; NULL at the end with errno 0, or on an error with errno. */
struct dirent *io_readdir(DIR *d);

/* A pipe that a program of a box, which may have other ids, can open again as /dev/stdin. */
int io_box_pipe(int ret[2]);
/* One datagram with descriptors. */
#define IO_FDS_MAX 12
int io_send_fds(int sock, const void *data, size_t len, const int *fds, size_t count);
/* Returns the length, 0 at the end, or -1. *COUNT is the room in FDS, then the number received.
 * EMSGSIZE if the message does not fit. */
ssize_t io_recv_fds(int sock, void *data, size_t size, int *fds, size_t *count);
/* With at most one descriptor: FD may be -1; *RET_FD is -1 without one. */
int io_send(int sock, const void *data, size_t len, int fd);
ssize_t io_recv(int sock, void *data, size_t size, int *ret_fd);

uint64_t io_now_ns(void);

/* A memfd with DATA, sealed against every change. Returns the descriptor or -1. */
int io_sealed_memfd(const char *name, const void *data, size_t len);
bool io_is_sealed(int fd);

#endif
