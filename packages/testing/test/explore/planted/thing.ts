/** The kind of the operators that are broken on purpose, and an outside that does not forgive. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import type { ExternalContext, ExternalEffects, Scenario } from "@treadle/testing/explore";
import { z } from "zod";

export const Thing = defineResource({
  group: "planted.treadle.dev",
  version: "v1",
  kind: "Thing",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ size: z.int32() }),
  status: z.object({ id: z.string(), size: z.int32(), seen: z.int32() }).partial(),
});
export interface Thing extends ObjectOf<typeof Thing> {}

/** A provider whose create makes another bucket each time; it can be asked for the one with a tag. */
export class Buckets {
  /** The tags by id. */
  readonly tags = new Map<string, string>();
  readonly #effects: ExternalEffects;
  #made = 0;

  constructor({ effects }: Pick<ExternalContext, "effects">) {
    this.#effects = effects;
  }

  create(name: string, tag: string = ""): string {
    this.#effects.record(`create a bucket for ${name}`);
    const id = `bucket-${++this.#made}`;
    this.tags.set(id, tag);
    return id;
  }

  find(tag: string): string | undefined {
    return [...this.tags].find(([, each]) => each === tag)?.[0];
  }

  delete(id: string): void {
    this.tags.delete(id);
  }
}

/** Created, settled, changed twice while the operator works, and settled again. */
export const LIFE: Pick<Scenario<unknown>, "run"> = {
  async run(cluster) {
    await cluster.create(Thing, { metadata: { name: "a" }, spec: { size: 1 } });
    await cluster.settled();
    await cluster.update(Thing, "a", (thing) => {
      thing.spec.size = 2;
    });
    await cluster.settled();
    await cluster.update(Thing, "a", (thing) => {
      thing.spec.size = 3;
    });
  },
};

/** Created, deleted, and created again under the same name. */
export const REBORN: Pick<Scenario<unknown>, "run"> = {
  async run(cluster) {
    await cluster.create(Thing, { metadata: { name: "a" }, spec: { size: 1 } });
    await cluster.settled();
    await cluster.delete(Thing, "a");
    await cluster.settled();
    await cluster.create(Thing, { metadata: { name: "a" }, spec: { size: 2 } });
  },
};

/** One after the other, and then the first again. */
export const TWO: Pick<Scenario<unknown>, "run"> = {
  async run(cluster) {
    await cluster.create(Thing, { metadata: { name: "a" }, spec: { size: 1 } });
    await cluster.settled();
    await cluster.create(Thing, { metadata: { name: "b" }, spec: { size: 1 } });
    await cluster.settled();
    await cluster.update(Thing, "a", (thing) => {
      thing.spec.size = 2;
    });
  },
};
