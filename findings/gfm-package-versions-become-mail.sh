#!/bin/sh
# A package with its version, such as ai@7.0.77, becomes a mail link in marked 18.2.1, markdown-it
# 15.0.3 (linkify) and goldmark v1.8.7 (GFM). In micromark-extension-gfm 3.0.0 it is text: there a
# mail address may not end in a digit.
# The GFM specification (0.29, 6.9) only forbids that it ends in a hyphen or an underscore. So the
# same release notes have other links in each renderer.
# A backslash before the at sign keeps it a text in all of them.
# It needs Node.js, npm and Go. Seen (1: a mail link, 0: none):
#   ai@7.0.77 marked 1, markdown-it 1, micromark 0, goldmark 1
#   pkg@1.2.3-beta.x marked 1, markdown-it 1, micromark 1, goldmark 1
#   ai\@7.0.77 marked 0, markdown-it 0, micromark 0, goldmark 0
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent marked@18.2.1 markdown-it@15.0.3 micromark@4.0.3 micromark-extension-gfm@3.0.0 > /dev/null
cat > words <<'EOF'
ai@7.0.77
pkg@1.2.3-beta.x
ai\@7.0.77
EOF
cat > read.mjs <<'EOF'
import { readFileSync } from "node:fs";
import { marked } from "marked";
import MarkdownIt from "markdown-it";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
const linking = new MarkdownIt({ linkify: true }), mail = (html) => Number(html.includes("mailto:"));
for (const word of readFileSync("words", "utf8").trim().split("\n")) {
  console.log(`marked ${mail(marked.parse(word))}, markdown-it ${mail(linking.render(word))}, micromark ${mail(micromark(word, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }))},`);
}
EOF
cat > main.go <<'EOF'
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var html bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(lines.Bytes(), &html); err != nil {
			panic(err)
		}
		fmt.Printf("goldmark %d\n", strings.Count(html.String(), "mailto:"))
	}
}
EOF
go mod init example > /dev/null 2>&1
go get github.com/yuin/goldmark@v1.8.7 > /dev/null 2>&1
node read.mjs > node.out
go run . < words > go.out
paste -d ' ' words node.out go.out > seen
cat > expected <<'EOF'
ai@7.0.77 marked 1, markdown-it 1, micromark 0, goldmark 1
pkg@1.2.3-beta.x marked 1, markdown-it 1, micromark 1, goldmark 1
ai\@7.0.77 marked 0, markdown-it 0, micromark 0, goldmark 0
EOF
cat seen
diff expected seen
