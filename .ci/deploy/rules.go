package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// shutdownTimeout is that of api/server: how long requests in flight may take after the
// drain delay.
const shutdownTimeout = 15 * time.Second

// checker collects findings about the objects of a kustomization.
type checker struct {
	deployments map[string]*appsv1.Deployment
	services    map[string]*corev1.Service
	findings    []string
}

// checkObjects returns which of our rules the objects break.
func checkObjects(objects []runtime.Object) []string {
	c := checker{deployments: map[string]*appsv1.Deployment{}, services: map[string]*corev1.Service{}}
	generated := map[string]bool{} // ConfigMaps and Secrets
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.Deployment:
			c.deployments[o.Name] = o
		case *corev1.Service:
			c.services[o.Name] = o
		case *corev1.ConfigMap:
			generated[o.Name] = true
		case *corev1.Secret:
			generated[o.Name] = true
		}
	}
	c.wrong(len(c.deployments) > 0, "there is no Deployment")
	for _, name := range slices.Sorted(maps.Keys(c.deployments)) {
		c.checkDeployment(c.deployments[name], generated)
	}
	for _, object := range objects {
		switch o := object.(type) {
		case *corev1.Service:
			c.checkServicePorts(o)
		case *networkingv1.Ingress:
			c.checkIngress(o)
		case *networkingv1.NetworkPolicy:
			c.checkSelector("NetworkPolicy "+o.Name, &o.Spec.PodSelector)
		case *policyv1.PodDisruptionBudget:
			c.checkSelector("PodDisruptionBudget "+o.Name, o.Spec.Selector)
		case *autoscalingv2.HorizontalPodAutoscaler:
			name := o.Spec.ScaleTargetRef.Name
			d := c.deployments[name]
			c.wrong(o.Spec.ScaleTargetRef.Kind == "Deployment" && d != nil, "HorizontalPodAutoscaler %s: there is no Deployment %s", o.Name, name)
			c.wrong(d == nil || d.Spec.Replicas == nil, "HorizontalPodAutoscaler %s: the Deployment %s sets replicas, which would override the autoscaler: remove them", o.Name, name)
			c.wrong(o.Spec.MinReplicas != nil && *o.Spec.MinReplicas < o.Spec.MaxReplicas, "HorizontalPodAutoscaler %s: minReplicas is not below maxReplicas", o.Name)
		}
	}
	return c.findings
}

func (c *checker) wrong(ok bool, text string, args ...any) {
	if !ok {
		c.findings = append(c.findings, fmt.Sprintf(text, args...))
	}
}

func isTrue(b *bool) bool  { return b != nil && *b }
func isFalse(b *bool) bool { return b != nil && !*b }

func (c *checker) checkDeployment(d *appsv1.Deployment, generated map[string]bool) {
	wrong := func(ok bool, text string, args ...any) {
		c.wrong(ok, "Deployment "+d.Name+": "+text, args...)
	}
	spec := &d.Spec.Template.Spec
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	wrong(err == nil && !selector.Empty() && selector.Matches(labels.Set(d.Spec.Template.Labels)), "the selector does not match the labels of the pods")
	wrong(isFalse(spec.AutomountServiceAccountToken), "automountServiceAccountToken is not false")
	wrong(isFalse(spec.EnableServiceLinks), "enableServiceLinks is not false")
	pod := spec.SecurityContext
	if pod == nil {
		pod = &corev1.PodSecurityContext{}
	}
	wrong(isTrue(pod.RunAsNonRoot) && pod.RunAsUser != nil && *pod.RunAsUser > 0, "runAsNonRoot or runAsUser is not set")
	wrong(pod.SeccompProfile != nil && pod.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault, "seccompProfile is not RuntimeDefault")
	wrong(!spec.HostNetwork && !spec.HostPID && !spec.HostIPC, "hostNetwork, hostPID or hostIPC is true")
	for _, constraint := range spec.TopologySpreadConstraints {
		selector, err := metav1.LabelSelectorAsSelector(constraint.LabelSelector)
		wrong(err == nil && selector.Matches(labels.Set(d.Spec.Template.Labels)), "a topologySpreadConstraint does not match the labels of the pods")
	}
	volumes := map[string]bool{}
	for _, v := range spec.Volumes {
		volumes[v.Name] = true
		wrong(v.HostPath == nil, "the volume %s is a folder of the node", v.Name)
		wrong(v.EmptyDir == nil || v.EmptyDir.SizeLimit != nil, "the volume %s has no sizeLimit", v.Name)
		wrong(v.Secret == nil || generated[v.Secret.SecretName], "the Secret of the volume %s does not exist", v.Name)
	}
	for i := range spec.Containers {
		container := &spec.Containers[i]
		name := container.Name
		wrong(isPinned(container.Image), "the image %q of %s has no tag, or the tag latest: give a version", container.Image, name)
		for _, kind := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			request, limit := container.Resources.Requests[kind], container.Resources.Limits[kind]
			wrong(!request.IsZero() && !limit.IsZero() && request.Cmp(limit) <= 0, "%s needs a request of %s, and a limit that is not below it", name, kind)
		}
		wrong(container.ReadinessProbe != nil && container.LivenessProbe != nil, "%s needs a readinessProbe and a livenessProbe", name)
		for _, probe := range []*corev1.Probe{container.ReadinessProbe, container.LivenessProbe, container.StartupProbe} {
			switch {
			case probe == nil:
			case probe.HTTPGet != nil:
				wrong(hasPort(container, probe.HTTPGet.Port), "a probe of %s uses a port that the container does not have", name)
			case probe.TCPSocket != nil:
				wrong(hasPort(container, probe.TCPSocket.Port), "a probe of %s uses a port that the container does not have", name)
			default:
				wrong(false, "a probe of %s has neither httpGet nor tcpSocket", name)
			}
		}
		s := container.SecurityContext
		if s == nil {
			s = &corev1.SecurityContext{}
		}
		wrong(isTrue(s.ReadOnlyRootFilesystem), "readOnlyRootFilesystem of %s is not true", name)
		wrong(isFalse(s.AllowPrivilegeEscalation), "allowPrivilegeEscalation of %s is not false", name)
		wrong(s.Capabilities != nil && len(s.Capabilities.Add) == 0 && slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}), "%s does not drop all capabilities", name)
		for _, mount := range container.VolumeMounts {
			wrong(volumes[mount.Name], "%s mounts %s, which is not a volume", name, mount.Name)
		}
		for _, from := range container.EnvFrom {
			wrong(from.ConfigMapRef == nil || generated[from.ConfigMapRef.Name], "envFrom of %s names a ConfigMap that does not exist", name)
		}
		if delay, ok := drainDelay(container.Args); ok {
			grace := spec.TerminationGracePeriodSeconds
			wrong(grace != nil && time.Duration(*grace)*time.Second > delay+shutdownTimeout, "terminationGracePeriodSeconds is not longer than the drain delay plus %v", shutdownTimeout)
			probe := container.ReadinessProbe
			wrong(probe != nil && time.Duration(max(probe.PeriodSeconds, 1)*max(probe.FailureThreshold, 1))*time.Second < delay, "the drain delay ends before the readinessProbe of %s can fail", name)
			wrong(probe != nil && probe.HTTPGet != nil && probe.HTTPGet.Path == "/readyz", "the readinessProbe of %s does not request /readyz", name)
			wrong(container.LivenessProbe != nil && container.LivenessProbe.HTTPGet != nil && container.LivenessProbe.HTTPGet.Path == "/healthz", "the livenessProbe of %s does not request /healthz", name)
			wrong(container.StartupProbe != nil, "%s has no startupProbe", name)
			r := d.Spec.Strategy.RollingUpdate
			wrong(r != nil && r.MaxUnavailable != nil && *r.MaxUnavailable == intstr.FromInt32(0), "maxUnavailable is not 0")
		}
	}
}

func (c *checker) checkServicePorts(s *corev1.Service) {
	found := false
	for _, d := range c.deployments {
		if !labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(d.Spec.Template.Labels)) {
			continue
		}
		found = true
		for _, port := range s.Spec.Ports {
			ok := slices.ContainsFunc(d.Spec.Template.Spec.Containers, func(container corev1.Container) bool { return hasPort(&container, port.TargetPort) })
			c.wrong(ok, "Service %s: no container of %s has the port %s", s.Name, d.Name, port.TargetPort.String())
		}
	}
	c.wrong(found && len(s.Spec.Selector) > 0, "Service %s selects no pods", s.Name)
}

func (c *checker) checkIngress(i *networkingv1.Ingress) {
	for _, rule := range i.Spec.Rules {
		for _, path := range rule.HTTP.Paths {
			backend := path.Backend.Service
			s := c.services[backend.Name]
			ok := s != nil && slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool {
				return p.Name == backend.Port.Name && p.Name != "" || p.Port == backend.Port.Number
			})
			c.wrong(ok, "Ingress %s: there is no Service %s with this port", i.Name, backend.Name)
		}
	}
}

// checkSelector checks that a selector matches the pods of one Deployment.
func (c *checker) checkSelector(name string, s *metav1.LabelSelector) {
	selector, err := metav1.LabelSelectorAsSelector(s)
	matched := 0
	for _, d := range c.deployments {
		if err == nil && selector.Matches(labels.Set(d.Spec.Template.Labels)) {
			matched++
		}
	}
	c.wrong(matched == 1, "%s matches the pods of %d Deployments, not of one", name, matched)
}

// hasPort reports whether a container names a port, or has its number.
func hasPort(c *corev1.Container, port intstr.IntOrString) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool {
		return port.Type == intstr.String && p.Name == port.StrVal || port.Type == intstr.Int && p.ContainerPort == port.IntVal
	})
}

// isPinned reports whether an image has a tag other than latest, or a digest.
func isPinned(image string) bool {
	name := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, ok := strings.Cut(name, ":")
	return ok && tag != "" && tag != "latest"
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
