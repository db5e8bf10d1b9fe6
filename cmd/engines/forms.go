//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// compose is deploy/compose.yaml, with Docker Compose or podman-compose.
type compose struct {
	*stack
	up      string // starts everything
	started string // says what that is
	tool    string // the program docker-compose or podman-compose
}

// toolVersion matches the version in what docker-compose and podman-compose print.
var toolVersion = regexp.MustCompile(`(?:Compose|composer?) version +(\S+)`)

// shippedCommands prints the commands in the comment of compose.yaml that write the secrets.
const shippedCommands = `cd "$1"
sed -n 's/^#   \(mkdir\|echo\)/\1/p' compose.yaml`

// configure also finds the program, and writes the secrets.
func (c *compose) configure(ctx context.Context) (err error) {
	tool := c.client + "-compose"
	program, err := find(filepath.Join(c.tools, tool), tool)
	if err != nil {
		return err
	}
	said, err := output(ctx, c.env, program, "version")
	if err != nil {
		return fmt.Errorf("%w: %w", errNotRunnable, err)
	}
	version := toolVersion.FindStringSubmatch(said)
	if slices.Contains(version, "1.0.3") {
		return fmt.Errorf("%w: podman-compose 1.0.3 refuses fixed addresses: put 1.6 or later into bin/",
			errNotRunnable)
	}
	if version != nil {
		c.name += " " + version[1]
	}
	c.tool = program // stop uses it
	if _, err := c.shell(ctx, shippedCommands+" | sh -e\nchmod 700 secrets", c.dir); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	c.nginx = "http://" + address
	return c.set([][3]string{
		{"compose.yaml", shippedOrigin, c.origin.url(c.network)},
		{"compose.yaml", "--verify-key=SET", "--verify-key=" + c.origin.key},
		{"compose.yaml", `"80:8080"`, `"` + address + `:8080"`},
	})
}

// run runs Docker Compose or podman-compose.
func (c *compose) run(ctx context.Context, words string) error {
	args := append([]string{"-f", filepath.Join(c.dir, "compose.yaml")}, strings.Fields(words)...)
	_, err := output(ctx, c.env, c.tool, args...)
	return err
}

func (c *compose) start(ctx context.Context) (what string, err error) {
	return c.started, c.run(ctx, c.up)
}

func (c *compose) begin(ctx context.Context, number int) error {
	return c.run(ctx, fmt.Sprintf("up -d --no-deps catalog-%d", number))
}

func (c *compose) stop(ctx context.Context) error {
	if c.tool == "" {
		return nil
	}
	return c.run(ctx, "down --volumes")
}

// kube is deploy/kubernetes/overlays/replicas, with `podman kube play`. Podman has neither
// Services nor controllers, so this program does their part: it names the addresses of pods, starts
// each pod, sends requests to the pods that are ready, and stops pods.
type kube struct {
	*stack
	leftOut []string // kinds that Podman does not play
}

const (
	base         = "kubernetes/base/kustomization.yaml"
	overlay      = "kubernetes/overlays/replicas/"
	redisAddress = kubeNetwork + "20"
)

// configure also changes what Podman 4.3 does in another way than Kubernetes.
func (k *kube) configure(context.Context) error {
	const password = "0123456789abcdef"
	return k.set([][3]string{
		{base, shippedOrigin, k.origin.url(kubeNetwork)},
		{base, "VERIFY_KEY=SET", "VERIFY_KEY=" + k.origin.key},
		{overlay + "users.acl", "SET-A-PASSWORD", password},
		{overlay + "rate-store", "SET-A-PASSWORD", password},
		{overlay + "rate-store", "catalog-redis", redisAddress},
		// It does not replace $(NAME) by the values of the ConfigMap.
		{overlay + "deployment.yaml", "$(ORIGIN)", k.origin.url(kubeNetwork)},
		{overlay + "deployment.yaml", "$(VERIFY_KEY)", k.origin.key},
		{overlay + "deployment.yaml", "$(TRUSTED_PROXIES)", "10.0.0.0/8"},
		// It mounts the values of Secrets without decoding them, so ConfigMaps replace them.
		{overlay + "kustomization.yaml", "secretGenerator:", "configMapGenerator:"},
		{overlay + "deployment.yaml", "secret: {secretName:", "configMap: {name:"},
		{overlay + "redis.yaml", "secret: {secretName:", "configMap: {name:"},
	})
}

func (k *kube) start(ctx context.Context) (what string, err error) {
	_, err = k.call(ctx, "network create catalog --subnet", kubeNetwork+"0/24")
	if err == nil {
		err = k.play(ctx, "catalog-redis", "catalog-redis", redisAddress)
	}
	for _, number := range k.numbers {
		if err == nil {
			err = k.begin(ctx, number)
		}
	}
	return fmt.Sprintf("overlays/replicas: %d replicas, Redis; left out: %s", len(k.numbers),
		strings.Join(k.leftOut, ", ")), err
}

// play starts the pod of a Deployment, which gets another name, at an address.
func (k *kube) play(ctx context.Context, deployment, name, address string) error {
	text, err := output(ctx, nil, filepath.Join(k.tools, "kustomize"), "build", filepath.Join(k.dir, overlay))
	if err != nil {
		return err
	}
	file := filepath.Join(k.dir, name+".yaml")
	if err := os.WriteFile(file, []byte(k.played(text, deployment, name)), 0o600); err != nil {
		return err
	}
	_, err = k.call(ctx, "kube play --network catalog --ip", address, file)
	return err
}

var (
	kindOf    = regexp.MustCompile(`(?m)^kind: \S+$`)
	cacheName = regexp.MustCompile(`(?m)name: cache$`)
	// containerPort matches a port of a container. Podman 4.3 publishes each on the host, at the same
	// number, although only hostPort asks for that.
	containerPort = regexp.MustCompile(`(?m)^( +)- containerPort: .*$`)
)

// played returns those of the manifests that Podman plays for a Deployment.
func (k *kube) played(manifests, deployment, name string) string {
	var played []string
	old := "\n  name: " + deployment + "\n"
	for document := range strings.SplitSeq(manifests, "\n---\n") {
		switch kind := kindOf.FindString(document); {
		case kind == "kind: ConfigMap":
			played = append(played, document)
		case kind != "kind: Deployment":
			if kind = strings.TrimPrefix(kind, "kind: "); !slices.Contains(k.leftOut, kind) {
				k.leftOut = append(k.leftOut, kind)
			}
		case strings.Contains(document, old):
			document = strings.Replace(document, old, "\n  name: "+name+"\n", 1)
			document = containerPort.ReplaceAllStringFunc(document, publishAnywhere)
			// All pods of Podman 4.3 share a volume emptyDir of the same name.
			played = append(played, cacheName.ReplaceAllString(document, "${0}-"+name))
		}
	}
	return strings.Join(played, "\n---\n")
}

// publishAnywhere publishes a port at a free port of the loopback address.
func publishAnywhere(line string) string {
	address, err := freeAddress()
	if err != nil {
		return line // Podman reports that the port is in use
	}
	_, port, _ := strings.Cut(address, ":")
	indent := strings.Repeat(" ", strings.Index(line, "-")+2)
	return fmt.Sprintf("%s\n%shostIP: 127.0.0.1\n%[2]shostPort: %s", line, indent, port)
}

func (k *kube) begin(ctx context.Context, number int) error {
	return k.play(ctx, "catalog", fmt.Sprintf("catalog-%d", number), fmt.Sprintf("%s1%d", kubeNetwork, number))
}

func (k *kube) stop(context.Context) error { return nil }
