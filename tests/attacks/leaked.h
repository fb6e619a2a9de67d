/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that the runner leaves open when it starts cordon, and that a probe looks for.
 */
#ifndef ATTACKS_LEAKED_H
#define ATTACKS_LEAKED_H

enum { LEAKED_FILE_FD = 17, LEAKED_DIRECTORY_FD = 18 };

#endif
