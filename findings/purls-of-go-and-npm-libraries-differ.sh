#!/bin/sh
# packageurl-go v0.1.7 and packageurl-js 2.0.1, the libraries of the purl project itself, write different
# canonical package URLs for one package. Of a Go module, packageurl-go writes the path in lower case
# and packageurl-js keeps it. Of an npm package, it is the other way round: packageurl-js makes
# jsonstream of JSONStream, though npm tells these names apart. A plus sign in a version is %2B in one
# and + in the other, and a colon in a qualifier is : or %3A.
# A canonical form is there to be compared. But two SBOMs of one program, made with Go and with
# Node.js, share no text for such a package, and one that was read and written may name another.
# Whoever compares purls compares their decoded parts, those of golang and npm without regard to case.
# Whoever fetches by a purl keeps the text as the tool of that ecosystem wrote it.
# It needs Node.js, npm and Go. Seen:
#   go: pkg:golang/github.com/burntsushi/toml@v1.5.0
#   js: pkg:golang/github.com/BurntSushi/toml@v1.5.0
#   go: pkg:golang/github.com/docker/docker@v28.3.0%2Bincompatible
#   js: pkg:golang/github.com/docker/docker@v28.3.0+incompatible
#   go: pkg:npm/JSONStream@1.3.5
#   js: pkg:npm/jsonstream@1.3.5
#   go: pkg:oci/ollama@0.12?repository_url=ghcr.io:443%2Follama
#   js: pkg:oci/ollama@0.12?repository_url=ghcr.io%3A443%2Follama
#   go: pkg:pypi/torch@2.9.0
#   js: pkg:pypi/torch@2.9.0
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent packageurl-js@2.0.1 > /dev/null
cat > main.go <<'EOF'
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/package-url/packageurl-go"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		purl, err := packageurl.FromString(lines.Text())
		if err != nil {
			panic(err)
		}
		fmt.Println("go:", purl)
	}
}
EOF
cat > purl.mjs <<'EOF'
import { readFileSync } from "node:fs";
import { PackageURL } from "packageurl-js";

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  console.log(`js: ${PackageURL.fromString(line)}`);
}
EOF
cat > purls <<'EOF'
pkg:golang/github.com/BurntSushi/toml@v1.5.0
pkg:golang/github.com/docker/docker@v28.3.0%2Bincompatible
pkg:npm/JSONStream@1.3.5
pkg:oci/ollama@0.12?repository_url=ghcr.io:443/ollama
pkg:pypi/torch@2.9.0
EOF
go mod init example > /dev/null 2>&1
go get github.com/package-url/packageurl-go@v0.1.7 > /dev/null 2>&1
go run . < purls > go.txt
node purl.mjs < purls > js.txt
paste -d '\n' go.txt js.txt > seen
cat > expected <<'EOF'
go: pkg:golang/github.com/burntsushi/toml@v1.5.0
js: pkg:golang/github.com/BurntSushi/toml@v1.5.0
go: pkg:golang/github.com/docker/docker@v28.3.0%2Bincompatible
js: pkg:golang/github.com/docker/docker@v28.3.0+incompatible
go: pkg:npm/JSONStream@1.3.5
js: pkg:npm/jsonstream@1.3.5
go: pkg:oci/ollama@0.12?repository_url=ghcr.io:443%2Follama
js: pkg:oci/ollama@0.12?repository_url=ghcr.io%3A443%2Follama
go: pkg:pypi/torch@2.9.0
js: pkg:pypi/torch@2.9.0
EOF
cat seen
diff expected seen
