package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// copyDeploy copies deploy/ of this repository, and changes a file of it.
func copyDeploy(t *testing.T, file, from, to string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../deploy")); err != nil {
		t.Fatal(err)
	}
	if file == "" {
		return folder
	}
	path := filepath.Join(folder, filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %q", file, from)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestCheck checks that what is shipped has no mistakes, and that each mistake is found.
func TestCheck(t *testing.T) {
	const base, overlay = "kubernetes/base/", "kubernetes/overlays/replicas/"
	for title, c := range map[string]struct {
		file, from, to string
		want           string // in a finding; "" for none
	}{
		"what is shipped":            {},
		"an unknown field":           {base + "deployment.yaml", "readOnlyRootFilesystem:", "readOnlyRootFileSystem:", `unknown field "spec.template.spec.containers[0].securityContext.readOnlyRootFileSystem"`},
		"a field of another kind":    {base + "service.yaml", "ports:", "containerPorts:", `unknown field "spec.containerPorts"`},
		"a value of another type":    {base + "deployment.yaml", "replicas: 2", "replicas: two", "replicas"},
		"an unknown kind":            {base + "namespace.yaml", "kind: Namespace", "kind: Namespaces", "Namespaces"},
		"a kustomization of nothing": {base + "kustomization.yaml", "- service.yaml", "- services.yaml", "services.yaml"},
		"a patch for nothing":        {overlay + "deployment.yaml", "name: catalog", "name: catalogue", "no matches"},
		"another readiness probe":    {base + "deployment.yaml", "path: /readyz", "path: /healthz", "does not request /readyz"},
		"a probe of no port":         {base + "deployment.yaml", "{path: /readyz, port: http}", "{path: /readyz, port: https}", "uses a port that the container does not have"},
		"a late readiness probe":     {base + "deployment.yaml", "periodSeconds: 2", "periodSeconds: 5", "the drain delay ends before"},
		"root":                       {base + "deployment.yaml", "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"},
		"capabilities":               {base + "deployment.yaml", "{drop: [ALL]}", "{drop: [CHOWN]}", "unrestricted capabilities"},
		"a short grace period":       {base + "deployment.yaml", "terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 20", "terminationGracePeriodSeconds"},
		"an unlimited folder":        {base + "deployment.yaml", "{sizeLimit: 512Mi}", "{}", "has no sizeLimit"},
		"service links":              {base + "deployment.yaml", "enableServiceLinks: false", "enableServiceLinks: true", "enableServiceLinks is not false"},
		"a port of no container":     {base + "service.yaml", "targetPort: http", "targetPort: web", "no container of catalog has the port web"},
		"a Secret of another name":   {overlay + "deployment.yaml", "secretName: catalog-rate-store", "secretName: catalog-rates", "the Secret of the volume rate-store does not exist"},
		"Compose: an unknown key":    {"compose.yaml", "mem_limit: 512m", "memory_limit: 512m", "memory_limit"},
		"Compose: a writable root":   {"compose.yaml", "read_only: true", "read_only: false", "read_only is not set"},
		"Compose: a short period":    {"compose.yaml", "stop_grace_period: 30s", "stop_grace_period: 10s", "stop_grace_period is not longer"},
		"Compose: no such file":      {"compose.yaml", "./replicas.conf", "./replica.conf", "does not exist"},
		"Compose: no such network":   {"compose.yaml", "networks: {catalog:", "networks: {front:", "front"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			findings, err := check(copyDeploy(t, c.file, c.from, c.to))
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(findings, "\n")
			if c.want == "" && len(findings) > 0 || !strings.Contains(all, c.want) {
				t.Errorf("the findings are %q, want one with %q", findings, c.want)
			}
		})
	}
}
