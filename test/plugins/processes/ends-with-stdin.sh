#!/bin/sh
# A plugin that ends by itself when its stdin does.
echo ready >&2
cat >/dev/null
echo bye >&2
