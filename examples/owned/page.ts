/** The ConfigMap in the namespace of a Site. */
import { controllerReference, one, step } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { LOOK_AGAIN_MS, refusal } from "./owner.ts";
import { Site } from "./site.ts";

/** Keeps a ConfigMap beside the Site. Its owner reference makes the garbage collector delete it with the Site. */
export const page = step(Site, {
  name: "page",
  conditions: ["PageReady"],
  owns: [ConfigMap], // a change or deletion of the ConfigMap starts a pass of its Site
  reads: { page: one(ConfigMap, (site) => `${site.metadata.name}-page`) }, // a foreign ConfigMap of that name does, too
  async do(req) {
    const { object, reads, handlerName } = req;
    const name = `${object.metadata.name}-page`;
    const data = { text: object.spec.text };
    const problem = reads.page && refusal(reads.page, object, handlerName);
    if (problem) return req.conditions.false("PageReady", "NotOurs", `ConfigMap ${name} is not ours: ${problem}`).wait(LOOK_AGAIN_MS);
    if (reads.page?.data?.["text"] !== data.text) {
      const metadata = { name, ownerReferences: [controllerReference(object)] };
      // Changes the object that was seen, or creates one. If another writer was faster, the answer is 409, and the pass is requeued.
      await req.client.apply(ConfigMap, { metadata, data }, { existing: reads.page });
    }
    req.conditions.true("PageReady");
  },
});
