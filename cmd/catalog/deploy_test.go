//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"catalog.example/api/server/processtest"
)

// deployedArguments returns the arguments of each `catalog serve` in deploy/, by file.
func deployedArguments(t *testing.T) map[string][][]string {
	t.Helper()
	found := map[string][][]string{}
	err := filepath.WalkDir("../../deploy", func(file string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var value any
			if err := yaml.Load([]byte(document), &value); err != nil {
				return err
			}
			visitLists(value, func(list []string) {
				if len(list) > 0 && list[0] == "serve" {
					found[file] = append(found[file], list)
				}
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const unit = "../../deploy/catalog.service"
	m := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/catalog ((?:.*\\\n)*.*)$`).FindStringSubmatch(readText(t, unit))
	if m == nil {
		t.Fatalf("%s has no ExecStart", unit)
	}
	found[unit] = [][]string{strings.Fields(strings.ReplaceAll(m[1], "\\\n", " "))}
	return found
}

// visitLists visits all lists of texts in a YAML value.
func visitLists(value any, visit func([]string)) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			visitLists(inner, visit)
		}
	case []any:
		var texts []string
		for _, inner := range v {
			if text, ok := inner.(string); ok {
				texts = append(texts, text)
			}
			visitLists(inner, visit)
		}
		visit(texts)
	}
}

// TestDeployedFlags checks that `catalog serve` has each flag that deploy/ gives it, and
// takes its value.
func TestDeployedFlags(t *testing.T) {
	t.Parallel()
	all := deployedArguments(t)
	for _, file := range []string{"kubernetes/base/deployment.yaml", "kubernetes/overlays/replicas/deployment.yaml", "compose.yaml", "catalog.service"} {
		file = filepath.Join("../../deploy", file)
		if len(all[file]) == 0 {
			t.Errorf("%s starts no catalog serve", file)
		}
		for _, args := range all[file] {
			flags := newServe(testEnv()).Flags()
			for _, arg := range args[1:] {
				name, value, ok := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
				flag := flags.Lookup(name)
				if !ok || flag == nil {
					t.Errorf("%s: catalog serve has no flag %s", file, arg)
					continue
				}
				if value == "SET" || strings.Contains(value, "$(") {
					continue // the owner sets it
				}
				if err := flags.Set(name, value); err != nil {
					t.Errorf("%s: %s: %v", file, arg, err)
				}
			}
			delay, err := parseDrainDelay(flags.Lookup("drain-delay").Value.String())
			if err != nil || delay < 5*time.Second {
				t.Errorf("%s: the drain delay is %v, %v", file, delay, err)
			}
			if _, err := parsePrefixes(flags.Lookup("trusted-proxies").Value.String()); err != nil {
				t.Errorf("%s: --trusted-proxies: %v", file, err)
			}
			for _, name := range []string{"--from=", "--verify-key=", "--cache=", "--trusted-proxies="} {
				if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, name) }) {
					t.Errorf("%s: catalog serve has no %s", file, name)
				}
			}
		}
	}
	// The overlay repeats the arguments of the base, and adds one.
	base, overlay := all["../../deploy/kubernetes/base/deployment.yaml"], all["../../deploy/kubernetes/overlays/replicas/deployment.yaml"]
	if len(base) == 1 && len(overlay) == 1 && !slices.Equal(append(base[0], "--rate-store-file=/run/secrets/catalog/rate-store"), overlay[0]) {
		t.Errorf("the overlay has the arguments %q, the base %q", overlay[0], base[0])
	}
}

// TestDeployedRedisUser checks that the Redis user has the permissions that the help of
// `catalog serve` names.
func TestDeployedRedisUser(t *testing.T) {
	t.Parallel()
	m := regexp.MustCompile(`(?s)permissions\s+(~catalog:allowance:\*.*?), and`).FindStringSubmatch(newServe(testEnv()).Long)
	if m == nil {
		t.Fatal("the help names no permissions")
	}
	for _, file := range []string{"kubernetes/overlays/replicas/users.acl", "compose.yaml"} {
		if text := readText(t, filepath.Join("../../deploy", file)); !strings.Contains(text, " "+m[1]) {
			t.Errorf("%s does not have the permissions %s", file, m[1])
		}
	}
}

// TestSystemdUnit checks that systemd knows each setting of the unit, and that it leaves the
// service little: an exposure of at most 1.5 of 10.
func TestSystemdUnit(t *testing.T) {
	t.Parallel()
	systemd := processtest.Installed(t, "systemd", "systemd-analyze")
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	shipped := readText(t, "../../deploy/catalog.service")
	for title, c := range map[string]struct {
		from, to string
		works    bool
	}{
		"what is shipped":     {works: true},
		"an unknown setting":  {from: "ProtectHome=", to: "ProtectHomes="},
		"an unknown filter":   {from: "@system-service", to: "@system-services"},
		"too much is allowed": {from: "CapabilityBoundingSet=\n", to: ""},
	} {
		t.Run(title, func(t *testing.T) {
			unit := filepath.Join(t.TempDir(), "catalog.service")
			writeText(t, unit, strings.Replace(shipped, "/usr/local/bin/catalog serve", program+" serve", 1))
			if c.from != "" {
				writeText(t, unit, strings.Replace(readText(t, unit), c.from, c.to, 1))
			}
			verified, err := exec.CommandContext(t.Context(), systemd, "verify", "--man=no", unit).CombinedOutput()
			ok := err == nil && len(verified) == 0
			rated, err := exec.CommandContext(t.Context(), systemd, "security", "--offline=true", "--no-pager", "--threshold=15", unit).CombinedOutput()
			if ok = ok && err == nil; ok != c.works {
				t.Errorf("systemd says\n%s%s", verified, rated[max(0, len(rated)-200):])
			}
		})
	}
}
