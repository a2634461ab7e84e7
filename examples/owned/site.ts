/** An operator that makes objects: a ConfigMap beside each Site, and a copy of it in another namespace where the Site asks for one. */
import { conditions, controllerReference, defineResource, handler, many, one, ownerLabels, ownership, step } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { z } from "zod";

export const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: z.object({ text: z.string(), copyTo: z.string().optional().describe("Namespace of a copy") }),
  status: z.object({}),
});

/** The persistent name of the handler: the label of what it owns in other namespaces is made of it. */
const NAME = "sites.example.com";
/** What is not ours wakes us when it changes; without a delay the wait would come back every 10 s at the latest. */
const LOOK_AGAIN_MS = 600_000;

/** Beside the Site: an owner reference says whose it is, and the garbage collector removes it with the Site. */
export const page = step(Site, {
  name: "page",
  conditions: ["PageReady"],
  owns: [ConfigMap], // a change of it, or its loss, wakes the Site that it belongs to
  reads: { page: one(ConfigMap, (site) => `${site.metadata.name}-page`) }, // one that is not ours wakes the Site, too
  async do(req) {
    const { object, reads, handlerName } = req;
    const name = `${object.metadata.name}-page`;
    const data = { text: object.spec.text };
    if (reads.page !== undefined) {
      const whose = ownership(reads.page, object, handlerName);
      if (whose.type !== "ours") {
        const why = whose.type === "foreign" ? `it belongs to ${whose.owner}` : "nobody controls it";
        return req.conditions.false("PageReady", "NotOurs", `ConfigMap ${name} is not ours: ${why}`).wait(LOOK_AGAIN_MS);
      }
    }
    if (reads.page?.data?.["text"] !== data.text) {
      const metadata = { name, ownerReferences: [controllerReference(object)] };
      // Changes what we saw, or creates and nothing else: where somebody was faster, the answer is 409, a quiet wait.
      await req.client.apply(ConfigMap, { metadata, data }, { existing: reads.page });
    }
    req.conditions.true("PageReady");
  },
});

/** In another namespace: owner references do not reach there. A label says whose it is, and a cleanup removes it. */
export const copy = step(Site, {
  name: "copy",
  conditions: ["CopyReady"],
  owns: [ConfigMap],
  reads: {
    copy: one(ConfigMap, ({ metadata, spec }) => (spec.copyTo ? { namespace: spec.copyTo, name: `${metadata.name}-copy` } : undefined)),
    copies: many(ConfigMap, (site) => ({ matchLabels: ownerLabels(site, NAME), namespace: "*" })),
  },
  async do(req) {
    const { object, reads, handlerName } = req;
    const { copyTo } = object.spec;
    const data = { text: object.spec.text };
    const name = `${object.metadata.name}-copy`;
    // What an earlier spec asked for.
    for (const { metadata } of reads.copies.filter((each) => ownership(each, object, handlerName).type === "ours")) {
      if (metadata.namespace !== copyTo) await req.client.delete(ConfigMap, metadata, { preconditions: { uid: metadata.uid } });
    }
    if (copyTo === undefined) return req.conditions.true("CopyReady", "NotWanted");
    if (reads.copy !== undefined) {
      const whose = ownership(reads.copy, object, handlerName);
      if (whose.type !== "ours") {
        const why = whose.type === "foreign" ? `it belongs to ${whose.owner}` : "nobody controls it";
        return req.conditions.false("CopyReady", "NotOurs", `ConfigMap ${copyTo}/${name} is not ours: ${why}`).wait(LOOK_AGAIN_MS);
      }
    }
    if (reads.copy?.data?.["text"] !== data.text) {
      const metadata = { namespace: copyTo, name, labels: ownerLabels(object, handlerName) };
      await req.client.apply(ConfigMap, { metadata, data }, { existing: reads.copy });
    }
    req.conditions.true("CopyReady");
  },
  async cleanup(req) {
    const { object, reads, handlerName } = req;
    // Live: the cache may lack what was made last, by us or by another process. Only where something may be.
    const namespaces = new Set([object.spec.copyTo, ...reads.copies.map(({ metadata }) => metadata.namespace)]);
    const left: ConfigMap[] = [];
    for (const namespace of namespaces) {
      if (namespace === undefined) continue;
      const labelled = await req.client.list(ConfigMap, { namespace, labelSelector: ownerLabels(object, handlerName) });
      left.push(...labelled.filter((each) => ownership(each, object, handlerName).type === "ours"));
    }
    for (const { metadata } of left)
      if (metadata.deletionTimestamp === undefined) await req.client.delete(ConfigMap, metadata, { preconditions: { uid: metadata.uid } });
    // The finalizer goes when they are gone, not when somebody was told to delete them.
    if (left.length > 0) return req.wait(`${left.length} copies are being deleted`);
  },
});

export const sites = handler(Site, { name: NAME }).step(conditions()).step(page).step(copy).build();
