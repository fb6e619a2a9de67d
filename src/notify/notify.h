/* SPDX-License-Identifier: MIT
 *
 * What cordon hands to cordon-notify: the body on standard input, and these lines, each with its
 * newline, on NOTIFY_WORDS_FD: the URL, the event, the message's id, the time in seconds, the
 * secret. Nothing is in arguments or the environment, which others can read. Its status is 0 when
 * the server took the message; else standard error says why.
 */
#ifndef CORDON_NOTIFY_NOTIFY_H
#define CORDON_NOTIFY_NOTIFY_H

#define NOTIFY_PROGRAM "cordon-notify"
#define NOTIFY_SECRET_PREFIX "whsec_"

enum {
	NOTIFY_WORDS_FD = 3,
	NOTIFY_WORDS_MAX = 8192,
	NOTIFY_BODY_MAX = 1 << 20,
	NOTIFY_CONNECT_MS = 3000,
	NOTIFY_MS = 4000,	   /* in total; cordon waits longer */
	NOTIFY_ANSWER_MAX = 65536, /* bytes of an answer, which is discarded */
	NOTIFY_KEY_LEAST = 24,	   /* bytes of the secret, as Standard Webhooks says */
	NOTIFY_KEY_MOST = 64,
};

#endif
