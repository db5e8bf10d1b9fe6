#!/bin/sh
# github.com/ulikunitz/xz v0.5.17, the LZMA encoder of Go, makes a WebAssembly program about a third larger than
# liblzma does with its usual settings, and only a few per cent smaller than gzip -9.
#
# A reader of its page expects the ratio of xz: format and dictionary are the same. But the encoder takes the longest
# match at each place, where liblzma compares the price of several ways. Programs have many short matches, so this
# costs most of what LZMA gains over gzip. Texts lose less.
#
# Seen with Go 1.26.8 and Python 3.11.7, for a program of 3,047,414 bytes that prints its arguments as JSON, compiled
# for js/wasm: gzip -9 855,923 bytes, this encoder 800,553 (0.94), liblzma with preset 6 625,366 (0.73).
#
# It needs Go and Python 3, and gets the module from the module proxy of Go.
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
export GOFLAGS=-mod=mod GOTOOLCHAIN=local

mkdir input
cat >input/main.go <<'END'
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	text, err := json.Marshal(os.Args)
	fmt.Println(string(text), err)
}
END
cat >go.mod <<'END'
module example.test/lzma

go 1.24

require github.com/ulikunitz/xz v0.5.17
END
cat >main.go <<'END'
package main

import (
	"fmt"
	"os"

	"github.com/ulikunitz/xz/lzma"
)

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func main() {
	text, err := os.ReadFile("input.wasm")
	if err != nil {
		panic(err)
	}
	var size counter
	w, err := lzma.WriterConfig{DictCap: 8 << 20}.NewWriter(&size)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	fmt.Println(int(size))
}
END
GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o input.wasm ./input
ours=$(go run .)
python3 - "$ours" <<'END'
import gzip, lzma, sys
text = open("input.wasm", "rb").read()
go, zipped, c = int(sys.argv[1]), len(gzip.compress(text, 9)), len(lzma.compress(text, lzma.FORMAT_ALONE, preset=6))
print(f"{len(text)} bytes: gzip -9 {zipped}, ulikunitz/xz {go} ({go / zipped:.2f}), liblzma {c} ({c / zipped:.2f})")
if not (go > 1.2 * c and go > 0.88 * zipped):
    sys.exit("the behaviour has changed")
END
echo "as described"
