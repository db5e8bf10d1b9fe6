#!/bin/sh
# Purges the addresses that a build changed from Varnish:
#
#   catalog build --changes changes.txt
#   purge.sh http://varnish.internal:80 changes.txt
#
# Run it when all replicas have the new build. Otherwise an old one may fill the cache again.
set -eu
if [ $# -ne 2 ]; then
	echo "usage: purge.sh CACHE CHANGES" >&2
	exit 2
fi
# Fields of a line: new, changed or gone; path of the file; addresses, separated by spaces.
addresses=$(cut -f 3 "$2" | tr ' ' '\n' | grep . || true)
if [ -z "$addresses" ]; then
	exit 0
fi
host=$(echo "$addresses" | head -n 1 | cut -d / -f 3)
# One curl, so that thousands of addresses need only a few connections.
echo "$addresses" | sed -e 's|^[a-z]*://[^/]*||' -e "s|^.*|url = \"$1&\"\noutput = /dev/null|" |
	curl --silent --show-error --fail --fail-early --retry 3 --max-time 600 --request PURGE --header "Host: $host" --config -
