/* SPDX-License-Identifier: MIT
 *
 * An audit event of Python (PEP 578) that the program's interpreter reported. A program can report
 * anything, so events are only shown and decide nothing.
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
