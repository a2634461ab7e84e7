/** Kinds that run pods. */
import type { Table } from "./table.ts";
import { metadataLines, podLines, podSpec } from "./pods.ts";

const labels = { app: "a" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "app:1" }] } };
const jobTemplate = { metadata: { labels }, spec: { restartPolicy: "Never", containers: [{ name: "main", image: "app:1" }] } };

/** Returns each n-th line about pods, for a template. */
function forTemplate(step: number): string {
  const lines = podLines.split("\n").filter((line) => line.trim() !== "");
  return lines
    .filter((_, i) => i % step === 0)
    .map((line) => line.replaceAll(/(^\s*| ; )spec\./g, "$1spec.template.spec."))
    .join("\n");
}

const templateLines = `
  spec.template -
  spec.template.metadata -
  spec.template.metadata.labels = {"app": "b"}
  spec.template.metadata.labels = {"app": "a", "b c": "d"}
  spec.template.metadata.annotations = {"a b": "c"}
  spec.template.spec -
  spec.template.spec.containers = []
  spec.template.spec.containers[0].image = ""
  spec.template.spec.containers[0].name = "A"
  spec.template.spec.restartPolicy = "Never"
  spec.template.spec.restartPolicy = "OnFailure"
  spec.template.spec.activeDeadlineSeconds = 5
  spec.template.spec.ephemeralContainers = [{"name": "debug", "image": "a"}]
  spec.template.spec.nodeSelector = {"beta.kubernetes.io/os": "linux"}
  spec.template.metadata.annotations = {"scheduler.alpha.kubernetes.io/critical-pod": ""}
  spec.template.spec.terminationGracePeriodSeconds = -1
`;

const selectorLines = `
  spec.selector -
  spec.selector = {}
  spec.selector = {"matchLabels": {"app": "b"}}
  spec.selector = {"matchLabels": {"a b": "c d"}}
  spec.selector = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]}
  spec.selector = {"matchExpressions": [{"key": "app", "operator": "In"}]}
  spec.selector = {"matchExpressions": [{"key": "app", "operator": "Exists", "values": ["x"]}]}
  spec.selector = {"matchExpressions": [{"key": "app", "operator": "Odd"}]}
  spec.selector = {"matchExpressions": [{"key": "a b", "operator": "NotIn", "values": ["c d"]}]}
`;

const changes = `
  metadata.labels = {"a b": "c"}
  metadata.annotations = {"a": "b"}
  metadata.finalizers = ["x"]
  spec.replicas = 5
  spec.replicas = -1
  spec.selector = {"matchLabels": {"app": "b"}}
  spec.selector = {"matchLabels": {"app": "b"}} ; spec.template.metadata.labels = {"app": "b"}
  spec.selector -
  spec.template.metadata.labels = {"app": "b"}
  spec.template.spec.containers[0].image = "app:2"
  spec.template.spec.containers[0].image = ""
  spec.template.spec.containers = []
  spec.template.spec.restartPolicy = "Never"
  spec.minReadySeconds = -1
  spec.revisionHistoryLimit = -1
`;

export const workloadTables: readonly Table[] = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    plural: "deployments",
    base: { spec: { replicas: 1, selector, template } },
    created: `
      ${metadataLines}
      spec -
      ${selectorLines}
      ${templateLines}
      spec.replicas = -1
      spec.replicas = 0
      spec.minReadySeconds = -1
      spec.minReadySeconds = 600
      spec.minReadySeconds = 700
      spec.revisionHistoryLimit = -1
      spec.progressDeadlineSeconds = -1
      spec.progressDeadlineSeconds = 0
      spec.progressDeadlineSeconds = 5 ; spec.minReadySeconds = 5
      spec.strategy = {"type": "Odd"}
      spec.strategy = {"type": "Recreate"}
      spec.strategy = {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}
      spec.strategy = {"rollingUpdate": {"maxSurge": -1}}
      spec.strategy = {"rollingUpdate": {"maxUnavailable": -1}}
      spec.strategy = {"rollingUpdate": {"maxSurge": "5"}}
      spec.strategy = {"rollingUpdate": {"maxSurge": "a%"}}
      spec.strategy = {"rollingUpdate": {"maxSurge": "-5%"}}
      spec.strategy = {"rollingUpdate": {"maxSurge": "150%", "maxUnavailable": "150%"}}
      spec.strategy = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}
      spec.strategy = {"rollingUpdate": {"maxSurge": "0%", "maxUnavailable": "0%"}}
      spec.strategy = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    `,
    updated: changes,
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    plural: "deployments",
    about: "with much in their template",
    base: { spec: { selector, template: { metadata: { labels }, spec: podSpec } } },
    created: forTemplate(3),
  },
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    plural: "replicasets",
    base: { spec: { replicas: 1, selector, template } },
    created: `metadata.name = "A"\nmetadata.name = "a.b"\n${selectorLines}${templateLines}\n spec.replicas = -1\n spec.minReadySeconds = -1\n`,
    updated: changes,
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    plural: "statefulsets",
    base: {
      spec: {
        serviceName: "s",
        replicas: 1,
        selector,
        template,
        volumeClaimTemplates: [
          { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
        ],
      },
    },
    created: `
      metadata.name = "A"
      metadata.name = "a.b"
      metadata.name = long(64)
      ${selectorLines}
      ${templateLines}
      spec.replicas = -1
      spec.minReadySeconds = -1
      spec.serviceName = ""
      spec.serviceName = "A"
      spec.podManagementPolicy = "Odd"
      spec.podManagementPolicy = "Parallel"
      spec.updateStrategy = {"type": "Odd"}
      spec.updateStrategy = {"type": "OnDelete", "rollingUpdate": {"partition": 1}}
      spec.updateStrategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}
      spec.updateStrategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}}
      spec.ordinals = {"start": -1}
      spec.ordinals = {"start": 1}
      spec.revisionHistoryLimit = -1
      spec.persistentVolumeClaimRetentionPolicy = {"whenDeleted": "Odd"}
      spec.volumeClaimTemplates[0].spec.accessModes = []
      spec.volumeClaimTemplates[0].metadata.name = ""
      spec.volumeClaimTemplates[0].spec.resources -
      spec.template.spec.containers[0].volumeMounts = [{"name": "data", "mountPath": "/data"}]
      spec.template.spec.containers[0].volumeMounts = [{"name": "absent", "mountPath": "/data"}]
    `,
    updated: `${changes}
      spec.serviceName = "other"
      spec.podManagementPolicy = "Parallel"
      spec.volumeClaimTemplates[0].spec.resources.requests.storage = "2Gi"
      spec.volumeClaimTemplates = []
      spec.updateStrategy = {"type": "OnDelete"}
      spec.ordinals = {"start": 1}
      spec.persistentVolumeClaimRetentionPolicy = {"whenDeleted": "Delete"}
      spec.minReadySeconds = 5
      spec.revisionHistoryLimit = 5
    `,
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    plural: "daemonsets",
    base: { spec: { selector, template } },
    created: `
      metadata.name = "A"
      ${selectorLines}
      ${templateLines}
      spec.minReadySeconds = -1
      spec.revisionHistoryLimit = -1
      spec.updateStrategy = {"type": "Odd"}
      spec.updateStrategy = {"type": "OnDelete"}
      spec.updateStrategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}}
      spec.updateStrategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": -1}}
      spec.updateStrategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "x"}}
      spec.updateStrategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 1}}
      spec.updateStrategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}
    `,
    updated: changes.replaceAll(/.*spec.replicas.*\n/g, ""),
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    plural: "jobs",
    base: { spec: { template: jobTemplate } },
    created: `
      metadata.name = "A"
      metadata.name = "a.b"
      metadata.name = long(64)
      spec.template -
      spec.template.spec.restartPolicy -
      spec.template.spec.restartPolicy = "Always"
      spec.template.spec.restartPolicy = "OnFailure"
      spec.template.spec.containers = []
      spec.template.spec.containers[0].image = ""
      spec.template.metadata.labels = {"a b": "c"}
      spec.parallelism = -1
      spec.completions = -1
      spec.completions = 0
      spec.backoffLimit = -1
      spec.activeDeadlineSeconds = -1
      spec.ttlSecondsAfterFinished = -1
      spec.completionMode = "Odd"
      spec.completionMode = "Indexed"
      spec.completionMode = "Indexed" ; spec.completions = 5
      spec.completionMode = "Indexed" ; spec.completions = 5 ; spec.parallelism = 200000
      spec.completionMode = "Indexed" ; spec.completions = 5 ; spec.backoffLimitPerIndex = -1
      spec.completionMode = "Indexed" ; spec.completions = 5 ; spec.backoffLimitPerIndex = 1 ; spec.maxFailedIndexes = 6
      spec.backoffLimitPerIndex = 1
      spec.maxFailedIndexes = 1
      spec.manualSelector = true
      spec.selector = {"matchLabels": {"app": "a"}}
      spec.manualSelector = true ; spec.selector = {"matchLabels": {"app": "a"}}
      spec.manualSelector = true ; spec.selector = {"matchLabels": {"app": "b"}}
      spec.suspend = true
      spec.podReplacementPolicy = "Odd"
      spec.podFailurePolicy = {"rules": []}
      spec.podFailurePolicy = {"rules": [{"action": "Odd"}]}
      spec.podFailurePolicy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}
      spec.podFailurePolicy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "Odd", "values": []}}]}
      spec.podFailurePolicy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [0, 1, 1], "containerName": "absent"}}]}
      spec.podFailurePolicy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "a b", "status": "Odd"}]}]}
      spec.managedBy = "a"
      spec.managedBy = "example.com/a"
      spec.successPolicy = {"rules": [{"succeededCount": 1}]}
    `,
    updated: `
      metadata.labels = {"a b": "c"}
      spec.parallelism = 5
      spec.parallelism = -1
      spec.completions = 5
      spec.backoffLimit = 3
      spec.backoffLimit = -3
      spec.activeDeadlineSeconds = 5
      spec.ttlSecondsAfterFinished = 5
      spec.suspend = true
      spec.completionMode = "Indexed"
      spec.selector = {"matchLabels": {"app": "b"}}
      spec.template.spec.containers[0].image = "app:2"
      spec.template.metadata.annotations = {"a": "b"}
      spec.managedBy = "example.com/a"
    `,
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    plural: "cronjobs",
    base: { spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: jobTemplate } } } },
    created: `
      metadata.name = "A"
      metadata.name = "a.b"
      metadata.name = long(53)
      spec.schedule -
      spec.schedule = ""
      spec.schedule = "x"
      spec.schedule = "* * * *"
      spec.schedule = "* * * * * *"
      spec.schedule = "60 * * * *"
      spec.schedule = "* 24 * * *"
      spec.schedule = "* * 0 * *"
      spec.schedule = "* * * 13 *"
      spec.schedule = "* * * * 7"
      spec.schedule = "* * * * MON"
      spec.schedule = "5-1 * * * *"
      spec.schedule = "*/0 * * * *"
      spec.schedule = "a-b * * * *"
      spec.schedule = "@hourly"
      spec.schedule = "@odd"
      spec.schedule = "@every 1h"
      spec.schedule = "@every x"
      spec.schedule = "TZ=UTC * * * * *"
      spec.schedule = "CRON_TZ=Europe/Berlin * * * * *"
      spec.timeZone = "Europe/Berlin"
      spec.timeZone = "Nowhere"
      spec.timeZone = ""
      spec.timeZone = "Local"
      spec.concurrencyPolicy = "Odd"
      spec.startingDeadlineSeconds = -1
      spec.successfulJobsHistoryLimit = -1
      spec.failedJobsHistoryLimit = -1
      spec.jobTemplate -
      spec.jobTemplate.spec.template.spec.restartPolicy = "Always"
      spec.jobTemplate.spec.template.spec.containers = []
      spec.jobTemplate.spec.parallelism = -1
      spec.jobTemplate.spec.manualSelector = true
      spec.jobTemplate.spec.selector = {"matchLabels": {"a": "b"}}
      spec.jobTemplate.metadata = {"labels": {"a b": "c"}}
    `,
    updated: `
      spec.schedule = "x"
      spec.schedule = "@daily"
      spec.suspend = true
      spec.concurrencyPolicy = "Odd"
      spec.jobTemplate.spec.template.spec.containers[0].image = "app:2"
      spec.jobTemplate.spec.template.spec.containers[0].image = ""
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "v1",
    kind: "PodTemplate",
    plural: "podtemplates",
    base: { template },
    created: `
      metadata.name = "A"
      metadata.labels = {"a b": "c"}
      template -
      template.metadata.labels = {"a b": "c"}
      template.spec.containers = []
      template.spec.containers[0].image = ""
      template.spec.containers[0].resources = {"limits": {"cpu": "-1"}}
      template.spec.restartPolicy = "Odd"
      template.spec.restartPolicy = "Never"
      template.spec.nodeSelector = {"beta.kubernetes.io/os": "linux"}
      template.spec.ephemeralContainers = [{"name": "e", "image": "i"}]
    `,
    updated: `
      template.spec.containers = []
      template.spec.containers[0].image = "app:2"
      template.spec.nodeSelector = {"beta.kubernetes.io/os": "linux"}
      metadata.annotations = {"a b": "c"}
    `,
  },
  {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    plural: "controllerrevisions",
    base: { revision: 1, data: { a: "b" } },
    created: `
      metadata.name = "A"
      metadata.name = "a.b"
      metadata.labels = {"a b": "c"}
      revision = -1
      revision -
      data -
      data = null
      data = {}
      data = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x"}}
      revision = -1 ; data -
    `,
    updated: `
      revision = 2
      revision = -1
      data = {"a": "c"}
      data -
      metadata.labels = {"a": "c"}
      metadata.labels = {"a b": "c"}
    `,
  },
];
