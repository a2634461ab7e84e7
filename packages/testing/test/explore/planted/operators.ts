/** Operators that are broken on purpose: each says what it does wrong, and works as long as nothing fails. */
import { controllerReference, isConflict, ownerLabels } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, many, one, step } from "@treadle/reconcile";
import { type Buckets, Thing } from "./thing.ts";

const NAME = "things.planted.treadle.dev";
const started = () => handler(Thing, { name: NAME }).step(conditions());

/** Makes the bucket first and remembers it after: nobody knows of one whose record was not stored. */
export const noWriteAhead = (buckets: Buckets): AnyHandler =>
  started()
    .step(
      step(Thing, {
        name: "bucket",
        do(req) {
          req.status.id ??= buckets.create(req.object.metadata.name);
        },
        cleanup(req) {
          const { id } = req.object.status ?? {};
          if (id !== undefined) buckets.delete(id);
        },
      }),
    )
    .build();

/** Makes a ConfigMap under a new name whenever the status does not name one, without a look at what is there. */
export const generatesNames: AnyHandler = started()
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      async do(req) {
        if (req.object.status?.id !== undefined) return;
        const metadata = { generateName: `${req.object.metadata.name}-`, ownerReferences: [controllerReference(req.object)] };
        const made = await req.client.create(ConfigMap, { metadata, data: {} } as never); // the type asks for a name, the server does not
        req.status.id = made.metadata.name;
      },
    }),
  )
  .build();

/** Remembers in the process which objects it has made, and cleans up only those. */
export const remembersInMemory = (): AnyHandler => {
  const made = new Set<string>();
  return started()
    .step(
      step(Thing, {
        name: "config",
        async do(req) {
          const name = `${req.object.metadata.name}-config`;
          if (made.has(name)) return;
          if ((await req.client.get(ConfigMap, name)) === undefined)
            await req.client.apply(ConfigMap, { metadata: { name }, data: {} }, { existing: undefined });
          else return;
          made.add(name);
        },
        async cleanup(req) {
          for (const name of made) await req.client.delete(ConfigMap, name);
        },
      }),
    )
    .build();
};

/** Counts the sizes that it has seen: a level that passed unseen is missing. */
export const countsEvents: AnyHandler = started()
  .step(
    step(Thing, {
      name: "count",
      do(req) {
        const { size } = req.object.spec;
        if (req.object.status?.size === size) return;
        req.status.size = size;
        req.status.seen = (req.object.status?.seen ?? 0) + 1;
      },
    }),
  )
  .build();

/** Takes a conflict for a success: somebody else has written it, so it must be there. */
export const swallowsConflicts: AnyHandler = started()
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      reads: { config: one(ConfigMap, (thing) => thing.metadata.name) },
      async do(req) {
        const { object, reads } = req;
        const size = String(object.spec.size);
        if (object.status?.size === object.spec.size) return;
        const metadata = { name: object.metadata.name, ownerReferences: [controllerReference(object)] };
        try {
          await req.client.apply(ConfigMap, { metadata, data: { size } }, { existing: reads.config });
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
        req.status.size = object.spec.size;
      },
    }),
  )
  .build();

/** Takes any failure for "not now", and never comes back to it. */
export const givesUp: AnyHandler = started()
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      reads: { config: one(ConfigMap, (thing) => thing.metadata.name) },
      async do(req) {
        const size = String(req.object.spec.size);
        if (req.reads.config?.data?.["size"] === size) return;
        const metadata = { name: req.object.metadata.name, ownerReferences: [controllerReference(req.object)] };
        try {
          await req.client.apply(ConfigMap, { metadata, data: { size } }, { existing: req.reads.config });
        } catch {
          return req.stop("the ConfigMap cannot be written");
        }
        return;
      },
    }),
  )
  .build();

/** Writes its record past the engine, so that the next pass may still see the object without it. */
export const recordsPastTheEngine = (buckets: Buckets): AnyHandler =>
  // Without conditions nothing is saved that would show it.
  handler(Thing, { name: NAME })
    .step(
      step(Thing, {
        name: "bucket",
        async do(req) {
          const { name, annotations = {} } = req.object.metadata;
          if (annotations["planted.treadle.dev/bucket"] !== undefined) return;
          const id = buckets.create(name);
          await req.client.patch(Thing, name, { type: "merge", body: { metadata: { annotations: { "planted.treadle.dev/bucket": id } } } });
        },
      }),
    )
    .build();

/** Says that it has observed what does not exist yet, when it is told no. */
export const boasts: AnyHandler = handler(Thing, { name: NAME })
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      reads: { config: one(ConfigMap, (thing) => thing.metadata.name) },
      async do(req) {
        const { metadata, status } = req.object;
        if (req.reads.config !== undefined || status?.observedGeneration !== undefined) return;
        try {
          const wanted = { name: metadata.name, ownerReferences: [controllerReference(req.object)] };
          await req.client.apply(ConfigMap, { metadata: wanted, data: {} }, { existing: undefined });
        } catch {
          const body = { status: { observedGeneration: 99 } };
          await req.client.patch(Thing, metadata.name, { type: "merge", body }, { subresource: "status" });
        }
      },
    }),
  )
  .build();

/** What it did not make itself in this life it counts again in every pass. */
export const forgets = (): AnyHandler => {
  const mine = new Set<string>();
  return started()
    .step(
      step(Thing, {
        name: "count",
        do(req) {
          const { name } = req.object.metadata;
          if (req.object.status?.id === undefined) mine.add(name);
          req.status.id = name;
          if (!mine.has(name)) req.status.seen = (req.object.status?.seen ?? 0) + 1;
        },
      }),
    )
    .build();
};

/** After a failure it tries something else, and something else again, at once, for ever. */
export const panics = (): AnyHandler => {
  let tries = 0;
  return started()
    .step(
      step(Thing, {
        name: "config",
        reads: { config: one(ConfigMap, (thing) => thing.metadata.name) },
        async do(req) {
          if (req.reads.config !== undefined && tries === 0) return;
          const metadata = { name: req.object.metadata.name, ownerReferences: [controllerReference(req.object)] };
          try {
            await req.client.apply(ConfigMap, { metadata, data: { tries: String(tries) } }, { existing: req.reads.config });
            if (tries > 0) req.revisit(0, "at once");
          } finally {
            tries++;
          }
          if (tries === 1) tries = 0;
        },
      }),
    )
    .build();
};

/** Labels what it makes after it is made: what it made before a crash is nobody's. */
export const labelsLate: AnyHandler = started()
  .step(
    step(Thing, {
      name: "config",
      reads: { ours: many(ConfigMap, (thing) => ({ matchLabels: ownerLabels(thing, NAME) })) },
      async do(req) {
        const name = `${req.object.metadata.name}-${req.object.spec.size}`;
        if (req.reads.ours.some(({ metadata }) => metadata.name === name)) return;
        if ((await req.client.get(ConfigMap, name)) === undefined) {
          await req.client.create(ConfigMap, { metadata: { name }, data: {} });
          await req.client.patch(ConfigMap, name, { type: "merge", body: { metadata: { labels: ownerLabels(req.object, NAME) } } });
        }
      },
      async cleanup(req) {
        for (const { metadata } of req.reads.ours) await req.client.delete(ConfigMap, metadata);
      },
    }),
  )
  .build();

/** Tells the number of its passes: no pass is the last. */
export const countsPasses: AnyHandler = started()
  .step(
    step(Thing, {
      name: "count",
      do(req) {
        req.status.seen = (req.object.status?.seen ?? 0) + 1;
      },
    }),
  )
  .build();

/** Waits in its cleanup for something that it made only in the memory of the process that made it. */
export const waitsForEver = (): AnyHandler => {
  let isMade = false;
  return started()
    .step(
      step(Thing, {
        name: "memory",
        do(req) {
          if (req.object.status?.size === undefined) isMade = true;
          req.status.size = 1;
        },
        cleanup: (req) => (isMade ? undefined : req.wait("the process that made it is to take it away")),
      }),
    )
    .build();
};
