/** The ConfigMap in another namespace, where owner references do not work. */
import { many, one, ownerLabels, ownership, step } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { LOOK_AGAIN_MS, refusal } from "./owner.ts";
import { NAME, Site } from "./site.ts";

/** Keeps a copy in the namespace `spec.copyTo`. A label names its owner, and a cleanup deletes it. */
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
    // Deletes the copies that an earlier spec asked for.
    for (const { metadata } of reads.copies.filter((each) => ownership(each, object, handlerName).type === "ours")) {
      if (metadata.namespace !== copyTo) await req.client.delete(ConfigMap, metadata, { preconditions: { uid: metadata.uid } });
    }
    if (copyTo === undefined) return req.conditions.true("CopyReady", "NotWanted");
    const problem = reads.copy && refusal(reads.copy, object, handlerName);
    if (problem)
      return req.conditions.false("CopyReady", "NotOurs", `ConfigMap ${copyTo}/${name} is not ours: ${problem}`).wait(LOOK_AGAIN_MS);
    if (reads.copy?.data?.["text"] !== data.text) {
      const metadata = { namespace: copyTo, name, labels: ownerLabels(object, handlerName) };
      await req.client.apply(ConfigMap, { metadata, data }, { existing: reads.copy });
    }
    req.conditions.true("CopyReady");
  },
  async cleanup(req) {
    const { object, reads, handlerName } = req;
    // A live list: the cache may lack the newest copy. Only the namespaces that can hold a copy are asked.
    const namespaces = new Set([object.spec.copyTo, ...reads.copies.map(({ metadata }) => metadata.namespace)]);
    const left: ConfigMap[] = [];
    for (const namespace of namespaces) {
      if (namespace === undefined) continue;
      const labelled = await req.client.list(ConfigMap, { namespace, labelSelector: ownerLabels(object, handlerName) });
      left.push(...labelled.filter((each) => ownership(each, object, handlerName).type === "ours"));
    }
    for (const { metadata } of left)
      if (metadata.deletionTimestamp === undefined) await req.client.delete(ConfigMap, metadata, { preconditions: { uid: metadata.uid } });
    // The finalizer stays until the copies no longer exist. An accepted delete request is not enough.
    if (left.length > 0) return req.wait(`${left.length} copies are being deleted`);
  },
});
