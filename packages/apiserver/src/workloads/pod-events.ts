/** The events of the controllers of pods, which all have the same words (kube-controller-manager `RealPodControl`). */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { Pod } from "@treadle/apimachinery/kinds";
import type { Recorder } from "./events.ts";
import { type DeleteOptions, type Draft, RefusedError, type Writer } from "./writer.ts";

/** Creates and deletes pods for their owners, and reports each as an event of the owner. */
export interface PodControl {
  /** @throws RefusedError */
  create(owner: KubernetesObject, draft: Draft): Promise<Pod>;
  /** @throws RefusedError */
  delete(owner: KubernetesObject, pod: Pod, options?: DeleteOptions): Promise<void>;
}

/** @param kind Kind of the owners */
export function podControl(write: Writer, record: Recorder, kind: Kind): PodControl {
  return {
    async create(owner, draft) {
      try {
        const pod = await write.create(Pod, owner.metadata.namespace, draft);
        record(kind, owner, { reason: "SuccessfulCreate", message: `Created pod: ${pod.metadata.name}` });
        return pod;
      } catch (error) {
        if (error instanceof RefusedError && !error.isOfEndingNamespace)
          record(kind, owner, { type: "Warning", reason: "FailedCreate", message: `Error creating: ${error.message}` });
        throw error;
      }
    },
    async delete(owner, pod, options) {
      try {
        await write.delete(Pod, pod, options);
      } catch (error) {
        if (error instanceof RefusedError)
          record(kind, owner, { type: "Warning", reason: "FailedDelete", message: `Error deleting: ${error.message}` });
        throw error;
      }
      record(kind, owner, { reason: "SuccessfulDelete", message: `Deleted pod: ${pod.metadata.name}` });
    },
  };
}
