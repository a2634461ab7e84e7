/* oxlint-disable max-lines -- generated: one line for each message */
/** The protobuf messages of the built-in kinds (v1.36.3). Written by `scripts/protobuf.ts`; not to be edited by hand. */

/** A name and the fields of the message on each line: number, form (`=` one, `*` several, `%` a map), type, name in JSON. */
export const MESSAGES: string = `
admissionregistration.v1.ApplyConfiguration 1=s expression
admissionregistration.v1.AuditAnnotation 1=s key;2=s valueExpression
admissionregistration.v1.ExpressionWarning 2=s fieldRef;3=s warning
admissionregistration.v1.JSONPatch 1=s expression
admissionregistration.v1.MatchCondition 1=s name;2=s expression
admissionregistration.v1.MatchResources 1=meta.v1.LabelSelector namespaceSelector;2=meta.v1.LabelSelector objectSelector;3*admissionregistration.v1.NamedRuleWithOperations resourceRules;4*admissionregistration.v1.NamedRuleWithOperations excludeResourceRules;7=s matchPolicy
admissionregistration.v1.MutatingAdmissionPolicy 1=meta.v1.ObjectMeta metadata;2=admissionregistration.v1.MutatingAdmissionPolicySpec spec
admissionregistration.v1.MutatingAdmissionPolicyBinding 1=meta.v1.ObjectMeta metadata;2=admissionregistration.v1.MutatingAdmissionPolicyBindingSpec spec
admissionregistration.v1.MutatingAdmissionPolicyBindingSpec 1=s policyName;2=admissionregistration.v1.ParamRef paramRef;3=admissionregistration.v1.MatchResources matchResources
admissionregistration.v1.MutatingAdmissionPolicySpec 1=admissionregistration.v1.ParamKind paramKind;2=admissionregistration.v1.MatchResources matchConstraints;3*admissionregistration.v1.Variable variables;4*admissionregistration.v1.Mutation mutations;5=s failurePolicy;6*admissionregistration.v1.MatchCondition matchConditions;7=s reinvocationPolicy
admissionregistration.v1.MutatingWebhook 1=s name;2=admissionregistration.v1.WebhookClientConfig clientConfig;3*admissionregistration.v1.RuleWithOperations rules;4=s failurePolicy;9=s matchPolicy;5=meta.v1.LabelSelector namespaceSelector;11=meta.v1.LabelSelector objectSelector;6=s sideEffects;7=i timeoutSeconds;8*s admissionReviewVersions;10=s reinvocationPolicy;12*admissionregistration.v1.MatchCondition matchConditions
admissionregistration.v1.MutatingWebhookConfiguration 1=meta.v1.ObjectMeta metadata;2*admissionregistration.v1.MutatingWebhook webhooks
admissionregistration.v1.Mutation 2=s patchType;3=admissionregistration.v1.ApplyConfiguration applyConfiguration;4=admissionregistration.v1.JSONPatch jsonPatch
admissionregistration.v1.NamedRuleWithOperations 1*s resourceNames;2=admissionregistration.v1.RuleWithOperations 
admissionregistration.v1.ParamKind 1=s apiVersion;2=s kind
admissionregistration.v1.ParamRef 1=s name;2=s namespace;3=meta.v1.LabelSelector selector;4=s parameterNotFoundAction
admissionregistration.v1.Rule 1*s apiGroups;2*s apiVersions;3*s resources;4=s scope
admissionregistration.v1.RuleWithOperations 1*s operations;2=admissionregistration.v1.Rule 
admissionregistration.v1.ServiceReference 1=s namespace;2=s name;3=s path;4=i port
admissionregistration.v1.TypeChecking 1*admissionregistration.v1.ExpressionWarning expressionWarnings
admissionregistration.v1.ValidatingAdmissionPolicy 1=meta.v1.ObjectMeta metadata;2=admissionregistration.v1.ValidatingAdmissionPolicySpec spec;3=admissionregistration.v1.ValidatingAdmissionPolicyStatus status
admissionregistration.v1.ValidatingAdmissionPolicyBinding 1=meta.v1.ObjectMeta metadata;2=admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec spec
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec 1=s policyName;2=admissionregistration.v1.ParamRef paramRef;3=admissionregistration.v1.MatchResources matchResources;4*s validationActions
admissionregistration.v1.ValidatingAdmissionPolicySpec 1=admissionregistration.v1.ParamKind paramKind;2=admissionregistration.v1.MatchResources matchConstraints;3*admissionregistration.v1.Validation validations;4=s failurePolicy;5*admissionregistration.v1.AuditAnnotation auditAnnotations;6*admissionregistration.v1.MatchCondition matchConditions;7*admissionregistration.v1.Variable variables
admissionregistration.v1.ValidatingAdmissionPolicyStatus 1=i observedGeneration;2=admissionregistration.v1.TypeChecking typeChecking;3*meta.v1.Condition conditions
admissionregistration.v1.ValidatingWebhook 1=s name;2=admissionregistration.v1.WebhookClientConfig clientConfig;3*admissionregistration.v1.RuleWithOperations rules;4=s failurePolicy;9=s matchPolicy;5=meta.v1.LabelSelector namespaceSelector;10=meta.v1.LabelSelector objectSelector;6=s sideEffects;7=i timeoutSeconds;8*s admissionReviewVersions;11*admissionregistration.v1.MatchCondition matchConditions
admissionregistration.v1.ValidatingWebhookConfiguration 1=meta.v1.ObjectMeta metadata;2*admissionregistration.v1.ValidatingWebhook webhooks
admissionregistration.v1.Validation 1=s expression;2=s message;3=s reason;4=s messageExpression
admissionregistration.v1.Variable 1=s name;2=s expression
admissionregistration.v1.WebhookClientConfig 3=s url;1=admissionregistration.v1.ServiceReference service;2=x caBundle
apiextensions.v1.CustomResourceColumnDefinition 1=s name;2=s type;3=s format;4=s description;5=i priority;6=s jsonPath
apiextensions.v1.CustomResourceConversion 1=s strategy;2=apiextensions.v1.WebhookConversion webhook
apiextensions.v1.CustomResourceDefinition 1=meta.v1.ObjectMeta metadata;2=apiextensions.v1.CustomResourceDefinitionSpec spec;3=apiextensions.v1.CustomResourceDefinitionStatus status
apiextensions.v1.CustomResourceDefinitionCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message;6=i observedGeneration
apiextensions.v1.CustomResourceDefinitionNames 1=s plural;2=s singular;3*s shortNames;4=s kind;5=s listKind;6*s categories
apiextensions.v1.CustomResourceDefinitionSpec 1=s group;3=apiextensions.v1.CustomResourceDefinitionNames names;4=s scope;7*apiextensions.v1.CustomResourceDefinitionVersion versions;9=apiextensions.v1.CustomResourceConversion conversion;10=b preserveUnknownFields
apiextensions.v1.CustomResourceDefinitionStatus 1*apiextensions.v1.CustomResourceDefinitionCondition conditions;2=apiextensions.v1.CustomResourceDefinitionNames acceptedNames;3*s storedVersions;4=i observedGeneration
apiextensions.v1.CustomResourceDefinitionVersion 1=s name;2=b served;3=b storage;7=b deprecated;8=s deprecationWarning;4=apiextensions.v1.CustomResourceValidation schema;5=apiextensions.v1.CustomResourceSubresources subresources;6*apiextensions.v1.CustomResourceColumnDefinition additionalPrinterColumns;9*apiextensions.v1.SelectableField selectableFields
apiextensions.v1.CustomResourceSubresourceScale 1=s specReplicasPath;2=s statusReplicasPath;3=s labelSelectorPath
apiextensions.v1.CustomResourceSubresourceStatus 
apiextensions.v1.CustomResourceSubresources 1=apiextensions.v1.CustomResourceSubresourceStatus status;2=apiextensions.v1.CustomResourceSubresourceScale scale
apiextensions.v1.CustomResourceValidation 1=apiextensions.v1.JSONSchemaProps openAPIV3Schema
apiextensions.v1.ExternalDocumentation 1=s description;2=s url
apiextensions.v1.JSONSchemaProps 1=s id;2=s $schema;3=s $ref;4=s description;5=s type;6=s format;7=s title;8=apiextensions.v1.JSON default;9=d maximum;10=b exclusiveMaximum;11=d minimum;12=b exclusiveMinimum;13=i maxLength;14=i minLength;15=s pattern;16=i maxItems;17=i minItems;18=b uniqueItems;19=d multipleOf;20*apiextensions.v1.JSON enum;21=i maxProperties;22=i minProperties;23*s required;24=apiextensions.v1.JSONSchemaPropsOrArray items;25*apiextensions.v1.JSONSchemaProps allOf;26*apiextensions.v1.JSONSchemaProps oneOf;27*apiextensions.v1.JSONSchemaProps anyOf;28=apiextensions.v1.JSONSchemaProps not;29%apiextensions.v1.JSONSchemaProps properties;30=apiextensions.v1.JSONSchemaPropsOrBool additionalProperties;31%apiextensions.v1.JSONSchemaProps patternProperties;32%apiextensions.v1.JSONSchemaPropsOrStringArray dependencies;33=apiextensions.v1.JSONSchemaPropsOrBool additionalItems;34%apiextensions.v1.JSONSchemaProps definitions;35=apiextensions.v1.ExternalDocumentation externalDocs;36=apiextensions.v1.JSON example;37=b nullable;38=b x-kubernetes-preserve-unknown-fields;39=b x-kubernetes-embedded-resource;40=b x-kubernetes-int-or-string;41*s x-kubernetes-list-map-keys;42=s x-kubernetes-list-type;43=s x-kubernetes-map-type;44*apiextensions.v1.ValidationRule x-kubernetes-validations
apiextensions.v1.SelectableField 1=s jsonPath
apiextensions.v1.ServiceReference 1=s namespace;2=s name;3=s path;4=i port
apiextensions.v1.ValidationRule 1=s rule;2=s message;3=s messageExpression;4=s reason;5=s fieldPath;6=b optionalOldSelf
apiextensions.v1.WebhookClientConfig 3=s url;1=apiextensions.v1.ServiceReference service;2=x caBundle
apiextensions.v1.WebhookConversion 2=apiextensions.v1.WebhookClientConfig clientConfig;3*s conversionReviewVersions
apiregistration.v1.APIService 1=meta.v1.ObjectMeta metadata;2=apiregistration.v1.APIServiceSpec spec;3=apiregistration.v1.APIServiceStatus status
apiregistration.v1.APIServiceCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
apiregistration.v1.APIServiceSpec 1=apiregistration.v1.ServiceReference service;2=s group;3=s version;4=b insecureSkipTLSVerify;5=x caBundle;7=i groupPriorityMinimum;8=i versionPriority
apiregistration.v1.APIServiceStatus 1*apiregistration.v1.APIServiceCondition conditions
apiregistration.v1.ServiceReference 1=s namespace;2=s name;3=i port
apps.v1.ControllerRevision 1=meta.v1.ObjectMeta metadata;2=runtime.RawExtension data;3=i revision
apps.v1.DaemonSet 1=meta.v1.ObjectMeta metadata;2=apps.v1.DaemonSetSpec spec;3=apps.v1.DaemonSetStatus status
apps.v1.DaemonSetCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
apps.v1.DaemonSetSpec 1=meta.v1.LabelSelector selector;2=core.v1.PodTemplateSpec template;3=apps.v1.DaemonSetUpdateStrategy updateStrategy;4=i minReadySeconds;6=i revisionHistoryLimit
apps.v1.DaemonSetStatus 1=i currentNumberScheduled;2=i numberMisscheduled;3=i desiredNumberScheduled;4=i numberReady;5=i observedGeneration;6=i updatedNumberScheduled;7=i numberAvailable;8=i numberUnavailable;9=i collisionCount;10*apps.v1.DaemonSetCondition conditions
apps.v1.DaemonSetUpdateStrategy 1=s type;2=apps.v1.RollingUpdateDaemonSet rollingUpdate
apps.v1.Deployment 1=meta.v1.ObjectMeta metadata;2=apps.v1.DeploymentSpec spec;3=apps.v1.DeploymentStatus status
apps.v1.DeploymentCondition 1=s type;2=s status;6=meta.v1.Time lastUpdateTime;7=meta.v1.Time lastTransitionTime;4=s reason;5=s message
apps.v1.DeploymentSpec 1=i replicas;2=meta.v1.LabelSelector selector;3=core.v1.PodTemplateSpec template;4=apps.v1.DeploymentStrategy strategy;5=i minReadySeconds;6=i revisionHistoryLimit;7=b paused;9=i progressDeadlineSeconds
apps.v1.DeploymentStatus 1=i observedGeneration;2=i replicas;3=i updatedReplicas;7=i readyReplicas;4=i availableReplicas;5=i unavailableReplicas;9=i terminatingReplicas;6*apps.v1.DeploymentCondition conditions;8=i collisionCount
apps.v1.DeploymentStrategy 1=s type;2=apps.v1.RollingUpdateDeployment rollingUpdate
apps.v1.ReplicaSet 1=meta.v1.ObjectMeta metadata;2=apps.v1.ReplicaSetSpec spec;3=apps.v1.ReplicaSetStatus status
apps.v1.ReplicaSetCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
apps.v1.ReplicaSetSpec 1=i replicas;4=i minReadySeconds;2=meta.v1.LabelSelector selector;3=core.v1.PodTemplateSpec template
apps.v1.ReplicaSetStatus 1=i replicas;2=i fullyLabeledReplicas;4=i readyReplicas;5=i availableReplicas;7=i terminatingReplicas;3=i observedGeneration;6*apps.v1.ReplicaSetCondition conditions
apps.v1.RollingUpdateDaemonSet 1=intstr.IntOrString maxUnavailable;2=intstr.IntOrString maxSurge
apps.v1.RollingUpdateDeployment 1=intstr.IntOrString maxUnavailable;2=intstr.IntOrString maxSurge
apps.v1.RollingUpdateStatefulSetStrategy 1=i partition;2=intstr.IntOrString maxUnavailable
apps.v1.StatefulSet 1=meta.v1.ObjectMeta metadata;2=apps.v1.StatefulSetSpec spec;3=apps.v1.StatefulSetStatus status
apps.v1.StatefulSetCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
apps.v1.StatefulSetOrdinals 1=i start
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy 1=s whenDeleted;2=s whenScaled
apps.v1.StatefulSetSpec 1=i replicas;2=meta.v1.LabelSelector selector;3=core.v1.PodTemplateSpec template;4*core.v1.PersistentVolumeClaim volumeClaimTemplates;5=s serviceName;6=s podManagementPolicy;7=apps.v1.StatefulSetUpdateStrategy updateStrategy;8=i revisionHistoryLimit;9=i minReadySeconds;10=apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy persistentVolumeClaimRetentionPolicy;11=apps.v1.StatefulSetOrdinals ordinals
apps.v1.StatefulSetStatus 1=i observedGeneration;2=i replicas;3=i readyReplicas;4=i currentReplicas;5=i updatedReplicas;6=s currentRevision;7=s updateRevision;9=i collisionCount;10*apps.v1.StatefulSetCondition conditions;11=i availableReplicas
apps.v1.StatefulSetUpdateStrategy 1=s type;2=apps.v1.RollingUpdateStatefulSetStrategy rollingUpdate
authentication.v1.BoundObjectReference 1=s kind;2=s apiVersion;3=s name;4=s uid
authentication.v1.ExtraValue 1*s @
authentication.v1.SelfSubjectReview 1=meta.v1.ObjectMeta metadata;2=authentication.v1.SelfSubjectReviewStatus status
authentication.v1.SelfSubjectReviewStatus 1=authentication.v1.UserInfo userInfo
authentication.v1.TokenRequest 1=meta.v1.ObjectMeta metadata;2=authentication.v1.TokenRequestSpec spec;3=authentication.v1.TokenRequestStatus status
authentication.v1.TokenRequestSpec 1*s audiences;4=i expirationSeconds;3=authentication.v1.BoundObjectReference boundObjectRef
authentication.v1.TokenRequestStatus 1=s token;2=meta.v1.Time expirationTimestamp
authentication.v1.TokenReview 1=meta.v1.ObjectMeta metadata;2=authentication.v1.TokenReviewSpec spec;3=authentication.v1.TokenReviewStatus status
authentication.v1.TokenReviewSpec 1=s token;2*s audiences
authentication.v1.TokenReviewStatus 1=b authenticated;2=authentication.v1.UserInfo user;4*s audiences;3=s error
authentication.v1.UserInfo 1=s username;2=s uid;3*s groups;4%authentication.v1.ExtraValue extra
authorization.v1.ExtraValue 1*s @
authorization.v1.FieldSelectorAttributes 1=s rawSelector;2*meta.v1.FieldSelectorRequirement requirements
authorization.v1.LabelSelectorAttributes 1=s rawSelector;2*meta.v1.LabelSelectorRequirement requirements
authorization.v1.LocalSubjectAccessReview 1=meta.v1.ObjectMeta metadata;2=authorization.v1.SubjectAccessReviewSpec spec;3=authorization.v1.SubjectAccessReviewStatus status
authorization.v1.NonResourceAttributes 1=s path;2=s verb
authorization.v1.NonResourceRule 1*s verbs;2*s nonResourceURLs
authorization.v1.ResourceAttributes 1=s namespace;2=s verb;3=s group;4=s version;5=s resource;6=s subresource;7=s name;8=authorization.v1.FieldSelectorAttributes fieldSelector;9=authorization.v1.LabelSelectorAttributes labelSelector
authorization.v1.ResourceRule 1*s verbs;2*s apiGroups;3*s resources;4*s resourceNames
authorization.v1.SelfSubjectAccessReview 1=meta.v1.ObjectMeta metadata;2=authorization.v1.SelfSubjectAccessReviewSpec spec;3=authorization.v1.SubjectAccessReviewStatus status
authorization.v1.SelfSubjectAccessReviewSpec 1=authorization.v1.ResourceAttributes resourceAttributes;2=authorization.v1.NonResourceAttributes nonResourceAttributes
authorization.v1.SelfSubjectRulesReview 1=meta.v1.ObjectMeta metadata;2=authorization.v1.SelfSubjectRulesReviewSpec spec;3=authorization.v1.SubjectRulesReviewStatus status
authorization.v1.SelfSubjectRulesReviewSpec 1=s namespace
authorization.v1.SubjectAccessReview 1=meta.v1.ObjectMeta metadata;2=authorization.v1.SubjectAccessReviewSpec spec;3=authorization.v1.SubjectAccessReviewStatus status
authorization.v1.SubjectAccessReviewSpec 1=authorization.v1.ResourceAttributes resourceAttributes;2=authorization.v1.NonResourceAttributes nonResourceAttributes;3=s user;4*s groups;5%authorization.v1.ExtraValue extra;6=s uid
authorization.v1.SubjectAccessReviewStatus 1=b allowed;4=b denied;2=s reason;3=s evaluationError
authorization.v1.SubjectRulesReviewStatus 1*authorization.v1.ResourceRule resourceRules;2*authorization.v1.NonResourceRule nonResourceRules;3=b incomplete;4=s evaluationError
autoscaling.v1.CrossVersionObjectReference 1=s kind;2=s name;3=s apiVersion
autoscaling.v1.HorizontalPodAutoscaler 1=meta.v1.ObjectMeta metadata;2=autoscaling.v1.HorizontalPodAutoscalerSpec spec;3=autoscaling.v1.HorizontalPodAutoscalerStatus status
autoscaling.v1.HorizontalPodAutoscalerSpec 1=autoscaling.v1.CrossVersionObjectReference scaleTargetRef;2=i minReplicas;3=i maxReplicas;4=i targetCPUUtilizationPercentage
autoscaling.v1.HorizontalPodAutoscalerStatus 1=i observedGeneration;2=meta.v1.Time lastScaleTime;3=i currentReplicas;4=i desiredReplicas;5=i currentCPUUtilizationPercentage
autoscaling.v1.Scale 1=meta.v1.ObjectMeta metadata;2=autoscaling.v1.ScaleSpec spec;3=autoscaling.v1.ScaleStatus status
autoscaling.v1.ScaleSpec 1=i replicas
autoscaling.v1.ScaleStatus 1=i replicas;2=s selector
autoscaling.v2.ContainerResourceMetricSource 1=s name;2=autoscaling.v2.MetricTarget target;3=s container
autoscaling.v2.ContainerResourceMetricStatus 1=s name;2=autoscaling.v2.MetricValueStatus current;3=s container
autoscaling.v2.CrossVersionObjectReference 1=s kind;2=s name;3=s apiVersion
autoscaling.v2.ExternalMetricSource 1=autoscaling.v2.MetricIdentifier metric;2=autoscaling.v2.MetricTarget target
autoscaling.v2.ExternalMetricStatus 1=autoscaling.v2.MetricIdentifier metric;2=autoscaling.v2.MetricValueStatus current
autoscaling.v2.HPAScalingPolicy 1=s type;2=i value;3=i periodSeconds
autoscaling.v2.HPAScalingRules 3=i stabilizationWindowSeconds;1=s selectPolicy;2*autoscaling.v2.HPAScalingPolicy policies;4=resource.Quantity tolerance
autoscaling.v2.HorizontalPodAutoscaler 1=meta.v1.ObjectMeta metadata;2=autoscaling.v2.HorizontalPodAutoscalerSpec spec;3=autoscaling.v2.HorizontalPodAutoscalerStatus status
autoscaling.v2.HorizontalPodAutoscalerBehavior 1=autoscaling.v2.HPAScalingRules scaleUp;2=autoscaling.v2.HPAScalingRules scaleDown
autoscaling.v2.HorizontalPodAutoscalerCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
autoscaling.v2.HorizontalPodAutoscalerSpec 1=autoscaling.v2.CrossVersionObjectReference scaleTargetRef;2=i minReplicas;3=i maxReplicas;4*autoscaling.v2.MetricSpec metrics;5=autoscaling.v2.HorizontalPodAutoscalerBehavior behavior
autoscaling.v2.HorizontalPodAutoscalerStatus 1=i observedGeneration;2=meta.v1.Time lastScaleTime;3=i currentReplicas;4=i desiredReplicas;5*autoscaling.v2.MetricStatus currentMetrics;6*autoscaling.v2.HorizontalPodAutoscalerCondition conditions
autoscaling.v2.MetricIdentifier 1=s name;2=meta.v1.LabelSelector selector
autoscaling.v2.MetricSpec 1=s type;2=autoscaling.v2.ObjectMetricSource object;3=autoscaling.v2.PodsMetricSource pods;4=autoscaling.v2.ResourceMetricSource resource;7=autoscaling.v2.ContainerResourceMetricSource containerResource;5=autoscaling.v2.ExternalMetricSource external
autoscaling.v2.MetricStatus 1=s type;2=autoscaling.v2.ObjectMetricStatus object;3=autoscaling.v2.PodsMetricStatus pods;4=autoscaling.v2.ResourceMetricStatus resource;7=autoscaling.v2.ContainerResourceMetricStatus containerResource;5=autoscaling.v2.ExternalMetricStatus external
autoscaling.v2.MetricTarget 1=s type;2=resource.Quantity value;3=resource.Quantity averageValue;4=i averageUtilization
autoscaling.v2.MetricValueStatus 1=resource.Quantity value;2=resource.Quantity averageValue;3=i averageUtilization
autoscaling.v2.ObjectMetricSource 1=autoscaling.v2.CrossVersionObjectReference describedObject;2=autoscaling.v2.MetricTarget target;3=autoscaling.v2.MetricIdentifier metric
autoscaling.v2.ObjectMetricStatus 1=autoscaling.v2.MetricIdentifier metric;2=autoscaling.v2.MetricValueStatus current;3=autoscaling.v2.CrossVersionObjectReference describedObject
autoscaling.v2.PodsMetricSource 1=autoscaling.v2.MetricIdentifier metric;2=autoscaling.v2.MetricTarget target
autoscaling.v2.PodsMetricStatus 1=autoscaling.v2.MetricIdentifier metric;2=autoscaling.v2.MetricValueStatus current
autoscaling.v2.ResourceMetricSource 1=s name;2=autoscaling.v2.MetricTarget target
autoscaling.v2.ResourceMetricStatus 1=s name;2=autoscaling.v2.MetricValueStatus current
batch.v1.CronJob 1=meta.v1.ObjectMeta metadata;2=batch.v1.CronJobSpec spec;3=batch.v1.CronJobStatus status
batch.v1.CronJobSpec 1=s schedule;8=s timeZone;2=i startingDeadlineSeconds;3=s concurrencyPolicy;4=b suspend;5=batch.v1.JobTemplateSpec jobTemplate;6=i successfulJobsHistoryLimit;7=i failedJobsHistoryLimit
batch.v1.CronJobStatus 1*core.v1.ObjectReference active;4=meta.v1.Time lastScheduleTime;5=meta.v1.Time lastSuccessfulTime
batch.v1.Job 1=meta.v1.ObjectMeta metadata;2=batch.v1.JobSpec spec;3=batch.v1.JobStatus status
batch.v1.JobCondition 1=s type;2=s status;3=meta.v1.Time lastProbeTime;4=meta.v1.Time lastTransitionTime;5=s reason;6=s message
batch.v1.JobSpec 1=i parallelism;2=i completions;3=i activeDeadlineSeconds;11=batch.v1.PodFailurePolicy podFailurePolicy;16=batch.v1.SuccessPolicy successPolicy;7=i backoffLimit;12=i backoffLimitPerIndex;13=i maxFailedIndexes;4=meta.v1.LabelSelector selector;5=b manualSelector;6=core.v1.PodTemplateSpec template;8=i ttlSecondsAfterFinished;9=s completionMode;10=b suspend;14=s podReplacementPolicy;15=s managedBy
batch.v1.JobStatus 1*batch.v1.JobCondition conditions;2=meta.v1.Time startTime;3=meta.v1.Time completionTime;4=i active;5=i succeeded;6=i failed;11=i terminating;7=s completedIndexes;10=s failedIndexes;8=batch.v1.UncountedTerminatedPods uncountedTerminatedPods;9=i ready
batch.v1.JobTemplateSpec 1=meta.v1.ObjectMeta metadata;2=batch.v1.JobSpec spec
batch.v1.PodFailurePolicy 1*batch.v1.PodFailurePolicyRule rules
batch.v1.PodFailurePolicyOnExitCodesRequirement 1=s containerName;2=s operator;3*i values
batch.v1.PodFailurePolicyOnPodConditionsPattern 1=s type;2=s status
batch.v1.PodFailurePolicyRule 1=s action;2=batch.v1.PodFailurePolicyOnExitCodesRequirement onExitCodes;3*batch.v1.PodFailurePolicyOnPodConditionsPattern onPodConditions
batch.v1.SuccessPolicy 1*batch.v1.SuccessPolicyRule rules
batch.v1.SuccessPolicyRule 1=s succeededIndexes;2=i succeededCount
batch.v1.UncountedTerminatedPods 1*s succeeded;2*s failed
certificates.v1.CertificateSigningRequest 1=meta.v1.ObjectMeta metadata;2=certificates.v1.CertificateSigningRequestSpec spec;3=certificates.v1.CertificateSigningRequestStatus status
certificates.v1.CertificateSigningRequestCondition 1=s type;6=s status;2=s reason;3=s message;4=meta.v1.Time lastUpdateTime;5=meta.v1.Time lastTransitionTime
certificates.v1.CertificateSigningRequestSpec 1=x request;7=s signerName;8=i expirationSeconds;5*s usages;2=s username;3=s uid;4*s groups;6%certificates.v1.ExtraValue extra
certificates.v1.CertificateSigningRequestStatus 1*certificates.v1.CertificateSigningRequestCondition conditions;2=x certificate
certificates.v1.ExtraValue 1*s @
coordination.v1.Lease 1=meta.v1.ObjectMeta metadata;2=coordination.v1.LeaseSpec spec
coordination.v1.LeaseSpec 1=s holderIdentity;2=i leaseDurationSeconds;3=meta.v1.MicroTime acquireTime;4=meta.v1.MicroTime renewTime;5=i leaseTransitions;6=s strategy;7=s preferredHolder
core.v1.AWSElasticBlockStoreVolumeSource 1=s volumeID;2=s fsType;3=i partition;4=b readOnly
core.v1.Affinity 1=core.v1.NodeAffinity nodeAffinity;2=core.v1.PodAffinity podAffinity;3=core.v1.PodAntiAffinity podAntiAffinity
core.v1.AppArmorProfile 1=s type;2=s localhostProfile
core.v1.AttachedVolume 1=s name;2=s devicePath
core.v1.AzureDiskVolumeSource 1=s diskName;2=s diskURI;3=s cachingMode;4=s fsType;5=b readOnly;6=s kind
core.v1.AzureFilePersistentVolumeSource 1=s secretName;2=s shareName;3=b readOnly;4=s secretNamespace
core.v1.AzureFileVolumeSource 1=s secretName;2=s shareName;3=b readOnly
core.v1.Binding 1=meta.v1.ObjectMeta metadata;2=core.v1.ObjectReference target
core.v1.CSIPersistentVolumeSource 1=s driver;2=s volumeHandle;3=b readOnly;4=s fsType;5%s volumeAttributes;6=core.v1.SecretReference controllerPublishSecretRef;7=core.v1.SecretReference nodeStageSecretRef;8=core.v1.SecretReference nodePublishSecretRef;9=core.v1.SecretReference controllerExpandSecretRef;10=core.v1.SecretReference nodeExpandSecretRef
core.v1.CSIVolumeSource 1=s driver;2=b readOnly;3=s fsType;4%s volumeAttributes;5=core.v1.LocalObjectReference nodePublishSecretRef
core.v1.Capabilities 1*s add;2*s drop
core.v1.CephFSPersistentVolumeSource 1*s monitors;2=s path;3=s user;4=s secretFile;5=core.v1.SecretReference secretRef;6=b readOnly
core.v1.CephFSVolumeSource 1*s monitors;2=s path;3=s user;4=s secretFile;5=core.v1.LocalObjectReference secretRef;6=b readOnly
core.v1.CinderPersistentVolumeSource 1=s volumeID;2=s fsType;3=b readOnly;4=core.v1.SecretReference secretRef
core.v1.CinderVolumeSource 1=s volumeID;2=s fsType;3=b readOnly;4=core.v1.LocalObjectReference secretRef
core.v1.ClientIPConfig 1=i timeoutSeconds
core.v1.ClusterTrustBundleProjection 1=s name;2=s signerName;3=meta.v1.LabelSelector labelSelector;5=b optional;4=s path
core.v1.ComponentCondition 1=s type;2=s status;3=s message;4=s error
core.v1.ComponentStatus 1=meta.v1.ObjectMeta metadata;2*core.v1.ComponentCondition conditions
core.v1.ConfigMap 1=meta.v1.ObjectMeta metadata;4=b immutable;2%s data;3%x binaryData
core.v1.ConfigMapEnvSource 1=core.v1.LocalObjectReference ;2=b optional
core.v1.ConfigMapKeySelector 1=core.v1.LocalObjectReference ;2=s key;3=b optional
core.v1.ConfigMapNodeConfigSource 1=s namespace;2=s name;3=s uid;4=s resourceVersion;5=s kubeletConfigKey
core.v1.ConfigMapProjection 1=core.v1.LocalObjectReference ;2*core.v1.KeyToPath items;4=b optional
core.v1.ConfigMapVolumeSource 1=core.v1.LocalObjectReference ;2*core.v1.KeyToPath items;3=i defaultMode;4=b optional
core.v1.Container 1=s name;2=s image;3*s command;4*s args;5=s workingDir;6*core.v1.ContainerPort ports;19*core.v1.EnvFromSource envFrom;7*core.v1.EnvVar env;8=core.v1.ResourceRequirements resources;23*core.v1.ContainerResizePolicy resizePolicy;24=s restartPolicy;25*core.v1.ContainerRestartRule restartPolicyRules;9*core.v1.VolumeMount volumeMounts;21*core.v1.VolumeDevice volumeDevices;10=core.v1.Probe livenessProbe;11=core.v1.Probe readinessProbe;22=core.v1.Probe startupProbe;12=core.v1.Lifecycle lifecycle;13=s terminationMessagePath;20=s terminationMessagePolicy;14=s imagePullPolicy;15=core.v1.SecurityContext securityContext;16=b stdin;17=b stdinOnce;18=b tty
core.v1.ContainerExtendedResourceRequest 1=s containerName;2=s resourceName;3=s requestName
core.v1.ContainerImage 1*s names;2=i sizeBytes
core.v1.ContainerPort 1=s name;2=i hostPort;3=i containerPort;4=s protocol;5=s hostIP
core.v1.ContainerResizePolicy 1=s resourceName;2=s restartPolicy
core.v1.ContainerRestartRule 1=s action;2=core.v1.ContainerRestartRuleOnExitCodes exitCodes
core.v1.ContainerRestartRuleOnExitCodes 1=s operator;2*i values
core.v1.ContainerState 1=core.v1.ContainerStateWaiting waiting;2=core.v1.ContainerStateRunning running;3=core.v1.ContainerStateTerminated terminated
core.v1.ContainerStateRunning 1=meta.v1.Time startedAt
core.v1.ContainerStateTerminated 1=i exitCode;2=i signal;3=s reason;4=s message;5=meta.v1.Time startedAt;6=meta.v1.Time finishedAt;7=s containerID
core.v1.ContainerStateWaiting 1=s reason;2=s message
core.v1.ContainerStatus 1=s name;2=core.v1.ContainerState state;3=core.v1.ContainerState lastState;4=b ready;5=i restartCount;6=s image;7=s imageID;8=s containerID;9=b started;10%resource.Quantity allocatedResources;11=core.v1.ResourceRequirements resources;12*core.v1.VolumeMountStatus volumeMounts;13=core.v1.ContainerUser user;14*core.v1.ResourceStatus allocatedResourcesStatus;15=s stopSignal
core.v1.ContainerUser 1=core.v1.LinuxContainerUser linux
core.v1.DaemonEndpoint 1=i Port
core.v1.DownwardAPIProjection 1*core.v1.DownwardAPIVolumeFile items
core.v1.DownwardAPIVolumeFile 1=s path;2=core.v1.ObjectFieldSelector fieldRef;3=core.v1.ResourceFieldSelector resourceFieldRef;4=i mode
core.v1.DownwardAPIVolumeSource 1*core.v1.DownwardAPIVolumeFile items;2=i defaultMode
core.v1.EmptyDirVolumeSource 1=s medium;2=resource.Quantity sizeLimit
core.v1.EndpointAddress 1=s ip;3=s hostname;4=s nodeName;2=core.v1.ObjectReference targetRef
core.v1.EndpointPort 1=s name;2=i port;3=s protocol;4=s appProtocol
core.v1.EndpointSubset 1*core.v1.EndpointAddress addresses;2*core.v1.EndpointAddress notReadyAddresses;3*core.v1.EndpointPort ports
core.v1.Endpoints 1=meta.v1.ObjectMeta metadata;2*core.v1.EndpointSubset subsets
core.v1.EnvFromSource 1=s prefix;2=core.v1.ConfigMapEnvSource configMapRef;3=core.v1.SecretEnvSource secretRef
core.v1.EnvVar 1=s name;2=s value;3=core.v1.EnvVarSource valueFrom
core.v1.EnvVarSource 1=core.v1.ObjectFieldSelector fieldRef;2=core.v1.ResourceFieldSelector resourceFieldRef;3=core.v1.ConfigMapKeySelector configMapKeyRef;4=core.v1.SecretKeySelector secretKeyRef;5=core.v1.FileKeySelector fileKeyRef
core.v1.EphemeralContainer 1=core.v1.EphemeralContainerCommon ;2=s targetContainerName
core.v1.EphemeralContainerCommon 1=s name;2=s image;3*s command;4*s args;5=s workingDir;6*core.v1.ContainerPort ports;19*core.v1.EnvFromSource envFrom;7*core.v1.EnvVar env;8=core.v1.ResourceRequirements resources;23*core.v1.ContainerResizePolicy resizePolicy;24=s restartPolicy;25*core.v1.ContainerRestartRule restartPolicyRules;9*core.v1.VolumeMount volumeMounts;21*core.v1.VolumeDevice volumeDevices;10=core.v1.Probe livenessProbe;11=core.v1.Probe readinessProbe;22=core.v1.Probe startupProbe;12=core.v1.Lifecycle lifecycle;13=s terminationMessagePath;20=s terminationMessagePolicy;14=s imagePullPolicy;15=core.v1.SecurityContext securityContext;16=b stdin;17=b stdinOnce;18=b tty
core.v1.EphemeralVolumeSource 1=core.v1.PersistentVolumeClaimTemplate volumeClaimTemplate
core.v1.Event 1=meta.v1.ObjectMeta metadata;2=core.v1.ObjectReference involvedObject;3=s reason;4=s message;5=core.v1.EventSource source;6=meta.v1.Time firstTimestamp;7=meta.v1.Time lastTimestamp;8=i count;9=s type;10=meta.v1.MicroTime eventTime;11=core.v1.EventSeries series;12=s action;13=core.v1.ObjectReference related;14=s reportingComponent;15=s reportingInstance
core.v1.EventSeries 1=i count;2=meta.v1.MicroTime lastObservedTime
core.v1.EventSource 1=s component;2=s host
core.v1.ExecAction 1*s command
core.v1.FCVolumeSource 1*s targetWWNs;2=i lun;3=s fsType;4=b readOnly;5*s wwids
core.v1.FileKeySelector 1=s volumeName;2=s path;3=s key;4=b optional
core.v1.FlexPersistentVolumeSource 1=s driver;2=s fsType;3=core.v1.SecretReference secretRef;4=b readOnly;5%s options
core.v1.FlexVolumeSource 1=s driver;2=s fsType;3=core.v1.LocalObjectReference secretRef;4=b readOnly;5%s options
core.v1.FlockerVolumeSource 1=s datasetName;2=s datasetUUID
core.v1.GCEPersistentDiskVolumeSource 1=s pdName;2=s fsType;3=i partition;4=b readOnly
core.v1.GRPCAction 1=i port;2=s service
core.v1.GitRepoVolumeSource 1=s repository;2=s revision;3=s directory
core.v1.GlusterfsPersistentVolumeSource 1=s endpoints;2=s path;3=b readOnly;4=s endpointsNamespace
core.v1.GlusterfsVolumeSource 1=s endpoints;2=s path;3=b readOnly
core.v1.HTTPGetAction 1=s path;2=intstr.IntOrString port;3=s host;4=s scheme;5*core.v1.HTTPHeader httpHeaders
core.v1.HTTPHeader 1=s name;2=s value
core.v1.HostAlias 1=s ip;2*s hostnames
core.v1.HostIP 1=s ip
core.v1.HostPathVolumeSource 1=s path;2=s type
core.v1.ISCSIPersistentVolumeSource 1=s targetPortal;2=s iqn;3=i lun;4=s iscsiInterface;5=s fsType;6=b readOnly;7*s portals;8=b chapAuthDiscovery;11=b chapAuthSession;10=core.v1.SecretReference secretRef;12=s initiatorName
core.v1.ISCSIVolumeSource 1=s targetPortal;2=s iqn;3=i lun;4=s iscsiInterface;5=s fsType;6=b readOnly;7*s portals;8=b chapAuthDiscovery;11=b chapAuthSession;10=core.v1.LocalObjectReference secretRef;12=s initiatorName
core.v1.ImageVolumeSource 1=s reference;2=s pullPolicy
core.v1.ImageVolumeStatus 1=s imageRef
core.v1.KeyToPath 1=s key;2=s path;3=i mode
core.v1.Lifecycle 1=core.v1.LifecycleHandler postStart;2=core.v1.LifecycleHandler preStop;3=s stopSignal
core.v1.LifecycleHandler 1=core.v1.ExecAction exec;2=core.v1.HTTPGetAction httpGet;3=core.v1.TCPSocketAction tcpSocket;4=core.v1.SleepAction sleep
core.v1.LimitRange 1=meta.v1.ObjectMeta metadata;2=core.v1.LimitRangeSpec spec
core.v1.LimitRangeItem 1=s type;2%resource.Quantity max;3%resource.Quantity min;4%resource.Quantity default;5%resource.Quantity defaultRequest;6%resource.Quantity maxLimitRequestRatio
core.v1.LimitRangeSpec 1*core.v1.LimitRangeItem limits
core.v1.LinuxContainerUser 1=i uid;2=i gid;3*i supplementalGroups
core.v1.LoadBalancerIngress 1=s ip;2=s hostname;3=s ipMode;4*core.v1.PortStatus ports
core.v1.LoadBalancerStatus 1*core.v1.LoadBalancerIngress ingress
core.v1.LocalObjectReference 1=s name
core.v1.LocalVolumeSource 1=s path;2=s fsType
core.v1.ModifyVolumeStatus 1=s targetVolumeAttributesClassName;2=s status
core.v1.NFSVolumeSource 1=s server;2=s path;3=b readOnly
core.v1.Namespace 1=meta.v1.ObjectMeta metadata;2=core.v1.NamespaceSpec spec;3=core.v1.NamespaceStatus status
core.v1.NamespaceCondition 1=s type;2=s status;4=meta.v1.Time lastTransitionTime;5=s reason;6=s message
core.v1.NamespaceSpec 1*s finalizers
core.v1.NamespaceStatus 1=s phase;2*core.v1.NamespaceCondition conditions
core.v1.Node 1=meta.v1.ObjectMeta metadata;2=core.v1.NodeSpec spec;3=core.v1.NodeStatus status
core.v1.NodeAddress 1=s type;2=s address
core.v1.NodeAffinity 1=core.v1.NodeSelector requiredDuringSchedulingIgnoredDuringExecution;2*core.v1.PreferredSchedulingTerm preferredDuringSchedulingIgnoredDuringExecution
core.v1.NodeAllocatableResourceClaimStatus 1=s resourceClaimName;2*s containers;3%resource.Quantity resources
core.v1.NodeCondition 1=s type;2=s status;3=meta.v1.Time lastHeartbeatTime;4=meta.v1.Time lastTransitionTime;5=s reason;6=s message
core.v1.NodeConfigSource 2=core.v1.ConfigMapNodeConfigSource configMap
core.v1.NodeConfigStatus 1=core.v1.NodeConfigSource assigned;2=core.v1.NodeConfigSource active;3=core.v1.NodeConfigSource lastKnownGood;4=s error
core.v1.NodeDaemonEndpoints 1=core.v1.DaemonEndpoint kubeletEndpoint
core.v1.NodeFeatures 1=b supplementalGroupsPolicy
core.v1.NodeRuntimeHandler 1=s name;2=core.v1.NodeRuntimeHandlerFeatures features
core.v1.NodeRuntimeHandlerFeatures 1=b recursiveReadOnlyMounts;2=b userNamespaces
core.v1.NodeSelector 1*core.v1.NodeSelectorTerm nodeSelectorTerms
core.v1.NodeSelectorRequirement 1=s key;2=s operator;3*s values
core.v1.NodeSelectorTerm 1*core.v1.NodeSelectorRequirement matchExpressions;2*core.v1.NodeSelectorRequirement matchFields
core.v1.NodeSpec 1=s podCIDR;7*s podCIDRs;3=s providerID;4=b unschedulable;5*core.v1.Taint taints;6=core.v1.NodeConfigSource configSource;2=s externalID
core.v1.NodeStatus 1%resource.Quantity capacity;2%resource.Quantity allocatable;3=s phase;4*core.v1.NodeCondition conditions;5*core.v1.NodeAddress addresses;6=core.v1.NodeDaemonEndpoints daemonEndpoints;7=core.v1.NodeSystemInfo nodeInfo;8*core.v1.ContainerImage images;9*s volumesInUse;10*core.v1.AttachedVolume volumesAttached;11=core.v1.NodeConfigStatus config;12*core.v1.NodeRuntimeHandler runtimeHandlers;13=core.v1.NodeFeatures features;14*s declaredFeatures
core.v1.NodeSwapStatus 1=i capacity
core.v1.NodeSystemInfo 1=s machineID;2=s systemUUID;3=s bootID;4=s kernelVersion;5=s osImage;6=s containerRuntimeVersion;7=s kubeletVersion;8=s kubeProxyVersion;9=s operatingSystem;10=s architecture;11=core.v1.NodeSwapStatus swap
core.v1.ObjectFieldSelector 1=s apiVersion;2=s fieldPath
core.v1.ObjectReference 1=s kind;2=s namespace;3=s name;4=s uid;5=s apiVersion;6=s resourceVersion;7=s fieldPath
core.v1.PersistentVolume 1=meta.v1.ObjectMeta metadata;2=core.v1.PersistentVolumeSpec spec;3=core.v1.PersistentVolumeStatus status
core.v1.PersistentVolumeClaim 1=meta.v1.ObjectMeta metadata;2=core.v1.PersistentVolumeClaimSpec spec;3=core.v1.PersistentVolumeClaimStatus status
core.v1.PersistentVolumeClaimCondition 1=s type;2=s status;3=meta.v1.Time lastProbeTime;4=meta.v1.Time lastTransitionTime;5=s reason;6=s message
core.v1.PersistentVolumeClaimSpec 1*s accessModes;4=meta.v1.LabelSelector selector;2=core.v1.VolumeResourceRequirements resources;3=s volumeName;5=s storageClassName;6=s volumeMode;7=core.v1.TypedLocalObjectReference dataSource;8=core.v1.TypedObjectReference dataSourceRef;9=s volumeAttributesClassName
core.v1.PersistentVolumeClaimStatus 1=s phase;2*s accessModes;3%resource.Quantity capacity;4*core.v1.PersistentVolumeClaimCondition conditions;5%resource.Quantity allocatedResources;7%s allocatedResourceStatuses;8=s currentVolumeAttributesClassName;9=core.v1.ModifyVolumeStatus modifyVolumeStatus
core.v1.PersistentVolumeClaimTemplate 1=meta.v1.ObjectMeta metadata;2=core.v1.PersistentVolumeClaimSpec spec
core.v1.PersistentVolumeClaimVolumeSource 1=s claimName;2=b readOnly
core.v1.PersistentVolumeSource 1=core.v1.GCEPersistentDiskVolumeSource gcePersistentDisk;2=core.v1.AWSElasticBlockStoreVolumeSource awsElasticBlockStore;3=core.v1.HostPathVolumeSource hostPath;4=core.v1.GlusterfsPersistentVolumeSource glusterfs;5=core.v1.NFSVolumeSource nfs;6=core.v1.RBDPersistentVolumeSource rbd;7=core.v1.ISCSIPersistentVolumeSource iscsi;8=core.v1.CinderPersistentVolumeSource cinder;9=core.v1.CephFSPersistentVolumeSource cephfs;10=core.v1.FCVolumeSource fc;11=core.v1.FlockerVolumeSource flocker;12=core.v1.FlexPersistentVolumeSource flexVolume;13=core.v1.AzureFilePersistentVolumeSource azureFile;14=core.v1.VsphereVirtualDiskVolumeSource vsphereVolume;15=core.v1.QuobyteVolumeSource quobyte;16=core.v1.AzureDiskVolumeSource azureDisk;17=core.v1.PhotonPersistentDiskVolumeSource photonPersistentDisk;18=core.v1.PortworxVolumeSource portworxVolume;19=core.v1.ScaleIOPersistentVolumeSource scaleIO;20=core.v1.LocalVolumeSource local;21=core.v1.StorageOSPersistentVolumeSource storageos;22=core.v1.CSIPersistentVolumeSource csi
core.v1.PersistentVolumeSpec 1%resource.Quantity capacity;2=core.v1.PersistentVolumeSource ;3*s accessModes;4=core.v1.ObjectReference claimRef;5=s persistentVolumeReclaimPolicy;6=s storageClassName;7*s mountOptions;8=s volumeMode;9=core.v1.VolumeNodeAffinity nodeAffinity;10=s volumeAttributesClassName
core.v1.PersistentVolumeStatus 1=s phase;2=s message;3=s reason;4=meta.v1.Time lastPhaseTransitionTime
core.v1.PhotonPersistentDiskVolumeSource 1=s pdID;2=s fsType
core.v1.Pod 1=meta.v1.ObjectMeta metadata;2=core.v1.PodSpec spec;3=core.v1.PodStatus status
core.v1.PodAffinity 1*core.v1.PodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution;2*core.v1.WeightedPodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution
core.v1.PodAffinityTerm 1=meta.v1.LabelSelector labelSelector;2*s namespaces;3=s topologyKey;4=meta.v1.LabelSelector namespaceSelector;5*s matchLabelKeys;6*s mismatchLabelKeys
core.v1.PodAntiAffinity 1*core.v1.PodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution;2*core.v1.WeightedPodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution
core.v1.PodCertificateProjection 1=s signerName;2=s keyType;3=i maxExpirationSeconds;4=s credentialBundlePath;5=s keyPath;6=s certificateChainPath;7%s userAnnotations
core.v1.PodCondition 1=s type;7=i observedGeneration;2=s status;3=meta.v1.Time lastProbeTime;4=meta.v1.Time lastTransitionTime;5=s reason;6=s message
core.v1.PodDNSConfig 1*s nameservers;2*s searches;3*core.v1.PodDNSConfigOption options
core.v1.PodDNSConfigOption 1=s name;2=s value
core.v1.PodExtendedResourceClaimStatus 1*core.v1.ContainerExtendedResourceRequest requestMappings;2=s resourceClaimName
core.v1.PodIP 1=s ip
core.v1.PodOS 1=s name
core.v1.PodReadinessGate 1=s conditionType
core.v1.PodResourceClaim 1=s name;3=s resourceClaimName;4=s resourceClaimTemplateName
core.v1.PodResourceClaimStatus 1=s name;2=s resourceClaimName
core.v1.PodSchedulingGate 1=s name
core.v1.PodSchedulingGroup 1=s podGroupName
core.v1.PodSecurityContext 1=core.v1.SELinuxOptions seLinuxOptions;8=core.v1.WindowsSecurityContextOptions windowsOptions;2=i runAsUser;6=i runAsGroup;3=b runAsNonRoot;4*i supplementalGroups;12=s supplementalGroupsPolicy;5=i fsGroup;7*core.v1.Sysctl sysctls;9=s fsGroupChangePolicy;10=core.v1.SeccompProfile seccompProfile;11=core.v1.AppArmorProfile appArmorProfile;13=s seLinuxChangePolicy
core.v1.PodSpec 1*core.v1.Volume volumes;20*core.v1.Container initContainers;2*core.v1.Container containers;34*core.v1.EphemeralContainer ephemeralContainers;3=s restartPolicy;4=i terminationGracePeriodSeconds;5=i activeDeadlineSeconds;6=s dnsPolicy;7%s nodeSelector;8=s serviceAccountName;9=s serviceAccount;21=b automountServiceAccountToken;10=s nodeName;11=b hostNetwork;12=b hostPID;13=b hostIPC;27=b shareProcessNamespace;14=core.v1.PodSecurityContext securityContext;15*core.v1.LocalObjectReference imagePullSecrets;16=s hostname;17=s subdomain;18=core.v1.Affinity affinity;19=s schedulerName;22*core.v1.Toleration tolerations;23*core.v1.HostAlias hostAliases;24=s priorityClassName;25=i priority;26=core.v1.PodDNSConfig dnsConfig;28*core.v1.PodReadinessGate readinessGates;29=s runtimeClassName;30=b enableServiceLinks;31=s preemptionPolicy;32%resource.Quantity overhead;33*core.v1.TopologySpreadConstraint topologySpreadConstraints;35=b setHostnameAsFQDN;36=core.v1.PodOS os;37=b hostUsers;38*core.v1.PodSchedulingGate schedulingGates;39*core.v1.PodResourceClaim resourceClaims;40=core.v1.ResourceRequirements resources;41=s hostnameOverride;43=core.v1.PodSchedulingGroup schedulingGroup
core.v1.PodStatus 17=i observedGeneration;1=s phase;2*core.v1.PodCondition conditions;3=s message;4=s reason;11=s nominatedNodeName;5=s hostIP;16*core.v1.HostIP hostIPs;6=s podIP;12*core.v1.PodIP podIPs;7=meta.v1.Time startTime;10*core.v1.ContainerStatus initContainerStatuses;8*core.v1.ContainerStatus containerStatuses;9=s qosClass;13*core.v1.ContainerStatus ephemeralContainerStatuses;14=s resize;15*core.v1.PodResourceClaimStatus resourceClaimStatuses;18=core.v1.PodExtendedResourceClaimStatus extendedResourceClaimStatus;19%resource.Quantity allocatedResources;20=core.v1.ResourceRequirements resources;21*core.v1.NodeAllocatableResourceClaimStatus nodeAllocatableResourceClaimStatuses
core.v1.PodTemplate 1=meta.v1.ObjectMeta metadata;2=core.v1.PodTemplateSpec template
core.v1.PodTemplateSpec 1=meta.v1.ObjectMeta metadata;2=core.v1.PodSpec spec
core.v1.PortStatus 1=i port;2=s protocol;3=s error
core.v1.PortworxVolumeSource 1=s volumeID;2=s fsType;3=b readOnly
core.v1.PreferredSchedulingTerm 1=i weight;2=core.v1.NodeSelectorTerm preference
core.v1.Probe 1=core.v1.ProbeHandler ;2=i initialDelaySeconds;3=i timeoutSeconds;4=i periodSeconds;5=i successThreshold;6=i failureThreshold;7=i terminationGracePeriodSeconds
core.v1.ProbeHandler 1=core.v1.ExecAction exec;2=core.v1.HTTPGetAction httpGet;3=core.v1.TCPSocketAction tcpSocket;4=core.v1.GRPCAction grpc
core.v1.ProjectedVolumeSource 1*core.v1.VolumeProjection sources;2=i defaultMode
core.v1.QuobyteVolumeSource 1=s registry;2=s volume;3=b readOnly;4=s user;5=s group;6=s tenant
core.v1.RBDPersistentVolumeSource 1*s monitors;2=s image;3=s fsType;4=s pool;5=s user;6=s keyring;7=core.v1.SecretReference secretRef;8=b readOnly
core.v1.RBDVolumeSource 1*s monitors;2=s image;3=s fsType;4=s pool;5=s user;6=s keyring;7=core.v1.LocalObjectReference secretRef;8=b readOnly
core.v1.ReplicationController 1=meta.v1.ObjectMeta metadata;2=core.v1.ReplicationControllerSpec spec;3=core.v1.ReplicationControllerStatus status
core.v1.ReplicationControllerCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
core.v1.ReplicationControllerSpec 1=i replicas;4=i minReadySeconds;2%s selector;3=core.v1.PodTemplateSpec template
core.v1.ReplicationControllerStatus 1=i replicas;2=i fullyLabeledReplicas;4=i readyReplicas;5=i availableReplicas;3=i observedGeneration;6*core.v1.ReplicationControllerCondition conditions
core.v1.ResourceClaim 1=s name;2=s request
core.v1.ResourceFieldSelector 1=s containerName;2=s resource;3=resource.Quantity divisor
core.v1.ResourceHealth 1=s resourceID;2=s health;6=s message
core.v1.ResourceQuota 1=meta.v1.ObjectMeta metadata;2=core.v1.ResourceQuotaSpec spec;3=core.v1.ResourceQuotaStatus status
core.v1.ResourceQuotaSpec 1%resource.Quantity hard;2*s scopes;3=core.v1.ScopeSelector scopeSelector
core.v1.ResourceQuotaStatus 1%resource.Quantity hard;2%resource.Quantity used
core.v1.ResourceRequirements 1%resource.Quantity limits;2%resource.Quantity requests;3*core.v1.ResourceClaim claims
core.v1.ResourceStatus 1=s name;2*core.v1.ResourceHealth resources
core.v1.SELinuxOptions 1=s user;2=s role;3=s type;4=s level
core.v1.ScaleIOPersistentVolumeSource 1=s gateway;2=s system;3=core.v1.SecretReference secretRef;4=b sslEnabled;5=s protectionDomain;6=s storagePool;7=s storageMode;8=s volumeName;9=s fsType;10=b readOnly
core.v1.ScaleIOVolumeSource 1=s gateway;2=s system;3=core.v1.LocalObjectReference secretRef;4=b sslEnabled;5=s protectionDomain;6=s storagePool;7=s storageMode;8=s volumeName;9=s fsType;10=b readOnly
core.v1.ScopeSelector 1*core.v1.ScopedResourceSelectorRequirement matchExpressions
core.v1.ScopedResourceSelectorRequirement 1=s scopeName;2=s operator;3*s values
core.v1.SeccompProfile 1=s type;2=s localhostProfile
core.v1.Secret 1=meta.v1.ObjectMeta metadata;5=b immutable;2%x data;4%s stringData;3=s type
core.v1.SecretEnvSource 1=core.v1.LocalObjectReference ;2=b optional
core.v1.SecretKeySelector 1=core.v1.LocalObjectReference ;2=s key;3=b optional
core.v1.SecretProjection 1=core.v1.LocalObjectReference ;2*core.v1.KeyToPath items;4=b optional
core.v1.SecretReference 1=s name;2=s namespace
core.v1.SecretVolumeSource 1=s secretName;2*core.v1.KeyToPath items;3=i defaultMode;4=b optional
core.v1.SecurityContext 1=core.v1.Capabilities capabilities;2=b privileged;3=core.v1.SELinuxOptions seLinuxOptions;10=core.v1.WindowsSecurityContextOptions windowsOptions;4=i runAsUser;8=i runAsGroup;5=b runAsNonRoot;6=b readOnlyRootFilesystem;7=b allowPrivilegeEscalation;9=s procMount;11=core.v1.SeccompProfile seccompProfile;12=core.v1.AppArmorProfile appArmorProfile
core.v1.Service 1=meta.v1.ObjectMeta metadata;2=core.v1.ServiceSpec spec;3=core.v1.ServiceStatus status
core.v1.ServiceAccount 1=meta.v1.ObjectMeta metadata;2*core.v1.ObjectReference secrets;3*core.v1.LocalObjectReference imagePullSecrets;4=b automountServiceAccountToken
core.v1.ServiceAccountTokenProjection 1=s audience;2=i expirationSeconds;3=s path
core.v1.ServicePort 1=s name;2=s protocol;6=s appProtocol;3=i port;4=intstr.IntOrString targetPort;5=i nodePort
core.v1.ServiceSpec 1*core.v1.ServicePort ports;2%s selector;3=s clusterIP;18*s clusterIPs;4=s type;5*s externalIPs;7=s sessionAffinity;8=s loadBalancerIP;9*s loadBalancerSourceRanges;10=s externalName;11=s externalTrafficPolicy;12=i healthCheckNodePort;13=b publishNotReadyAddresses;14=core.v1.SessionAffinityConfig sessionAffinityConfig;19*s ipFamilies;17=s ipFamilyPolicy;20=b allocateLoadBalancerNodePorts;21=s loadBalancerClass;22=s internalTrafficPolicy;23=s trafficDistribution
core.v1.ServiceStatus 1=core.v1.LoadBalancerStatus loadBalancer;2*meta.v1.Condition conditions
core.v1.SessionAffinityConfig 1=core.v1.ClientIPConfig clientIP
core.v1.SleepAction 1=i seconds
core.v1.StorageOSPersistentVolumeSource 1=s volumeName;2=s volumeNamespace;3=s fsType;4=b readOnly;5=core.v1.ObjectReference secretRef
core.v1.StorageOSVolumeSource 1=s volumeName;2=s volumeNamespace;3=s fsType;4=b readOnly;5=core.v1.LocalObjectReference secretRef
core.v1.Sysctl 1=s name;2=s value
core.v1.TCPSocketAction 1=intstr.IntOrString port;2=s host
core.v1.Taint 1=s key;2=s value;3=s effect;4=meta.v1.Time timeAdded
core.v1.Toleration 1=s key;2=s operator;3=s value;4=s effect;5=i tolerationSeconds
core.v1.TopologySelectorLabelRequirement 1=s key;2*s values
core.v1.TopologySelectorTerm 1*core.v1.TopologySelectorLabelRequirement matchLabelExpressions
core.v1.TopologySpreadConstraint 1=i maxSkew;2=s topologyKey;3=s whenUnsatisfiable;4=meta.v1.LabelSelector labelSelector;5=i minDomains;6=s nodeAffinityPolicy;7=s nodeTaintsPolicy;8*s matchLabelKeys
core.v1.TypedLocalObjectReference 1=s apiGroup;2=s kind;3=s name
core.v1.TypedObjectReference 1=s apiGroup;2=s kind;3=s name;4=s namespace
core.v1.Volume 1=s name;2=core.v1.VolumeSource 
core.v1.VolumeDevice 1=s name;2=s devicePath
core.v1.VolumeMount 1=s name;2=b readOnly;7=s recursiveReadOnly;3=s mountPath;4=s subPath;5=s mountPropagation;6=s subPathExpr
core.v1.VolumeMountStatus 1=s name;2=s mountPath;3=b readOnly;4=s recursiveReadOnly;5=core.v1.VolumeStatus volumeStatus
core.v1.VolumeNodeAffinity 1=core.v1.NodeSelector required
core.v1.VolumeProjection 1=core.v1.SecretProjection secret;2=core.v1.DownwardAPIProjection downwardAPI;3=core.v1.ConfigMapProjection configMap;4=core.v1.ServiceAccountTokenProjection serviceAccountToken;5=core.v1.ClusterTrustBundleProjection clusterTrustBundle;6=core.v1.PodCertificateProjection podCertificate
core.v1.VolumeResourceRequirements 1%resource.Quantity limits;2%resource.Quantity requests
core.v1.VolumeSource 1=core.v1.HostPathVolumeSource hostPath;2=core.v1.EmptyDirVolumeSource emptyDir;3=core.v1.GCEPersistentDiskVolumeSource gcePersistentDisk;4=core.v1.AWSElasticBlockStoreVolumeSource awsElasticBlockStore;5=core.v1.GitRepoVolumeSource gitRepo;6=core.v1.SecretVolumeSource secret;7=core.v1.NFSVolumeSource nfs;8=core.v1.ISCSIVolumeSource iscsi;9=core.v1.GlusterfsVolumeSource glusterfs;10=core.v1.PersistentVolumeClaimVolumeSource persistentVolumeClaim;11=core.v1.RBDVolumeSource rbd;12=core.v1.FlexVolumeSource flexVolume;13=core.v1.CinderVolumeSource cinder;14=core.v1.CephFSVolumeSource cephfs;15=core.v1.FlockerVolumeSource flocker;16=core.v1.DownwardAPIVolumeSource downwardAPI;17=core.v1.FCVolumeSource fc;18=core.v1.AzureFileVolumeSource azureFile;19=core.v1.ConfigMapVolumeSource configMap;20=core.v1.VsphereVirtualDiskVolumeSource vsphereVolume;21=core.v1.QuobyteVolumeSource quobyte;22=core.v1.AzureDiskVolumeSource azureDisk;23=core.v1.PhotonPersistentDiskVolumeSource photonPersistentDisk;26=core.v1.ProjectedVolumeSource projected;24=core.v1.PortworxVolumeSource portworxVolume;25=core.v1.ScaleIOVolumeSource scaleIO;27=core.v1.StorageOSVolumeSource storageos;28=core.v1.CSIVolumeSource csi;29=core.v1.EphemeralVolumeSource ephemeral;30=core.v1.ImageVolumeSource image
core.v1.VolumeStatus 1=core.v1.ImageVolumeStatus image
core.v1.VsphereVirtualDiskVolumeSource 1=s volumePath;2=s fsType;3=s storagePolicyName;4=s storagePolicyID
core.v1.WeightedPodAffinityTerm 1=i weight;2=core.v1.PodAffinityTerm podAffinityTerm
core.v1.WindowsSecurityContextOptions 1=s gmsaCredentialSpecName;2=s gmsaCredentialSpec;3=s runAsUserName;4=b hostProcess
discovery.v1.Endpoint 1*s addresses;2=discovery.v1.EndpointConditions conditions;3=s hostname;4=core.v1.ObjectReference targetRef;5%s deprecatedTopology;6=s nodeName;7=s zone;8=discovery.v1.EndpointHints hints
discovery.v1.EndpointConditions 1=b ready;2=b serving;3=b terminating
discovery.v1.EndpointHints 1*discovery.v1.ForZone forZones;2*discovery.v1.ForNode forNodes
discovery.v1.EndpointPort 1=s name;2=s protocol;3=i port;4=s appProtocol
discovery.v1.EndpointSlice 1=meta.v1.ObjectMeta metadata;4=s addressType;2*discovery.v1.Endpoint endpoints;3*discovery.v1.EndpointPort ports
discovery.v1.ForNode 1=s name
discovery.v1.ForZone 1=s name
events.v1.Event 1=meta.v1.ObjectMeta metadata;2=meta.v1.MicroTime eventTime;3=events.v1.EventSeries series;4=s reportingController;5=s reportingInstance;6=s action;7=s reason;8=core.v1.ObjectReference regarding;9=core.v1.ObjectReference related;10=s note;11=s type;12=core.v1.EventSource deprecatedSource;13=meta.v1.Time deprecatedFirstTimestamp;14=meta.v1.Time deprecatedLastTimestamp;15=i deprecatedCount
events.v1.EventSeries 1=i count;2=meta.v1.MicroTime lastObservedTime
flowcontrol.v1.ExemptPriorityLevelConfiguration 1=i nominalConcurrencyShares;2=i lendablePercent
flowcontrol.v1.FlowDistinguisherMethod 1=s type
flowcontrol.v1.FlowSchema 1=meta.v1.ObjectMeta metadata;2=flowcontrol.v1.FlowSchemaSpec spec;3=flowcontrol.v1.FlowSchemaStatus status
flowcontrol.v1.FlowSchemaCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
flowcontrol.v1.FlowSchemaSpec 1=flowcontrol.v1.PriorityLevelConfigurationReference priorityLevelConfiguration;2=i matchingPrecedence;3=flowcontrol.v1.FlowDistinguisherMethod distinguisherMethod;4*flowcontrol.v1.PolicyRulesWithSubjects rules
flowcontrol.v1.FlowSchemaStatus 1*flowcontrol.v1.FlowSchemaCondition conditions
flowcontrol.v1.GroupSubject 1=s name
flowcontrol.v1.LimitResponse 1=s type;2=flowcontrol.v1.QueuingConfiguration queuing
flowcontrol.v1.LimitedPriorityLevelConfiguration 1=i nominalConcurrencyShares;2=flowcontrol.v1.LimitResponse limitResponse;3=i lendablePercent;4=i borrowingLimitPercent
flowcontrol.v1.NonResourcePolicyRule 1*s verbs;6*s nonResourceURLs
flowcontrol.v1.PolicyRulesWithSubjects 1*flowcontrol.v1.Subject subjects;2*flowcontrol.v1.ResourcePolicyRule resourceRules;3*flowcontrol.v1.NonResourcePolicyRule nonResourceRules
flowcontrol.v1.PriorityLevelConfiguration 1=meta.v1.ObjectMeta metadata;2=flowcontrol.v1.PriorityLevelConfigurationSpec spec;3=flowcontrol.v1.PriorityLevelConfigurationStatus status
flowcontrol.v1.PriorityLevelConfigurationCondition 1=s type;2=s status;3=meta.v1.Time lastTransitionTime;4=s reason;5=s message
flowcontrol.v1.PriorityLevelConfigurationReference 1=s name
flowcontrol.v1.PriorityLevelConfigurationSpec 1=s type;2=flowcontrol.v1.LimitedPriorityLevelConfiguration limited;3=flowcontrol.v1.ExemptPriorityLevelConfiguration exempt
flowcontrol.v1.PriorityLevelConfigurationStatus 1*flowcontrol.v1.PriorityLevelConfigurationCondition conditions
flowcontrol.v1.QueuingConfiguration 1=i queues;2=i handSize;3=i queueLengthLimit
flowcontrol.v1.ResourcePolicyRule 1*s verbs;2*s apiGroups;3*s resources;4=b clusterScope;5*s namespaces
flowcontrol.v1.ServiceAccountSubject 1=s namespace;2=s name
flowcontrol.v1.Subject 1=s kind;2=flowcontrol.v1.UserSubject user;3=flowcontrol.v1.GroupSubject group;4=flowcontrol.v1.ServiceAccountSubject serviceAccount
flowcontrol.v1.UserSubject 1=s name
meta.v1.Condition 1=s type;2=s status;3=i observedGeneration;4=meta.v1.Time lastTransitionTime;5=s reason;6=s message
meta.v1.DeleteOptions 1=i gracePeriodSeconds;2=meta.v1.Preconditions preconditions;3=b orphanDependents;4=s propagationPolicy;5*s dryRun;6=b ignoreStoreReadErrorWithClusterBreakingPotential
meta.v1.FieldSelectorRequirement 1=s key;2=s operator;3*s values
meta.v1.LabelSelector 1%s matchLabels;2*meta.v1.LabelSelectorRequirement matchExpressions
meta.v1.LabelSelectorRequirement 1=s key;2=s operator;3*s values
meta.v1.ListMeta 1=s selfLink;2=s resourceVersion;3=s continue;4=i remainingItemCount;5=meta.v1.ShardInfo shardInfo
meta.v1.ManagedFieldsEntry 1=s manager;2=s operation;3=s apiVersion;4=meta.v1.Time time;6=s fieldsType;7=meta.v1.FieldsV1 fieldsV1;8=s subresource
meta.v1.ObjectMeta 1=s name;2=s generateName;3=s namespace;4=s selfLink;5=s uid;6=s resourceVersion;7=i generation;8=meta.v1.Time creationTimestamp;9=meta.v1.Time deletionTimestamp;10=i deletionGracePeriodSeconds;11%s labels;12%s annotations;13*meta.v1.OwnerReference ownerReferences;14*s finalizers;17*meta.v1.ManagedFieldsEntry managedFields
meta.v1.OwnerReference 5=s apiVersion;1=s kind;3=s name;4=s uid;6=b controller;7=b blockOwnerDeletion
meta.v1.PartialObjectMetadata 1=meta.v1.ObjectMeta metadata
meta.v1.Preconditions 1=s uid;2=s resourceVersion
meta.v1.ShardInfo 1=s selector
meta.v1.Status 1=meta.v1.ListMeta metadata;2=s status;3=s message;4=s reason;5=meta.v1.StatusDetails details;6=i code
meta.v1.StatusCause 1=s reason;2=s message;3=s field
meta.v1.StatusDetails 1=s name;2=s group;3=s kind;6=s uid;4*meta.v1.StatusCause causes;5=i retryAfterSeconds
networking.v1.HTTPIngressPath 1=s path;3=s pathType;2=networking.v1.IngressBackend backend
networking.v1.HTTPIngressRuleValue 1*networking.v1.HTTPIngressPath paths
networking.v1.IPAddress 1=meta.v1.ObjectMeta metadata;2=networking.v1.IPAddressSpec spec
networking.v1.IPAddressSpec 1=networking.v1.ParentReference parentRef
networking.v1.IPBlock 1=s cidr;2*s except
networking.v1.Ingress 1=meta.v1.ObjectMeta metadata;2=networking.v1.IngressSpec spec;3=networking.v1.IngressStatus status
networking.v1.IngressBackend 4=networking.v1.IngressServiceBackend service;3=core.v1.TypedLocalObjectReference resource
networking.v1.IngressClass 1=meta.v1.ObjectMeta metadata;2=networking.v1.IngressClassSpec spec
networking.v1.IngressClassParametersReference 1=s apiGroup;2=s kind;3=s name;4=s scope;5=s namespace
networking.v1.IngressClassSpec 1=s controller;2=networking.v1.IngressClassParametersReference parameters
networking.v1.IngressLoadBalancerIngress 1=s ip;2=s hostname;4*networking.v1.IngressPortStatus ports
networking.v1.IngressLoadBalancerStatus 1*networking.v1.IngressLoadBalancerIngress ingress
networking.v1.IngressPortStatus 1=i port;2=s protocol;3=s error
networking.v1.IngressRule 1=s host;2=networking.v1.IngressRuleValue 
networking.v1.IngressRuleValue 1=networking.v1.HTTPIngressRuleValue http
networking.v1.IngressServiceBackend 1=s name;2=networking.v1.ServiceBackendPort port
networking.v1.IngressSpec 4=s ingressClassName;1=networking.v1.IngressBackend defaultBackend;2*networking.v1.IngressTLS tls;3*networking.v1.IngressRule rules
networking.v1.IngressStatus 1=networking.v1.IngressLoadBalancerStatus loadBalancer
networking.v1.IngressTLS 1*s hosts;2=s secretName
networking.v1.NetworkPolicy 1=meta.v1.ObjectMeta metadata;2=networking.v1.NetworkPolicySpec spec
networking.v1.NetworkPolicyEgressRule 1*networking.v1.NetworkPolicyPort ports;2*networking.v1.NetworkPolicyPeer to
networking.v1.NetworkPolicyIngressRule 1*networking.v1.NetworkPolicyPort ports;2*networking.v1.NetworkPolicyPeer from
networking.v1.NetworkPolicyPeer 1=meta.v1.LabelSelector podSelector;2=meta.v1.LabelSelector namespaceSelector;3=networking.v1.IPBlock ipBlock
networking.v1.NetworkPolicyPort 1=s protocol;2=intstr.IntOrString port;3=i endPort
networking.v1.NetworkPolicySpec 1=meta.v1.LabelSelector podSelector;2*networking.v1.NetworkPolicyIngressRule ingress;3*networking.v1.NetworkPolicyEgressRule egress;4*s policyTypes
networking.v1.ParentReference 1=s group;2=s resource;3=s namespace;4=s name
networking.v1.ServiceBackendPort 1=s name;2=i number
networking.v1.ServiceCIDR 1=meta.v1.ObjectMeta metadata;2=networking.v1.ServiceCIDRSpec spec;3=networking.v1.ServiceCIDRStatus status
networking.v1.ServiceCIDRSpec 1*s cidrs
networking.v1.ServiceCIDRStatus 1*meta.v1.Condition conditions
node.v1.Overhead 1%resource.Quantity podFixed
node.v1.RuntimeClass 1=meta.v1.ObjectMeta metadata;2=s handler;3=node.v1.Overhead overhead;4=node.v1.Scheduling scheduling
node.v1.Scheduling 1%s nodeSelector;2*core.v1.Toleration tolerations
policy.v1.Eviction 1=meta.v1.ObjectMeta metadata;2=meta.v1.DeleteOptions deleteOptions
policy.v1.PodDisruptionBudget 1=meta.v1.ObjectMeta metadata;2=policy.v1.PodDisruptionBudgetSpec spec;3=policy.v1.PodDisruptionBudgetStatus status
policy.v1.PodDisruptionBudgetSpec 1=intstr.IntOrString minAvailable;2=meta.v1.LabelSelector selector;3=intstr.IntOrString maxUnavailable;4=s unhealthyPodEvictionPolicy
policy.v1.PodDisruptionBudgetStatus 1=i observedGeneration;2%meta.v1.Time disruptedPods;3=i disruptionsAllowed;4=i currentHealthy;5=i desiredHealthy;6=i expectedPods;7*meta.v1.Condition conditions
rbac.v1.AggregationRule 1*meta.v1.LabelSelector clusterRoleSelectors
rbac.v1.ClusterRole 1=meta.v1.ObjectMeta metadata;2*rbac.v1.PolicyRule rules;3=rbac.v1.AggregationRule aggregationRule
rbac.v1.ClusterRoleBinding 1=meta.v1.ObjectMeta metadata;2*rbac.v1.Subject subjects;3=rbac.v1.RoleRef roleRef
rbac.v1.PolicyRule 1*s verbs;2*s apiGroups;3*s resources;4*s resourceNames;5*s nonResourceURLs
rbac.v1.Role 1=meta.v1.ObjectMeta metadata;2*rbac.v1.PolicyRule rules
rbac.v1.RoleBinding 1=meta.v1.ObjectMeta metadata;2*rbac.v1.Subject subjects;3=rbac.v1.RoleRef roleRef
rbac.v1.RoleRef 1=s apiGroup;2=s kind;3=s name
rbac.v1.Subject 1=s kind;2=s apiGroup;3=s name;4=s namespace
resource.v1.AllocatedDeviceStatus 1=s driver;2=s pool;3=s device;7=s shareID;4*meta.v1.Condition conditions;5=runtime.RawExtension data;6=resource.v1.NetworkDeviceData networkData
resource.v1.AllocationResult 1=resource.v1.DeviceAllocationResult devices;3=core.v1.NodeSelector nodeSelector;5=meta.v1.Time allocationTimestamp
resource.v1.CELDeviceSelector 1=s expression
resource.v1.CapacityRequestPolicy 1=resource.Quantity default;3*resource.Quantity validValues;4=resource.v1.CapacityRequestPolicyRange validRange
resource.v1.CapacityRequestPolicyRange 1=resource.Quantity min;2=resource.Quantity max;3=resource.Quantity step
resource.v1.CapacityRequirements 1%resource.Quantity requests
resource.v1.Counter 1=resource.Quantity value
resource.v1.CounterSet 1=s name;2%resource.v1.Counter counters
resource.v1.Device 1=s name;2%resource.v1.DeviceAttribute attributes;3%resource.v1.DeviceCapacity capacity;4*resource.v1.DeviceCounterConsumption consumesCounters;5=s nodeName;6=core.v1.NodeSelector nodeSelector;7=b allNodes;8*resource.v1.DeviceTaint taints;9=b bindsToNode;10*s bindingConditions;11*s bindingFailureConditions;12=b allowMultipleAllocations;13%resource.v1.NodeAllocatableResourceMapping nodeAllocatableResourceMappings
resource.v1.DeviceAllocationConfiguration 1=s source;2*s requests;3=resource.v1.DeviceConfiguration 
resource.v1.DeviceAllocationResult 1*resource.v1.DeviceRequestAllocationResult results;2*resource.v1.DeviceAllocationConfiguration config
resource.v1.DeviceAttribute 2=i int;3=b bool;4=s string;5=s version;6*i ints;7*b bools;8*s strings;9*s versions
resource.v1.DeviceCapacity 1=resource.Quantity value;2=resource.v1.CapacityRequestPolicy requestPolicy
resource.v1.DeviceClaim 1*resource.v1.DeviceRequest requests;2*resource.v1.DeviceConstraint constraints;3*resource.v1.DeviceClaimConfiguration config
resource.v1.DeviceClaimConfiguration 1*s requests;2=resource.v1.DeviceConfiguration 
resource.v1.DeviceClass 1=meta.v1.ObjectMeta metadata;2=resource.v1.DeviceClassSpec spec
resource.v1.DeviceClassConfiguration 1=resource.v1.DeviceConfiguration 
resource.v1.DeviceClassSpec 1*resource.v1.DeviceSelector selectors;2*resource.v1.DeviceClassConfiguration config;4=s extendedResourceName
resource.v1.DeviceConfiguration 1=resource.v1.OpaqueDeviceConfiguration opaque
resource.v1.DeviceConstraint 1*s requests;2=s matchAttribute;3=s distinctAttribute
resource.v1.DeviceCounterConsumption 1=s counterSet;2%resource.v1.Counter counters
resource.v1.DeviceRequest 1=s name;2=resource.v1.ExactDeviceRequest exactly;3*resource.v1.DeviceSubRequest firstAvailable
resource.v1.DeviceRequestAllocationResult 1=s request;2=s driver;3=s pool;4=s device;5=b adminAccess;6*resource.v1.DeviceToleration tolerations;7*s bindingConditions;8*s bindingFailureConditions;9=s shareID;10%resource.Quantity consumedCapacity
resource.v1.DeviceSelector 1=resource.v1.CELDeviceSelector cel
resource.v1.DeviceSubRequest 1=s name;2=s deviceClassName;3*resource.v1.DeviceSelector selectors;4=s allocationMode;5=i count;6*resource.v1.DeviceToleration tolerations;7=resource.v1.CapacityRequirements capacity
resource.v1.DeviceTaint 1=s key;2=s value;3=s effect;4=meta.v1.Time timeAdded
resource.v1.DeviceToleration 1=s key;2=s operator;3=s value;4=s effect;5=i tolerationSeconds
resource.v1.ExactDeviceRequest 1=s deviceClassName;2*resource.v1.DeviceSelector selectors;3=s allocationMode;4=i count;5=b adminAccess;6*resource.v1.DeviceToleration tolerations;7=resource.v1.CapacityRequirements capacity
resource.v1.NetworkDeviceData 1=s interfaceName;2*s ips;3=s hardwareAddress
resource.v1.NodeAllocatableResourceMapping 1=s capacityKey;2=resource.Quantity allocationMultiplier
resource.v1.OpaqueDeviceConfiguration 1=s driver;2=runtime.RawExtension parameters
resource.v1.ResourceClaim 1=meta.v1.ObjectMeta metadata;2=resource.v1.ResourceClaimSpec spec;3=resource.v1.ResourceClaimStatus status
resource.v1.ResourceClaimConsumerReference 1=s apiGroup;3=s resource;4=s name;5=s uid
resource.v1.ResourceClaimSpec 1=resource.v1.DeviceClaim devices
resource.v1.ResourceClaimStatus 1=resource.v1.AllocationResult allocation;2*resource.v1.ResourceClaimConsumerReference reservedFor;4*resource.v1.AllocatedDeviceStatus devices
resource.v1.ResourceClaimTemplate 1=meta.v1.ObjectMeta metadata;2=resource.v1.ResourceClaimTemplateSpec spec
resource.v1.ResourceClaimTemplateSpec 1=meta.v1.ObjectMeta metadata;2=resource.v1.ResourceClaimSpec spec
resource.v1.ResourcePool 1=s name;2=i generation;3=i resourceSliceCount
resource.v1.ResourceSlice 1=meta.v1.ObjectMeta metadata;2=resource.v1.ResourceSliceSpec spec
resource.v1.ResourceSliceSpec 1=s driver;2=resource.v1.ResourcePool pool;3=s nodeName;4=core.v1.NodeSelector nodeSelector;5=b allNodes;6*resource.v1.Device devices;7=b perDeviceNodeSelection;8*resource.v1.CounterSet sharedCounters
scheduling.v1.PriorityClass 1=meta.v1.ObjectMeta metadata;2=i value;3=b globalDefault;4=s description;5=s preemptionPolicy
storage.v1.CSIDriver 1=meta.v1.ObjectMeta metadata;2=storage.v1.CSIDriverSpec spec
storage.v1.CSIDriverSpec 1=b attachRequired;2=b podInfoOnMount;3*s volumeLifecycleModes;4=b storageCapacity;5=s fsGroupPolicy;6*storage.v1.TokenRequest tokenRequests;7=b requiresRepublish;8=b seLinuxMount;9=i nodeAllocatableUpdatePeriodSeconds;10=b serviceAccountTokenInSecrets;11=b preventPodSchedulingIfMissing
storage.v1.CSINode 1=meta.v1.ObjectMeta metadata;2=storage.v1.CSINodeSpec spec
storage.v1.CSINodeDriver 1=s name;2=s nodeID;3*s topologyKeys;4=storage.v1.VolumeNodeResources allocatable
storage.v1.CSINodeSpec 1*storage.v1.CSINodeDriver drivers
storage.v1.CSIStorageCapacity 1=meta.v1.ObjectMeta metadata;2=meta.v1.LabelSelector nodeTopology;3=s storageClassName;4=resource.Quantity capacity;5=resource.Quantity maximumVolumeSize
storage.v1.StorageClass 1=meta.v1.ObjectMeta metadata;2=s provisioner;3%s parameters;4=s reclaimPolicy;5*s mountOptions;6=b allowVolumeExpansion;7=s volumeBindingMode;8*core.v1.TopologySelectorTerm allowedTopologies
storage.v1.TokenRequest 1=s audience;2=i expirationSeconds
storage.v1.VolumeAttachment 1=meta.v1.ObjectMeta metadata;2=storage.v1.VolumeAttachmentSpec spec;3=storage.v1.VolumeAttachmentStatus status
storage.v1.VolumeAttachmentSource 1=s persistentVolumeName;2=core.v1.PersistentVolumeSpec inlineVolumeSpec
storage.v1.VolumeAttachmentSpec 1=s attacher;2=storage.v1.VolumeAttachmentSource source;3=s nodeName
storage.v1.VolumeAttachmentStatus 1=b attached;2%s attachmentMetadata;3=storage.v1.VolumeError attachError;4=storage.v1.VolumeError detachError
storage.v1.VolumeAttributesClass 1=meta.v1.ObjectMeta metadata;2=s driverName;3%s parameters
storage.v1.VolumeError 1=meta.v1.Time time;2=s message;3=i errorCode
storage.v1.VolumeNodeResources 1=i count
`;
