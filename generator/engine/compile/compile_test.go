package compile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/generator/lzma"
)

// A program that calls fmt or log is refused. One that only imports them is not.
func TestCallsOfFormatting(t *testing.T) {
	t.Parallel()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for text, refused := range map[string]bool{
		`import "fmt"; func main() { println(fmt.Sprint(1)) }`:    true,
		`import "log"; func main() { log.Printf("%d", 1) }`:       true,
		`import (_ "fmt"; _ "log"); func main() { println("1") }`: false,
	} {
		source := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(source, []byte("package main; "+text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := compile(t.Context(), strings.TrimSpace(string(goroot)), source+".wasm", source)
		if isRefused := err != nil && strings.Contains(err.Error(), reached); isRefused != refused || err != nil && !refused {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A program is packed once, and again when it has changed. What is no program is refused.
func TestPack(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "search.wasm")
	for _, program := range []string{"\x00asm\x01\x00\x00\x00", "\x00asm\x01\x00\x00\x00\x00\x02\x01x"} {
		packed, err := pack([]byte(program), name)
		if err != nil {
			t.Fatal(err)
		}
		if size, err := lzma.Size(packed); err != nil || size != len(program) {
			t.Errorf("%q has the size %d, %v", program, size, err)
		}
		if err := os.WriteFile(name+".lzma", []byte("as it was left"), 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := pack([]byte(program), name); err != nil || string(again) != "as it was left" {
			t.Errorf("%q is packed again: %q, %v", program, again, err)
		}
	}
	if _, err := pack([]byte("a script"), name); err == nil {
		t.Error("a file that is no program is packed")
	}
}
