package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// shutdownTimeout is how long requests in flight may take after the drain delay. It must equal the
// timeout in api/server.
const shutdownTimeout = 15 * time.Second

// findings lists the mistakes that were found.
type findings []string

// wrong adds a finding unless a condition holds.
func (f *findings) wrong(ok bool, text string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Sprintf(text, args...))
	}
}

// checkObjects checks the rules that kube-score does not have.
func (f *findings) checkObjects(objects []runtime.Object) {
	var deployments []*appsv1.Deployment
	generated := map[string]bool{} // ConfigMaps and Secrets
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.Deployment:
			deployments = append(deployments, o)
		case *corev1.ConfigMap:
			generated[o.Name] = true
		case *corev1.Secret:
			generated[o.Name] = true
		}
	}
	for _, d := range deployments {
		f.checkPod(d, generated)
		for i := range d.Spec.Template.Spec.Containers {
			f.checkContainer(d, &d.Spec.Template.Spec.Containers[i], generated)
		}
	}
	for _, object := range objects {
		if s, ok := object.(*corev1.Service); ok {
			f.checkPorts(s, deployments)
		}
	}
}

// checkPod checks the settings that the containers of a Deployment share. A label of the
// namespace makes the cluster refuse pods that are not restricted.
func (f *findings) checkPod(d *appsv1.Deployment, generated map[string]bool) {
	spec := &d.Spec.Template.Spec
	wrong := func(ok bool, text string, args ...any) { f.wrong(ok, "Deployment "+d.Name+": "+text, args...) }
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		wrong(false, "%v", err)
		return
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &d.Spec.Template.ObjectMeta, spec))
	wrong(result.Allowed, "it is not restricted: %s", result.ForbiddenDetail())
	isFalse := func(b *bool) bool { return b != nil && !*b }
	wrong(isFalse(spec.AutomountServiceAccountToken), "automountServiceAccountToken is not false")
	wrong(isFalse(spec.EnableServiceLinks), "enableServiceLinks is not false")
	for _, v := range spec.Volumes {
		wrong(v.EmptyDir == nil || v.EmptyDir.SizeLimit != nil, "the volume %s has no sizeLimit", v.Name)
		wrong(v.Secret == nil || generated[v.Secret.SecretName], "the Secret of the volume %s does not exist", v.Name)
	}
}

// checkContainer checks a container. If the container serves, this includes the drain delay.
func (f *findings) checkContainer(d *appsv1.Deployment, c *corev1.Container, generated map[string]bool) {
	wrong := func(ok bool, text string, args ...any) { f.wrong(ok, "container "+c.Name+": "+text, args...) }
	for _, from := range c.EnvFrom {
		wrong(from.ConfigMapRef == nil || generated[from.ConfigMapRef.Name],
			"envFrom names a ConfigMap that does not exist")
	}
	for _, probe := range []*corev1.Probe{c.ReadinessProbe, c.LivenessProbe, c.StartupProbe} {
		ok := probe == nil || probe.HTTPGet != nil && hasPort(c, probe.HTTPGet.Port) ||
			probe.TCPSocket != nil && hasPort(c, probe.TCPSocket.Port)
		wrong(ok, "a probe uses a port that the container does not have")
	}
	delay, ok := drainDelay(c.Args)
	if !ok {
		return
	}
	seconds := func(n int32) time.Duration { return time.Duration(n) * time.Second }
	requests := func(p *corev1.Probe, path string) bool {
		return p != nil && p.HTTPGet != nil &&
			p.HTTPGet.Path == path
	}
	grace, ready := d.Spec.Template.Spec.TerminationGracePeriodSeconds, c.ReadinessProbe
	wrong(grace != nil && seconds(int32(*grace)) > delay+shutdownTimeout,
		"terminationGracePeriodSeconds is not longer than the drain delay plus %v", shutdownTimeout)
	wrong(ready != nil && seconds(max(ready.PeriodSeconds, 1)*max(ready.FailureThreshold, 1)) < delay,
		"the drain delay ends before the readinessProbe can fail")
	wrong(requests(ready, "/readyz"), "the readinessProbe does not request /readyz")
	wrong(requests(c.LivenessProbe, "/healthz"), "the livenessProbe does not request /healthz")
	wrong(c.StartupProbe != nil, "there is no startupProbe")
	r := d.Spec.Strategy.RollingUpdate
	wrong(r != nil && r.MaxUnavailable != nil && *r.MaxUnavailable == intstr.FromInt32(0), "maxUnavailable is not 0")
}

// checkPorts checks that the pods of a Service have its ports.
func (f *findings) checkPorts(s *corev1.Service, deployments []*appsv1.Deployment) {
	for _, d := range deployments {
		if !labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(d.Spec.Template.Labels)) {
			continue
		}
		for _, port := range s.Spec.Ports {
			ok := slices.ContainsFunc(d.Spec.Template.Spec.Containers, func(c corev1.Container) bool {
				return hasPort(&c, port.TargetPort)
			})
			f.wrong(ok, "Service %s: no container of %s has the port %s", s.Name, d.Name, port.TargetPort.String())
		}
	}
}

// hasPort reports whether a container names a port, or has its number.
func hasPort(c *corev1.Container, port intstr.IntOrString) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool {
		return p.Name == port.StrVal && p.Name != "" || p.ContainerPort == port.IntVal
	})
}

// drainDelay returns the value of --drain-delay in the arguments of catalog serve.
func drainDelay(args []string) (delay time.Duration, ok bool) {
	if !slices.Contains(args, "serve") {
		return 0, false
	}
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--drain-delay="); ok {
			delay, _ = time.ParseDuration(value) // the program refuses what is malformed
		}
	}
	return delay, true
}
