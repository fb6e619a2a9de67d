/* SPDX-License-Identifier: MIT
 *
 * One thing that a program's interpreter said of itself: an audit event of Python's (PEP 578). The program
 * can say anything there; it is shown as what it is, and nothing is decided by it.
 */
#ifndef CORDON_MODEL_TELEMETRY_EVENT_H
#define CORDON_MODEL_TELEMETRY_EVENT_H

enum { TELEMETRY_AUDIT_MAX = 48, TELEMETRY_ARGS_MAX = 448 };

struct telemetry_event {
	char audit[TELEMETRY_AUDIT_MAX]; /* the event's name: open, import, socket.connect ... */
	char args[TELEMETRY_ARGS_MAX];	 /* as Python writes them; printable ASCII */
	unsigned line;			 /* of the code; 0: not known */
};

#endif
