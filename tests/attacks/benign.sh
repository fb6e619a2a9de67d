# SPDX-License-Identifier: MIT
# Control: ordinary shell code runs.
sum=0
for i in 20 22; do sum=$((sum + i)); done
echo "benign $sum"
