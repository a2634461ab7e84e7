/** Forms of reads and watches: the types that follow from their options, and what is refused. */
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Node, Secret } from "@treadle/apimachinery/kinds";
import { handler, many, one, step } from "@treadle/reconcile";
import { z } from "zod";

const Site = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: z.object({ secret: z.string(), maps: z.array(z.string()).default([]) }),
});

export const forms = step(Site, {
  name: "forms",
  reads: {
    whole: one(ConfigMap, (site) => site.spec.secret),
    live: one(ConfigMap, (site) => site.spec.secret, { live: true }),
    unwatched: one(Node, () => "n", { watch: false }),
    half: one(ConfigMap, (site) => site.spec.secret, { metadata: true }),
    secret: one(Secret, (site) => ({ name: site.spec.secret, namespace: "x" })),
    secretHalf: one(Secret, (site) => site.spec.secret, { metadata: true }),
    halves: many(ConfigMap, (site) => ({ matchLabels: { site: site.metadata.name } }), { metadata: true }),
    wholes: many(ConfigMap, () => ({ matchLabels: {}, namespace: "*" })),
    secrets: many(Secret, () => ({ matchLabels: {} })),
  },
  do(req) {
    const { reads } = req;
    const texts: (string | undefined)[] = [
      reads.whole?.data?.["k"],
      reads.live?.data?.["k"],
      reads.unwatched?.status?.nodeInfo?.kernelVersion,
      reads.half?.metadata.name,
      reads.secret?.data?.["k"],
      reads.halves[0]?.metadata.name,
      reads.wholes[0]?.data?.["k"],
      reads.secrets[0]?.metadata.uid,
    ];
    void texts;
    // @error Property 'data' does not exist
    void reads.half?.data;
    // @error Property 'data' does not exist
    void reads.secretHalf?.data;
    // @error Property 'data' does not exist
    void reads.halves[0]?.data;
    // @error Property 'data' does not exist
    void reads.secrets[0]?.data;
    // @error Cannot assign to 'name' because it is a read-only property
    if (reads.half) reads.half.metadata.name = "other";
  },
});

export const watches = handler(Site)
  .step(forms)
  .watch(ConfigMap, { refs: (site) => site.spec.maps })
  .watch(ConfigMap, { map: (map) => [{ name: map.data?.["site"] ?? "" }] })
  .watch(ConfigMap, { label: "t.treadle.dev/site", metadata: true })
  .watch(Secret, { map: (secret) => [{ name: secret.metadata.name }] })
  .watch(Node, { metadata: true, map: (node, cache) => (node.metadata.labels ? cache.list(Site).map(({ metadata }) => metadata) : []) })
  // @error Property 'status' does not exist
  .watch(Node, { metadata: true, map: (node) => [{ name: node.status }] })
  // @error Property 'data' does not exist
  .watch(Secret, { map: (secret) => [{ name: secret.data }] })
  // @error Property 'other' does not exist
  .watch(ConfigMap, { refs: (site) => site.spec.other })
  .build();
