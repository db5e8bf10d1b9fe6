// Command deploy reports mistakes in the configuration for operators, in the folder
// deploy/ of the current folder: a line for each, and exit status 1 if there is one.
//
// It builds each kustomization as `kustomize build` does, reads what comes out as the
// types of the Kubernetes API with unknown fields as errors, and checks the rules of
// rules.go. It reads the Compose file as Docker Compose does.
//
// It is a module of its own, so that the main go.mod does not require kustomize,
// Kubernetes and Compose.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/sirupsen/logrus"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	logrus.SetOutput(io.Discard) // warnings of compose-go are errors below
	findings, err := check("deploy")
	if err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// check returns the findings in a folder such as deploy/.
func check(folder string) (findings []string, err error) {
	kustomizations, err := filepath.Glob(filepath.Join(folder, "kubernetes", "overlays", "*"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(kustomizations, filepath.Join(folder, "kubernetes", "base")) {
		for _, f := range checkKustomization(path) {
			findings = append(findings, path+": "+f)
		}
	}
	compose := filepath.Join(folder, "compose.yaml")
	for _, f := range checkCompose(compose) {
		findings = append(findings, compose+": "+f)
	}
	return findings, nil
}

// checkKustomization builds a kustomization, and returns what is wrong with it.
func checkKustomization(folder string) (findings []string) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return []string{err.Error()}
	}
	decoder, err := newDecoder()
	if err != nil {
		return []string{err.Error()}
	}
	var all []runtime.Object
	for _, resource := range built.Resources() {
		name := resource.GetKind() + " " + resource.GetName()
		text, err := resource.AsYAML()
		if err != nil {
			findings = append(findings, name+": "+err.Error())
			continue
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if err != nil {
			findings = append(findings, name+": "+err.Error())
			continue
		}
		all = append(all, object)
	}
	return append(findings, checkObjects(all)...)
}

// newDecoder returns a decoder of the kinds that are used, for which unknown and repeated
// fields are errors.
func newDecoder() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(), nil
}

// checkCompose reads a Compose file, which is checked by the schema of Compose, and
// returns what is wrong with it.
func checkCompose(file string) (findings []string) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithResolvedPaths(true))
	if err != nil {
		return []string{err.Error()}
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return []string{err.Error()}
	}
	for name, service := range project.Services {
		for _, f := range checkService(project, service) {
			findings = append(findings, "service "+name+": "+f)
		}
	}
	return findings
}

// checkService returns what is wrong with a service of a Compose file.
func checkService(project *types.Project, s types.ServiceConfig) (findings []string) {
	wrong := func(ok bool, text string, args ...any) {
		if !ok {
			findings = append(findings, fmt.Sprintf(text, args...))
		}
	}
	wrong(isPinned(s.Image), "the image %q has no tag, or the tag latest: give a version", s.Image)
	wrong(s.ReadOnly, "read_only is not set")
	wrong(len(s.CapDrop) == 1 && s.CapDrop[0] == "ALL", "cap_drop is not [ALL]")
	wrong(slices.Contains(s.SecurityOpt, "no-new-privileges:true"), "security_opt has no no-new-privileges:true")
	wrong(s.User != "" && s.User != "root" && s.User != "0", "user is not set, or is root")
	wrong(s.Restart != "", "restart is not set")
	wrong(s.MemLimit > 0, "mem_limit is not set")
	for _, v := range s.Volumes {
		if v.Type == types.VolumeTypeBind {
			_, err := os.Stat(v.Source)
			wrong(err == nil, "%s does not exist", v.Source)
		}
	}
	for _, secret := range s.Secrets {
		_, ok := project.Secrets[secret.Source]
		wrong(ok, "the secret %s does not exist", secret.Source)
	}
	if delay, ok := drainDelay(s.Command); ok {
		wrong(s.StopGracePeriod != nil && time.Duration(*s.StopGracePeriod) > delay+shutdownTimeout, "stop_grace_period is not longer than the drain delay plus %v", shutdownTimeout)
	}
	return findings
}
