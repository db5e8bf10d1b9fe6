// Command deploy reports mistakes in the configuration for operators, in the folder
// deploy/ of the current folder: a line for each, and exit status 1 if there is one.
//
// It builds each kustomization as `kustomize build` does, decodes the result as types of the
// Kubernetes API, for which unknown fields are errors, and checks the rules of rules.go.
// kube-score, which `make lint` runs too, does not have these rules. It reads the Compose file
// as Docker Compose does.
//
// It is a module of its own, so that the main go.mod does not require kustomize,
// Kubernetes and Compose.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
	logrus.SetOutput(io.Discard) // drops the warnings of compose-go; its errors are reported below
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
func check(folder string) (findings, error) {
	kubernetes := filepath.Join(folder, "kubernetes")
	kustomizations, err := filepath.Glob(filepath.Join(kubernetes, "overlays", "*"))
	if err != nil {
		return nil, err
	}
	var all findings
	for _, path := range append(kustomizations, filepath.Join(kubernetes, "base")) {
		var f findings
		f.checkKustomization(path)
		for _, text := range f {
			all = append(all, path+": "+text)
		}
	}
	all.checkCompose(filepath.Join(folder, "compose.yaml"))
	return all, nil
}

// checkKustomization builds a kustomization, and checks the result.
func (f *findings) checkKustomization(folder string) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		f.wrong(false, "%v", err)
		return
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, corev1.AddToScheme,
		networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		f.wrong(add(scheme) == nil, "the types cannot be registered")
	}
	// Unknown and repeated fields are errors.
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var all []runtime.Object
	for _, resource := range built.Resources() {
		text, err := resource.AsYAML()
		f.wrong(err == nil, "%v", err)
		object, _, err := decoder.Decode(text, nil, nil)
		f.wrong(err == nil, "%s %s: %v", resource.GetKind(), resource.GetName(), err)
		if err == nil {
			all = append(all, object)
		}
	}
	f.checkObjects(all)
}

// checkCompose reads a Compose file as Docker Compose does, and checks its services.
func (f *findings) checkCompose(file string) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithResolvedPaths(true))
	if err != nil {
		f.wrong(false, "%s: %v", file, err)
		return
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		f.wrong(false, "%s: %v", file, err)
		return
	}
	for name, s := range project.Services {
		wrong := func(ok bool, text string, args ...any) {
			f.wrong(ok, file+": service "+name+": "+text, args...)
		}
		_, tag, ok := strings.Cut(path.Base(s.Image), ":")
		wrong(ok && tag != "latest", "the image %q has no tag, or the tag latest: give a version", s.Image)
		wrong(s.ReadOnly, "read_only is not set")
		wrong(slices.Equal(s.CapDrop, []string{"ALL"}), "cap_drop is not [ALL]")
		wrong(slices.Contains(s.SecurityOpt, "no-new-privileges:true"), "security_opt has no no-new-privileges:true")
		wrong(s.User != "" && s.User != "root" && s.User != "0", "user is not set, or is root")
		wrong(s.Restart != "", "restart is not set")
		wrong(s.MemLimit > 0, "mem_limit is not set")
		for _, v := range s.Volumes {
			_, err := os.Stat(v.Source)
			wrong(v.Type != types.VolumeTypeBind || err == nil, "%s does not exist", v.Source)
		}
		if delay, ok := drainDelay(s.Command); ok {
			wrong(s.StopGracePeriod != nil && time.Duration(*s.StopGracePeriod) > delay+shutdownTimeout,
				"stop_grace_period is not longer than the drain delay plus %v", shutdownTimeout)
		}
	}
}
