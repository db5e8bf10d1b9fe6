package main

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"catalog.example/api"
	"catalog.example/api/server/processtest"
)

// checkGeneratedClient generates a client from the served OpenAPI document and calls
// every operation with every parameter: see testdata/client/client.ts.
func (s *testSite) checkGeneratedClient(t *testing.T) {
	program := processtest.Installed(t, "nodejs", "node")
	source, err := filepath.Abs("testdata/client")
	if err != nil {
		t.Fatal(err)
	}
	modules, folder := filepath.Join(source, "node_modules"), t.TempDir()
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		t.Fatalf("%v: run make deps", err)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"client.ts", "package.json", "tsconfig.json"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), []byte(s.do(t, http.MethodGet, api.PathOpenAPI).body), 0o600); err != nil {
		t.Fatal(err)
	}

	node := func(arguments ...string) []byte {
		t.Helper()
		command := exec.CommandContext(t.Context(), program, arguments...)
		command.Dir = folder
		out, err := command.Output()
		if err != nil {
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				t.Logf("%s", exit.Stderr)
			}
			t.Fatalf("node %q: %v\n%s", arguments, err, out)
		}
		return out
	}
	node("node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--output", "schema.d.ts")
	node("node_modules/typescript/bin/tsc", "--project", ".")
	calls := decodeJSON[map[string]map[string]int](t, string(node("client.js", s.base, s.base+api.PathOpenAPI)))

	for operation, parameters := range map[string][]api.Parameter{"listProjects": api.ListParameters, "searchCatalog": s.parameters()} {
		described := 0
		for _, p := range parameters {
			if p.Undescribed {
				continue
			}
			described++
			minimum := len(p.Allowed)
			if p.Kind == api.KindChoices {
				minimum *= 2
			}
			if n := calls[operation][p.Name]; n < max(minimum, 2) {
				t.Errorf("%s was called with %d values of %s, want at least %d", operation, n, p.Name, max(minimum, 2))
			}
		}
		if len(calls[operation]) != described {
			t.Errorf("%s was called with the parameters %v, of %d", operation, calls[operation], described)
		}
	}
	if called := slices.Sorted(maps.Keys(calls)); !slices.Equal(called, []string{"getOpenAPI", "getProject", "listProjects", "searchCatalog"}) || calls["getProject"]["slug"] == 0 {
		t.Errorf("the operations called are %v", calls)
	}
}
