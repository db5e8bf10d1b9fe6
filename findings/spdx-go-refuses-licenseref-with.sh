#!/bin/sh
# github.com/github/go-spdx v2.7.0 refuses LicenseRef-A WITH Classpath-exception-2.0. The grammar
# of SPDX (2.3, annex D.1) allows it: what stands before WITH is a simple expression, and a
# license-ref is one. spdx-expression-parse 5.0.0 of npm reads it. So a file that names its own
# licence with a known exception is valid for one reader and not for the other.
# It needs Node.js, npm and Go. Seen:
#   go: GPL-2.0-only WITH Classpath-exception-2.0: true
#   go: LicenseRef-A WITH Classpath-exception-2.0: false
#   go: LicenseRef-A: true
#   npm: {"license":"LicenseRef-A","exception":"Classpath-exception-2.0"}
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent spdx-expression-parse@5.0.0 > /dev/null
cat > main.go <<'EOF'
package main

import (
	"fmt"

	"github.com/github/go-spdx/v2/spdxexp"
)

func main() {
	for _, text := range []string{"GPL-2.0-only WITH Classpath-exception-2.0", "LicenseRef-A WITH Classpath-exception-2.0", "LicenseRef-A"} {
		valid, _ := spdxexp.ValidateLicenses([]string{text})
		fmt.Printf("go: %s: %t\n", text, valid)
	}
}
EOF
go mod init example > /dev/null 2>&1
go get github.com/github/go-spdx/v2@v2.7.0 > /dev/null 2>&1
go run . > seen
node -e 'console.log("npm: " + JSON.stringify(require("spdx-expression-parse")("LicenseRef-A WITH Classpath-exception-2.0")))' >> seen
cat > expected <<'EOF'
go: GPL-2.0-only WITH Classpath-exception-2.0: true
go: LicenseRef-A WITH Classpath-exception-2.0: false
go: LicenseRef-A: true
npm: {"license":"LicenseRef-A","exception":"Classpath-exception-2.0"}
EOF
cat seen
diff expected seen
