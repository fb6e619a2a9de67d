# SPDX-License-Identifier: MIT
# A program that is not on the list of the profile snippet.
if /usr/bin/perl -e 1 2>/dev/null; then echo ESCAPED perl && exit 1; fi
echo HELD
