/**
 * The records of the integrations. Source: the primitives of the operator-component-framework. What differs:
 * - A HorizontalPodAutoscaler whose target has 0 replicas is Operational. It stays applied while its component is suspended.
 * - An object that is being deleted is OperationPending, CronJobs and Services included.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import {
  CronJob,
  CustomResourceDefinition,
  HorizontalPodAutoscaler,
  Ingress,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Service,
} from "@treadle/apimachinery/kinds";
import type { AnyKindRecord, Grade, KindRecord } from "./kind-record.ts";
import { operationWord, outcomeOf } from "./words.ts";

/** The record of CronJobs. A Job that fails does not make its CronJob unhealthy. */
const cronJobRecord: KindRecord<typeof CronJob> = {
  kind: CronJob,
  category: "integration",
  grace: () => "Healthy",
  suspend: { merge: { spec: { suspend: true } } },
  isSuspended: ({ spec, status }) => spec?.suspend === true && (status?.active ?? []).length === 0,
};

/** The record of Services. A new Service would get another address, so it is not deleted when its component is suspended. */
const serviceRecord: KindRecord<typeof Service> = { kind: Service, category: "integration", grace: gradeByHealth };

/** The record of Ingresses. */
const ingressRecord: KindRecord<typeof Ingress> = { kind: Ingress, category: "integration", grace: gradeByHealth };

/** The record of HorizontalPodAutoscalers. One whose target has 0 replicas does nothing, so it needs no suspension. */
const horizontalPodAutoscalerRecord: KindRecord<typeof HorizontalPodAutoscaler> = {
  kind: HorizontalPodAutoscaler,
  category: "integration",
  grace: gradeByHealth,
};

/** The record of PersistentVolumeClaims. Suspension does not delete them: the data would be lost. */
const persistentVolumeClaimRecord: KindRecord<typeof PersistentVolumeClaim> = {
  kind: PersistentVolumeClaim,
  category: "integration",
  // A claim without a volume holds up no other step, so its dependent is Ready. The claim itself is not in operation yet.
  state: (live) => {
    const { type, message } = health(live);
    return { reason: operationWord(outcomeOf(type)), message };
  },
  grace: gradeByHealth,
};

/** The record of PersistentVolumes. */
const persistentVolumeRecord: KindRecord<typeof PersistentVolume> = {
  kind: PersistentVolume,
  category: "integration",
  grace: gradeByHealth,
};

/** The record of Namespaces. */
const namespaceRecord: KindRecord<typeof Namespace> = { kind: Namespace, category: "integration" };

/** The record of CustomResourceDefinitions: operational once the server serves the kind. */
const customResourceDefinitionRecord: KindRecord<typeof CustomResourceDefinition> = {
  kind: CustomResourceDefinition,
  category: "integration",
};

/** All records of this file. */
export const integrationRecords: readonly AnyKindRecord[] = [
  cronJobRecord,
  serviceRecord,
  ingressRecord,
  horizontalPodAutoscalerRecord,
  persistentVolumeClaimRecord,
  persistentVolumeRecord,
  namespaceRecord,
  customResourceDefinitionRecord,
];

function gradeByHealth(live: KubernetesObject): Grade {
  const { type } = health(live);
  return type === "Ready" ? "Healthy" : type === "Failed" ? "Down" : "Degraded";
}
