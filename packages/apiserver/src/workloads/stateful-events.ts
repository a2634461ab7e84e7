/** Creates and deletes pods and claims for StatefulSets, and reports each as an event (kube-controller-manager `StatefulPodControl`). */
import { PersistentVolumeClaim, Pod, StatefulSet } from "@treadle/apimachinery/kinds";
import type { Recorder } from "./events.ts";
import { type Draft, RefusedError, type Writer } from "./writer.ts";

export interface StatefulControl {
  /** @throws RefusedError */
  create(set: StatefulSet, pod: string, draft: Draft): Promise<void>;
  /** Creates a claim of a pod. @throws RefusedError */
  claim(set: StatefulSet, pod: string, draft: Draft & { readonly metadata: { readonly name: string } }): Promise<void>;
  /** @throws RefusedError */
  delete(set: StatefulSet, pod: Pod): Promise<void>;
}

export function statefulControl(write: Writer, record: Recorder): StatefulControl {
  return {
    create: (set, pod, draft) => noted(set, "Create", podWords(set, pod), write.create(Pod, set.metadata.namespace, draft)),
    claim: (set, pod, draft) =>
      noted(set, "Create", claimWords(set, pod, draft.metadata.name), write.create(PersistentVolumeClaim, set.metadata.namespace, draft)),
    delete: (set, pod) => noted(set, "Delete", podWords(set, pod.metadata.name), write.delete(Pod, pod)),
  };

  /** Waits for a write, and reports how it ended. @throws RefusedError */
  async function noted(set: StatefulSet, verb: "Create" | "Delete", { done, refused }: Words, write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (error instanceof RefusedError && !error.isOfEndingNamespace)
        record(StatefulSet, set, {
          type: "Warning",
          reason: `Failed${verb}`,
          message: `${verb} ${refused} failed error: ${error.message}`,
        });
      throw error;
    }
    record(StatefulSet, set, { reason: `Successful${verb}`, message: `${verb} ${done}` });
  }
}

/** Ends of the messages of a write. */
interface Words {
  readonly done: string;
  readonly refused: string;
}

function podWords({ metadata }: StatefulSet, pod: string): Words {
  const text = `Pod ${pod} in StatefulSet ${metadata.name}`;
  return { done: `${text} successful`, refused: text };
}

function claimWords({ metadata }: StatefulSet, pod: string, claim: string): Words {
  const place = `Pod ${pod} in StatefulSet ${metadata.name}`;
  return { done: `Claim ${claim} ${place} success`, refused: `Claim ${claim} for ${place}` };
}
