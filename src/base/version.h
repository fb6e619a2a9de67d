/* SPDX-License-Identifier: MIT
 *
 * The version of this source tree. The Makefile reads this line too.
 */
#ifndef CORDON_BASE_VERSION_H
#define CORDON_BASE_VERSION_H

#ifndef CORDON_VERSION
#define CORDON_VERSION "0.1.0"
#endif

#endif
