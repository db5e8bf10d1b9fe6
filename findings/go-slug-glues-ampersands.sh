#!/bin/sh
# github.com/gosimple/slug v1.15.0 makes "qanda" of Q&A and "randd" of R&D: it replaces an
# ampersand with the word "and" without separating it from its neighbours. "A & B" becomes
# "a-and-b". It makes "c" of C++ and of C, so two names share a slug, and keeps underscores.
# Whoever needs one slug for each name puts spaces around ampersands, and words for plus signs,
# before the call.
# It needs Go. Seen:
#   Q&A: qanda
#   R & D: r-and-d
#   C++: c
#   C: c
#   a_b: a_b
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
cat > main.go <<'EOF'
package main

import (
	"fmt"

	"github.com/gosimple/slug"
)

func main() {
	for _, name := range []string{"Q&A", "R & D", "C++", "C", "a_b"} {
		fmt.Printf("%s: %s\n", name, slug.Make(name))
	}
}
EOF
go mod init example > /dev/null 2>&1
go get github.com/gosimple/slug@v1.15.0 > /dev/null 2>&1
go run . > seen
cat > expected <<'EOF'
Q&A: qanda
R & D: r-and-d
C++: c
C: c
a_b: a_b
EOF
cat seen
diff expected seen
