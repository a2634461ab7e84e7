/**
 * The objects of `objects.json` that `health()` judges otherwise than kstatus, and why. The test fails for a difference that
 * is not listed, and for a listed object without a difference.
 */
import type { Health } from "../../src/health/index.ts";

interface Difference {
  readonly why: string;
  readonly type: Health["type"];
  readonly objects: readonly string[];
}

export const DIFFERENCES: readonly Difference[] = [
  {
    why: "a Job that runs has not done its work yet: later steps need its result",
    type: "Pending",
    objects: [
      "Job that runs",
      "Job that runs, with failed pods",
      "Job that runs, with some of its completions",
      "Job without completions that runs",
      "Job with all completions, before its condition",
      "Job that will fail, with pods to end",
      "Job that is suspended while it runs",
      "Job that was resumed",
      "Job with a Complete of status False",
    ],
  },
  {
    why: "kubectl rollout status waits for an observedGeneration; kstatus does not ask for it in all workloads",
    type: "Pending",
    objects: [
      "Deployment without an observedGeneration",
      "StatefulSet without an observedGeneration",
      "StatefulSet with OnDelete, not seen yet",
      "ReplicaSet scaled to 0, not seen yet",
    ],
  },
  {
    why: "kubectl rollout status calls a paused Deployment rolled out when no replica is missing",
    type: "Ready",
    objects: ["Deployment paused, with everything rolled out"],
  },
  {
    why: "the controller reports that it cannot make a replica",
    type: "Failed",
    objects: ["Deployment with a replica failure", "ReplicaSet with a replica failure"],
  },
  {
    why: "with OnDelete the user updates the pods: the revision does not count, but every pod must be ready",
    type: "Pending",
    objects: ["StatefulSet with OnDelete, and a replica that is not ready"],
  },
  {
    why: "with OnDelete the user updates the pods: the revision does not count",
    type: "Ready",
    objects: ["DaemonSet with OnDelete, of two revisions"],
  },
  {
    why: "no server stores a DaemonSet without a generation; the other fields decide",
    type: "Ready",
    objects: ["DaemonSet without a generation"],
  },
  {
    why: "a ReplicationController is judged as a ReplicaSet; kstatus has no rule for it",
    type: "Pending",
    objects: ["ReplicationController with no ready replica"],
  },
  {
    why: "health() has no clock, and an autoscaler may add a node; kstatus gives a pod 15 s",
    type: "Pending",
    objects: ["Pod that no node can run"],
  },
  {
    why: "a pod that ended with an error has failed",
    type: "Failed",
    objects: ["Pod that failed", "Pod that was evicted"],
  },
  {
    why: "a custom resource can be created only when its kind is served under all its names",
    type: "Pending",
    objects: ["CRD that is established, without the condition of its names"],
  },
  {
    why: "a name that is taken stays taken, also if the older names are served",
    type: "Failed",
    objects: ["CRD that is served, and whose new names are taken"],
  },
  {
    why: "objects of the API can be created only when it is available; kstatus has no rule for APIServices",
    type: "Pending",
    objects: ["APIService without a status", "APIService that is not available"],
  },
  {
    why: "a client needs the address; kstatus asks for the clusterIP only, and has no rule for Ingresses",
    type: "Pending",
    objects: [
      "Service of type LoadBalancer without an address",
      "Service of type LoadBalancer with an entry that has no address",
      "Ingress without an address",
    ],
  },
  {
    why: "a lost volume does not return",
    type: "Failed",
    objects: ["PersistentVolumeClaim of phase Lost"],
  },
  {
    why: "kstatus has no rule for PersistentVolumes",
    type: "Pending",
    objects: ["PersistentVolume without a status", "PersistentVolume of phase Pending"],
  },
  {
    why: "no claim gets this volume; kstatus has no rule for PersistentVolumes",
    type: "Failed",
    objects: ["PersistentVolume of phase Released", "PersistentVolume of phase Failed"],
  },
  {
    why: "an autoscaler without a scale does nothing yet; kstatus has no rule for it",
    type: "Pending",
    objects: ["HorizontalPodAutoscaler without a status", "HorizontalPodAutoscaler whose metrics are not known"],
  },
  {
    why: "the controller reports that it cannot scale; kstatus has no rule for it",
    type: "Failed",
    objects: ["HorizontalPodAutoscaler without a target", "HorizontalPodAutoscaler without metrics"],
  },
  {
    why: "the controller reports that it cannot count the pods; kstatus does not look at conditions",
    type: "Failed",
    objects: ["PodDisruptionBudget that cannot be computed"],
  },
  {
    why: "the phase says the same as a deletionTimestamp",
    type: "Pending",
    objects: ["Namespace that is terminating"],
  },
  {
    why: "a condition may carry the observedGeneration instead of the status",
    type: "Pending",
    objects: ["custom resource with Ready of an older generation"],
  },
  {
    why: "a value of a wrong type says nothing; kstatus takes the default of a number",
    type: "Unknown",
    objects: ["Deployment with replicas that are text"],
  },
  {
    why: "an object that was read as metadata says nothing about its status",
    type: "Unknown",
    objects: ["Deployment without a spec"],
  },
];
