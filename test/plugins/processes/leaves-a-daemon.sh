#!/bin/sh
# A daemon as in the books: forked twice, in its own session, without stdio; nothing but its environment tells where it came from.
(
  setsid sh -c 'cd /; exec <&- >&- 2>&-; (trap "" TERM HUP; exec sleep 86400.'"$1"') &'
) &
wait
echo ready >&2
cat >/dev/null
