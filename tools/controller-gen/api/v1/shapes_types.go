package v1

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ShapesSpec has a field for each function of treadle/schemas, with the name of the function.
type ShapesSpec struct {
	// +optional
	ObjectMeta *metav1.ObjectMeta `json:"objectMeta,omitempty"`
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// +optional
	OwnerReference *metav1.OwnerReference `json:"ownerReference,omitempty"`
	// +optional
	ObjectReference *corev1.ObjectReference `json:"objectReference,omitempty"`
	// +optional
	LocalObjectReference *corev1.LocalObjectReference `json:"localObjectReference,omitempty"`
	// +optional
	TypedLocalObjectReference *corev1.TypedLocalObjectReference `json:"typedLocalObjectReference,omitempty"`
	// +optional
	TypedObjectReference *corev1.TypedObjectReference `json:"typedObjectReference,omitempty"`
	// +optional
	SecretReference *corev1.SecretReference `json:"secretReference,omitempty"`
	// +optional
	SecretKeySelector *corev1.SecretKeySelector `json:"secretKeySelector,omitempty"`
	// +optional
	ConfigMapKeySelector *corev1.ConfigMapKeySelector `json:"configMapKeySelector,omitempty"`
	// +optional
	CrossVersionObjectReference *autoscalingv2.CrossVersionObjectReference `json:"crossVersionObjectReference,omitempty"`
	// +optional
	PodTemplateSpec *corev1.PodTemplateSpec `json:"podTemplateSpec,omitempty"`
	// +optional
	PodSpec *corev1.PodSpec `json:"podSpec,omitempty"`
	// +optional
	JobTemplateSpec *batchv1.JobTemplateSpec `json:"jobTemplateSpec,omitempty"`
	// +optional
	JobSpec *batchv1.JobSpec `json:"jobSpec,omitempty"`
	// +optional
	PodFailurePolicy *batchv1.PodFailurePolicy `json:"podFailurePolicy,omitempty"`
	// +optional
	DeploymentSpec *appsv1.DeploymentSpec `json:"deploymentSpec,omitempty"`
	// +optional
	DeploymentStrategy *appsv1.DeploymentStrategy `json:"deploymentStrategy,omitempty"`
	// +optional
	StatefulSetUpdateStrategy *appsv1.StatefulSetUpdateStrategy `json:"statefulSetUpdateStrategy,omitempty"`
	// +optional
	StatefulSetPersistentVolumeClaimRetentionPolicy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy `json:"statefulSetPersistentVolumeClaimRetentionPolicy,omitempty"`
	// +optional
	DaemonSetUpdateStrategy *appsv1.DaemonSetUpdateStrategy `json:"daemonSetUpdateStrategy,omitempty"`
	// +optional
	PodDisruptionBudgetSpec *policyv1.PodDisruptionBudgetSpec `json:"podDisruptionBudgetSpec,omitempty"`
	// +optional
	MetricSpec *autoscalingv2.MetricSpec `json:"metricSpec,omitempty"`
	// +optional
	HorizontalPodAutoscalerBehavior *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"horizontalPodAutoscalerBehavior,omitempty"`
	// +optional
	Container *corev1.Container `json:"container,omitempty"`
	// +optional
	ContainerPort *corev1.ContainerPort `json:"containerPort,omitempty"`
	// +optional
	EnvVar *corev1.EnvVar `json:"envVar,omitempty"`
	// +optional
	EnvVarSource *corev1.EnvVarSource `json:"envVarSource,omitempty"`
	// +optional
	EnvFromSource *corev1.EnvFromSource `json:"envFromSource,omitempty"`
	// +optional
	ResourceRequirements *corev1.ResourceRequirements `json:"resourceRequirements,omitempty"`
	// +optional
	Probe *corev1.Probe `json:"probe,omitempty"`
	// +optional
	Lifecycle *corev1.Lifecycle `json:"lifecycle,omitempty"`
	// +optional
	SecurityContext *corev1.SecurityContext `json:"securityContext,omitempty"`
	// +optional
	PodSecurityContext *corev1.PodSecurityContext `json:"podSecurityContext,omitempty"`
	// +optional
	VolumeMount *corev1.VolumeMount `json:"volumeMount,omitempty"`
	// +optional
	VolumeDevice *corev1.VolumeDevice `json:"volumeDevice,omitempty"`
	// +optional
	Volume *corev1.Volume `json:"volume,omitempty"`
	// +optional
	KeyToPath *corev1.KeyToPath `json:"keyToPath,omitempty"`
	// +optional
	PersistentVolumeClaimSpec *corev1.PersistentVolumeClaimSpec `json:"persistentVolumeClaimSpec,omitempty"`
	// +optional
	PersistentVolumeClaimTemplate *corev1.PersistentVolumeClaimTemplate `json:"persistentVolumeClaimTemplate,omitempty"`
	// +optional
	VolumeResourceRequirements *corev1.VolumeResourceRequirements `json:"volumeResourceRequirements,omitempty"`
	// +optional
	Toleration *corev1.Toleration `json:"toleration,omitempty"`
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`
	// +optional
	NodeAffinity *corev1.NodeAffinity `json:"nodeAffinity,omitempty"`
	// +optional
	PodAffinity *corev1.PodAffinity `json:"podAffinity,omitempty"`
	// +optional
	PodAntiAffinity *corev1.PodAntiAffinity `json:"podAntiAffinity,omitempty"`
	// +optional
	NodeSelector *corev1.NodeSelector `json:"nodeSelector,omitempty"`
	// +optional
	TopologySpreadConstraint *corev1.TopologySpreadConstraint `json:"topologySpreadConstraint,omitempty"`
	// +optional
	HostAlias *corev1.HostAlias `json:"hostAlias,omitempty"`
	// +optional
	PodDNSConfig *corev1.PodDNSConfig `json:"podDNSConfig,omitempty"`
	// +optional
	ServicePort *corev1.ServicePort `json:"servicePort,omitempty"`
	// +optional
	ServiceSpec *corev1.ServiceSpec `json:"serviceSpec,omitempty"`
	// +optional
	IngressSpec *networkingv1.IngressSpec `json:"ingressSpec,omitempty"`
	// +optional
	IngressRule *networkingv1.IngressRule `json:"ingressRule,omitempty"`
	// +optional
	IngressTLS *networkingv1.IngressTLS `json:"ingressTLS,omitempty"`
	// +optional
	NetworkPolicySpec *networkingv1.NetworkPolicySpec `json:"networkPolicySpec,omitempty"`
	// +optional
	NetworkPolicyPeer *networkingv1.NetworkPolicyPeer `json:"networkPolicyPeer,omitempty"`
	// +optional
	NetworkPolicyPort *networkingv1.NetworkPolicyPort `json:"networkPolicyPort,omitempty"`
	// +optional
	PolicyRule *rbacv1.PolicyRule `json:"policyRule,omitempty"`
	// +optional
	RoleRef *rbacv1.RoleRef `json:"roleRef,omitempty"`
	// +optional
	Subject *rbacv1.Subject `json:"subject,omitempty"`
	// +optional
	Quantity *resource.Quantity `json:"quantity,omitempty"`
	// +optional
	IntOrString *intstr.IntOrString `json:"intOrString,omitempty"`
}

// +kubebuilder:object:root=true

// Shapes has all shapes.
type Shapes struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShapesSpec `json:"spec"`
}
