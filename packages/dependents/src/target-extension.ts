/** The extension of the engine behind the option `target` of dependentApply(): its connections, and what was seen in the target. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { defineExtension, type Extension } from "@treadle/reconcile/unstable/engine";
import { HeldTargets } from "./targets/pass/held-target.ts";
import type { TargetDefinition } from "./targets/types.ts";

/** A step with a target. */
export interface RemoteStep {
  readonly name: string;
  readonly target: TargetDefinition;
}

/** What a step with a target remembers of one owner. */
export class RemoteMemory {
  readonly targets: HeldTargets = new HeldTargets();
  /** The objects that the last pass read, by namespace and name. */
  live: ReadonlyMap<string, KubernetesObject> = new Map();
}

/** The memories of the steps of one owner, by name. */
export class RemoteMemories implements Disposable {
  readonly #steps = new Map<string, RemoteMemory>();

  of(step: string): RemoteMemory {
    let memory = this.#steps.get(step);
    if (memory === undefined) this.#steps.set(step, (memory = new RemoteMemory()));
    return memory;
  }

  [Symbol.dispose](): void {
    for (const { targets } of this.#steps.values()) targets.releaseAll();
  }
}

export const remoteSteps: Extension<RemoteStep, RemoteMemories, object> = defineExtension<RemoteStep, RemoteMemories>({
  name: "dependent-targets",
  memory: () => new RemoteMemories(),
});
