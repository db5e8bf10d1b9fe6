package engine_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"catalog.example/generator/engine"
)

// The licences name each module that the engine contains, and Go itself.
func TestLicensesNameEveryModule(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "catalog.example/cmd/wasm")
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(out))
	if len(modules) == 0 {
		t.Fatal("the engine has no module")
	}
	for _, name := range append(modules, "https://go.dev") {
		if !strings.Contains(engine.Licenses, name) {
			t.Errorf("LICENSES.txt does not name %s, which is in the engine: add its licence", name)
		}
	}
	if strings.Contains(engine.Licenses, "*/") {
		t.Error("LICENSES.txt would end the comment of the script that it is in")
	}
}
