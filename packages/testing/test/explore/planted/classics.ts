/** Mistakes that operators are shipped with: each works as long as nothing fails, and says what it does wrong. */
import { controllerReference, ownerLabels } from "@treadle/apimachinery";
import { ConfigMap, Job, PersistentVolumeClaim } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, many, one, step } from "@treadle/reconcile";
import { type Buckets, Thing } from "./thing.ts";

const NAME = "things.planted.treadle.dev";
const started = () => handler(Thing, { name: NAME }).step(conditions());

/** Knows its bucket by the name of the Thing: that of an earlier Thing of this name is taken for its own, and the other way round. */
export const ownsByName = (buckets: Buckets): AnyHandler =>
  started()
    .step(
      step(Thing, {
        name: "bucket",
        do(req) {
          const { name } = req.object.metadata;
          req.status.id ??= buckets.find(name) ?? buckets.create(name, name);
        },
        cleanup(req) {
          const id = buckets.find(req.object.metadata.name);
          if (id !== undefined) buckets.delete(id);
        },
      }),
    )
    .build();

/** Makes as many as the cache lacks. */
export const countsFromCache: AnyHandler = started()
  .step(
    step(Thing, {
      name: "configs",
      owns: [ConfigMap],
      reads: { mine: many(ConfigMap, (thing) => ({ matchLabels: ownerLabels(thing, NAME) })) },
      async do(req) {
        const { object, reads } = req;
        for (let count = reads.mine.length; count < object.spec.size; count++) await req.client.create(ConfigMap, nameless(object));
      },
    }),
  )
  .build();

/** Asks the server whether there is one, and makes it then: between the question and the deed somebody else may be at it. */
export const looksFirst: AnyHandler = started()
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      async do(req) {
        const { object } = req;
        const mine = await req.client.list(ConfigMap, { labelSelector: ownerLabels(object, NAME) });
        if (mine.length === 0) await req.client.create(ConfigMap, nameless(object));
      },
    }),
  )
  .build();

/** Says that it is done, and does it then. */
export const marksBeforeDoing = (buckets: Buckets): AnyHandler =>
  started()
    .step(
      step(Thing, {
        name: "bucket",
        async do(req) {
          if (req.object.status?.id !== undefined) return;
          req.status.id = "made";
          await req.checkpoint();
          buckets.create(req.object.metadata.name);
        },
        cleanup(req) {
          for (const id of buckets.tags.keys()) if (req.object.status?.id !== undefined) buckets.delete(id);
        },
      }),
    )
    .build();

/** Lets the Thing go first, and deletes its bucket after: nobody comes back for it. */
export const letsGoFirst = (buckets: Buckets): AnyHandler =>
  started()
    .step(
      step(Thing, {
        name: "bucket",
        do(req) {
          const { name, uid = name } = req.object.metadata;
          req.status.id ??= buckets.find(uid) ?? buckets.create(name, uid);
        },
        async cleanup(req) {
          await req.client.patch(Thing, req.object.metadata.name, { type: "merge", body: { metadata: { finalizers: null } } });
          const { id } = req.object.status ?? {};
          if (id !== undefined) buckets.delete(id);
        },
      }),
    )
    .build();

/** Asks to be called again only when it begins: whoever takes over in between is not called. */
export const asksOnce: AnyHandler = started()
  .step(
    step(Thing, {
      name: "ripe",
      do(req) {
        const { creationTimestamp = "" } = req.object.metadata;
        if (req.object.status?.size === undefined) {
          req.status.size = 0;
          req.revisit(RIPE_MS, "it is not ripe yet");
        } else if (req.now().getTime() - Date.parse(creationTimestamp) >= RIPE_MS) req.status.size = 1;
      },
    }),
  )
  .build();

const RIPE_MS = 30_000;

/** Takes away each bucket of a Thing that the cache does not show. */
export const collectsByCache = (buckets: Buckets): AnyHandler =>
  started()
    .step(
      step(Thing, {
        name: "bucket",
        do(req) {
          const uids = new Set(req.cache.list(Thing).map(({ metadata }) => metadata.uid));
          for (const [id, uid] of buckets.tags) if (!uids.has(uid)) buckets.delete(id);
          const { name, uid = name } = req.object.metadata;
          req.status.id ??= buckets.find(uid) ?? buckets.create(name, uid);
        },
        cleanup(req) {
          const id = buckets.find(req.object.metadata.uid ?? "");
          if (id !== undefined) buckets.delete(id);
        },
      }),
    )
    .build();

/** Notes that it has seen the size before it has done anything about it. */
export const observesFirst: AnyHandler = started()
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      async do(req) {
        const { metadata, spec, status } = req.object;
        if (status?.size === spec.size) return;
        req.status.size = spec.size;
        await req.checkpoint();
        const existing = await req.client.get(ConfigMap, metadata.name);
        const wanted = { name: metadata.name, ownerReferences: [controllerReference(req.object)] };
        await req.client.apply(ConfigMap, { metadata: wanted, data: { size: String(spec.size) } }, { existing });
      },
    }),
  )
  .build();

/** Goes from one size to the next only, since it has never met anything else. */
export const goesStepByStep: AnyHandler = started()
  .step(
    step(Thing, {
      name: "size",
      do(req) {
        const { spec, status } = req.object;
        const from = status?.size ?? 0;
        if (spec.size === from) return;
        if (spec.size !== from + 1) return req.stop(`there is no way from ${from} to ${spec.size}`);
        req.status.size = spec.size;
        return;
      },
    }),
  )
  .build();

/** Takes its Job away when that is complete, and notes it after: whoever comes in between runs it again. */
export const runsAgain: AnyHandler = started()
  .step(
    step(Thing, {
      name: "backup",
      owns: [Job],
      reads: { job: one(Job, (thing) => thing.metadata.name) },
      async do(req) {
        const { name } = req.object.metadata;
        if (req.object.status?.id !== undefined) return;
        const { job } = req.reads;
        if (job === undefined) {
          const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/backup:1" }] } };
          const metadata = { name, ownerReferences: [controllerReference(req.object)] };
          await req.client.create(Job, { metadata, spec: { template } } as never); // a Job has many fields that the server fills in
          return req.wait("the backup was started");
        }
        if ((job.status?.succeeded ?? 0) === 0) return req.wait("the backup runs");
        await req.client.delete(Job, name, { propagationPolicy: "Background" });
        req.status.id = "done";
        return;
      },
    }),
  )
  .build();

/** Deletes the claims above the size by what the server has, while the size is that of the cache: data that is in use is lost. */
export const shrinksByCache: AnyHandler = started()
  .step(
    step(Thing, {
      name: "claims",
      owns: [PersistentVolumeClaim],
      async do(req) {
        const { object } = req;
        const labels = ownerLabels(object, NAME);
        const there = await req.client.list(PersistentVolumeClaim, { labelSelector: labels });
        const wanted = Array.from({ length: object.spec.size }, (_, index) => `${object.metadata.name}-${index}`);
        for (const name of wanted) {
          if (there.some(({ metadata }) => metadata.name === name)) continue;
          const metadata = { name, labels, ownerReferences: [controllerReference(object)] };
          const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
          await req.client.apply(PersistentVolumeClaim, { metadata, spec }, { existing: undefined });
        }
        for (const { metadata } of there)
          if (!wanted.includes(metadata.name)) await req.client.delete(PersistentVolumeClaim, metadata.name);
      },
    }),
  )
  .build();

/** Takes away the claim only in the pass that takes its member: a claim whose member has gone is nobody's. */
export const forgetsHalf: AnyHandler = started()
  .step(
    step(Thing, {
      name: "member",
      owns: [ConfigMap],
      async do(req) {
        const { object } = req;
        const { name } = object.metadata;
        const wanted = object.spec.size === 2;
        const member = await req.client.get(ConfigMap, `${name}-member`);
        if (wanted === (member !== undefined)) return;
        for (const each of [`${name}-member`, `${name}-claim`]) {
          const metadata = { name: each, ownerReferences: [controllerReference(object)] };
          if (wanted) await req.client.apply(ConfigMap, { metadata }, { existing: await req.client.get(ConfigMap, each) });
          else await req.client.delete(ConfigMap, each);
        }
      },
    }),
  )
  .build();

/** The type asks for a name, the server does not. */
function nameless(thing: Thing) {
  const metadata = {
    generateName: `${thing.metadata.name}-`,
    labels: ownerLabels(thing, NAME),
    ownerReferences: [controllerReference(thing)],
  };
  return { metadata, data: {} } as never;
}
