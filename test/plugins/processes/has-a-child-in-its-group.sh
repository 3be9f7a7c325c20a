#!/bin/sh
# The child ignores SIGTERM, the plugin does not.
(
  trap '' TERM HUP
  exec sleep 86400."$1"
) &
echo ready >&2
cat >/dev/null
