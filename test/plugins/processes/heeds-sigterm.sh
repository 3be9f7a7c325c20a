#!/bin/sh
# Ignores the end of its stdin; asked to end, it says so and exits with 5.
trap 'echo asked to end >&2; exit 5' TERM
echo ready >&2
while :; do sleep 86400."$1" & wait; done
