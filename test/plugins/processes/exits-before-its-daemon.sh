#!/bin/sh
# Exits with 3 by itself and leaves behind what it has started.
setsid sh -c '(trap "" TERM HUP; exec sleep 86400.'"$1"') &'
setsid sleep 86400."$1" &
echo ready >&2
exit 3
