#!/bin/sh
# 100 MiB to stderr, then its last words.
head -c 104857600 /dev/zero | tr '\0' 'x' >&2
echo >&2
echo ready >&2
cat >/dev/null
