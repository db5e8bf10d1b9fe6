//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// kube is deploy/kubernetes/overlays/replicas, with `podman kube play`. Podman has neither
// Services nor controllers, so this program does their part: it names the addresses of pods, starts
// each pod, sends requests to the pods that are ready, and stops pods.
type kube struct {
	*engine
	world   *world
	dir     string // a copy of deploy/kubernetes
	leftOut []string
	// variables replaces $(NAME) by the values of the ConfigMap, which Podman 4.3 does not.
	variables *strings.Replacer

	mu   sync.Mutex
	pods []pod // of replicas that get requests
}

// pod is a replica.
type pod struct{ name, address string }

// redisAddress is where the pod of Redis is.
const redisAddress = kubeNetwork + "20"

// kubeReplicas is the least number of replicas, as in autoscaling.yaml.
const kubeReplicas = 3

// known are the kinds that Podman plays here.
var known = []string{"ConfigMap", "Deployment"}

func (k *kube) name() string {
	if k.engine == nil {
		return "podman kube play"
	}
	return "podman kube play, Podman " + k.engine.version
}

func (k *kube) note(step string) string {
	switch step {
	case "start":
		return fmt.Sprintf("overlays/replicas: %d replicas, Redis; left out: %s", kubeReplicas,
			strings.Join(k.leftOut, ", "))
	case "doors":
		return "at each pod, and /metrics"
	case "new program":
		return "a new pod is ready before an old one is stopped"
	case killed:
		return "the engine restarted it"
	}
	return ""
}

func (k *kube) front() []string { return k.replicas() }

func (k *kube) replicas() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []string
	for _, p := range k.pods {
		all = append(all, "http://"+p.address+":8080")
	}
	return all
}

func (k *kube) prepare(ctx context.Context, w *world) error {
	k.world = w
	var err error
	if k.engine, err = startPodman(ctx); err != nil {
		return err
	}
	if err := k.give(ctx, w); err != nil {
		return err
	}
	_, err = k.call(ctx, "network", "create", "--subnet", kubeNetwork+"0/24", "catalog")
	return errors.Join(err, k.configure())
}

// configure copies deploy/kubernetes, and sets the values marked SET.
func (k *kube) configure() error {
	k.dir = filepath.Join(k.engine.dir, "kubernetes")
	if err := os.CopyFS(k.dir, os.DirFS(filepath.Join(k.world.deploy, "kubernetes"))); err != nil {
		return err
	}
	k.variables = strings.NewReplacer("$(ORIGIN)", k.world.origin.url(kubeNetwork),
		"$(VERIFY_KEY)", k.world.origin.key, "$(TRUSTED_PROXIES)", "10.0.0.0/8")
	const password = "0123456789abcdef"
	overlay := filepath.Join(k.dir, "overlays", "replicas")
	return errors.Join(
		set(filepath.Join(k.dir, "base", "kustomization.yaml"),
			"https://builds.example/catalog.manifest.json", k.world.origin.url(kubeNetwork),
			"VERIFY_KEY=SET", "VERIFY_KEY="+k.world.origin.key),
		// Podman 4.3 mounts the values of Secrets without decoding them, so ConfigMaps replace them.
		set(filepath.Join(overlay, "kustomization.yaml"), "secretGenerator:", "configMapGenerator:"),
		set(filepath.Join(overlay, "deployment.yaml"), "secret: {secretName:", "configMap: {name:"),
		set(filepath.Join(overlay, "redis.yaml"), "secret: {secretName:", "configMap: {name:"),
		set(filepath.Join(overlay, "users.acl"), "SET-A-PASSWORD", password),
		set(filepath.Join(overlay, "rate-store"), "SET-A-PASSWORD", password, "catalog-redis", redisAddress))
}

// containerPort matches a port of a container. Podman 4.3 publishes each on the host, at the same
// number, although only hostPort asks for that.
var containerPort = regexp.MustCompile(`(?m)^( +)- containerPort: .*$`)

var cacheName = regexp.MustCompile(`(?m)name: cache$`)

// publishAnywhere publishes a port at a free port of the loopback address.
func publishAnywhere(line string) string {
	address, err := freeAddress()
	if err != nil {
		return line // Podman reports that the port is in use
	}
	indent := strings.Repeat(" ", strings.Index(line, "-")+2)
	return fmt.Sprintf("%s\n%shostIP: 127.0.0.1\n%[2]shostPort: %d", line, indent, address.Port)
}

var kindOf = regexp.MustCompile(`(?m)^kind: (\S+)$`)

// render returns the manifests that Podman plays for a Deployment, which gets another name.
func (k *kube) render(ctx context.Context, deployment, name string) (string, error) {
	program := filepath.Join(k.world.tools, "kustomize")
	text, err := output(ctx, nil, program, "build", filepath.Join(k.dir, "overlays", "replicas"))
	if err != nil {
		return "", err
	}
	var played []string
	old := "\n  name: " + deployment + "\n"
	for document := range strings.SplitSeq(text, "\n---\n") {
		kind := "nothing"
		if m := kindOf.FindStringSubmatch(document); m != nil {
			kind = m[1]
		}
		switch {
		case !slices.Contains(known, kind):
			if !slices.Contains(k.leftOut, kind) {
				k.leftOut = append(k.leftOut, kind)
			}
		case kind != "Deployment":
			played = append(played, document)
		case strings.Contains(document, old):
			document = strings.Replace(document, old, "\n  name: "+name+"\n", 1)
			document = containerPort.ReplaceAllStringFunc(document, publishAnywhere)
			document = k.variables.Replace(document)
			// All pods of Podman 4.3 share a volume emptyDir of the same name.
			played = append(played, cacheName.ReplaceAllString(document, "${0}-"+name))
		}
	}
	return strings.Join(played, "\n---\n"), nil
}

// play starts a pod of a Deployment at an address.
func (k *kube) play(ctx context.Context, deployment, name, address string) error {
	text, err := k.render(ctx, deployment, name)
	if err != nil {
		return err
	}
	file := filepath.Join(k.engine.dir, name+".yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	_, err = k.call(ctx, "kube", "play", "--network", "catalog", "--ip", address, file)
	return err
}

func (k *kube) start(ctx context.Context) error {
	if err := k.play(ctx, "catalog-redis", "catalog-redis", redisAddress); err != nil {
		return err
	}
	for n := range kubeReplicas {
		p := pod{fmt.Sprintf("catalog-%d", n+1), fmt.Sprintf("%s1%d", kubeNetwork, n+1)}
		if err := k.play(ctx, "catalog", p.name, p.address); err != nil {
			return err
		}
		k.pods = append(k.pods, p)
	}
	return nil
}

func (k *kube) container(_ context.Context, replica int) (string, error) {
	if replica == 0 {
		return containerOf("catalog-redis", "redis"), nil
	}
	return containerOf(k.pods[replica-1].name, "catalog"), nil
}

// containerOf returns the name of a container of the only pod of a Deployment.
func containerOf(deployment, container string) string { return deployment + "-pod-0-" + container }

// roll starts a pod with the new tag beside each pod, and stops the latter once the new one gets
// requests: as maxSurge 1 and maxUnavailable 0 say.
func (k *kube) roll(ctx context.Context) error {
	if err := set(filepath.Join(k.dir, "base", "kustomization.yaml"), oldTag, newTag); err != nil {
		return err
	}
	for n := range kubeReplicas {
		old, next := k.pods[n], pod{fmt.Sprintf("catalog-%d", n+4), fmt.Sprintf("%s1%d", kubeNetwork, n+4)}
		if err := k.play(ctx, "catalog", next.name, next.address); err != nil {
			return err
		}
		if err := awaitReady(ctx, "http://"+next.address+":8080"); err != nil {
			return err
		}
		k.mu.Lock()
		k.pods[n] = next
		k.mu.Unlock()
		if _, err := k.call(ctx, "stop", "-t", period, containerOf(old.name, "catalog")); err != nil {
			return err
		}
	}
	return nil
}

func (k *kube) stop(ctx context.Context) error {
	if k.engine == nil {
		return nil
	}
	return k.end(ctx)
}
