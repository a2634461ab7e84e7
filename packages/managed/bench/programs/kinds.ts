/** The kinds of the benchmark, and a provider that answers immediately. */
import { defineResource } from "@treadle/apimachinery";
import { type AnyHandler, conditions, handler } from "@treadle/reconcile";
import { z } from "zod";
import { managed, managedSpec, managedStatus, managedTraits, provider } from "../../src/index.ts";

export const StoreConfig = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "StoreConfig",
  scope: "Namespaced",
  spec: z.object({}),
  status: z.object({}),
});

export const Bucket = defineResource({
  ...managedTraits,
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  spec: z.object({ ...managedSpec, sizeGb: z.int32() }),
  status: z.object({ ...managedStatus, endpoint: z.string() }),
});

/** The outside of the benchmark: it counts the calls, and remembers when they were made. */
export class Outside {
  readonly sizes: Map<string, number> = new Map();
  /** The times of the calls, in milliseconds. */
  readonly calls: number[] = [];

  #called(): void {
    this.calls.push(performance.now());
  }

  async observe(name: string): Promise<{ readonly sizeGb: number; readonly endpoint: string } | undefined> {
    this.#called();
    const sizeGb = this.sizes.get(name);
    return sizeGb === undefined ? undefined : { sizeGb, endpoint: `https://${name}.example.dev` };
  }

  async write(name: string, sizeGb: number): Promise<void> {
    this.#called();
    this.sizes.set(name, sizeGb);
  }

  async delete(name: string): Promise<void> {
    this.#called();
    this.sizes.delete(name);
  }
}

/** The handler of the benchmark. */
export function bucketsOf(
  outside: Outside,
  options: { readonly rate?: { readonly perSecond: number; readonly burst: number }; readonly pollMs?: number },
): AnyHandler {
  const { rate, pollMs = 60_000 } = options;
  const store = provider(StoreConfig, { connect: () => outside, ...(rate === undefined ? {} : { rate }) });
  const bucket = managed(Bucket, {
    name: "bucket",
    provider: store,
    pollMs,
    externalName: ({ metadata }) => `${metadata.namespace}-${metadata.name}`,
    observe: ({ api, name }) => api.observe(name),
    desired: ({ spec }) => ({ sizeGb: spec.sizeGb }),
    create: ({ api, name, want }) => api.write(name, want.sizeGb),
    update: ({ api, name, want }) => api.write(name, want.sizeGb),
    delete: ({ api, name }) => api.delete(name),
    status: ({ endpoint }) => ({ endpoint }),
  });
  return handler(Bucket).step(conditions()).step(bucket).build();
}
