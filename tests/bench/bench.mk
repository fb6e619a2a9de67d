# SPDX-License-Identifier: MIT
# Builds the benchmark's program; included by the Makefile, which says how objects are made.
# Not part of `make test`: numbers decide nothing.
BENCH_OBJS := $(call objs,$(sort $(wildcard tests/bench/*.c)),)
$(BUILD)/bench: $(BENCH_OBJS)
	$(Q)$(CC) $(if $(SAN),-fsanitize=address$(comma)undefined) -pie -o $@ $^ -ljansson
$(BENCH_OBJS): tests/bench/bench.h
bench: $(BUILD)/bench
