#!/bin/sh
# net/http of Go answers Range: bytes=-0 with 206 and Content-Range: bytes 5-4/5, for a file of
# five bytes. A suffix of length 0 is unsatisfiable (RFC 9110, 14.1.2), so the answer should be
# 416 or the whole file. A Content-Range whose last position is less than its first is invalid
# (14.4): a client must not combine such an answer with what it has. A range that begins at the
# end, bytes=5-, is answered 416 as it should be.
# It needs Go. Seen:
#   bytes=-0: 206 "bytes 5-4/5" 0 bytes
#   bytes=-2: 206 "bytes 3-4/5" 2 bytes
#   bytes=5-: 416 "bytes */5"
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > main.go <<'EOF'
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

func main() {
	for _, asked := range []string{"bytes=-0", "bytes=-2", "bytes=5-"} {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.Header.Set("Range", asked)
		http.ServeContent(w, r, "a.txt", time.Time{}, strings.NewReader("hello"))
		fmt.Printf("%s: %d %q", asked, w.Code, w.Header().Get("Content-Range"))
		if w.Code == http.StatusPartialContent {
			fmt.Printf(" %d bytes", w.Body.Len())
		}
		fmt.Println()
	}
}
EOF
go version
go run main.go > seen
cat > expected <<'EOF'
bytes=-0: 206 "bytes 5-4/5" 0 bytes
bytes=-2: 206 "bytes 3-4/5" 2 bytes
bytes=5-: 416 "bytes */5"
EOF
cat seen
diff expected seen
