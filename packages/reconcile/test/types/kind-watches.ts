/** `req.watch`: the kind that it returns, and which arguments it takes. */
import type { Kind, UntypedObject } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { defineResource } from "@treadle/apimachinery";
import { step } from "@treadle/reconcile";
import { z } from "zod";

const Bundle = defineResource({ group: "t.treadle.dev", version: "v1", kind: "Bundle", scope: "Namespaced", spec: z.object({}) });

export const typed = step(Bundle, {
  name: "typed",
  do(req) {
    const watch = req.watch(ConfigMap);
    // @error Property 'kind' does not exist on type
    void watch.kind;
    if (watch.type !== "synced") return req.wait(watch.reason);
    void req.cache.list(watch.kind)[0]?.data?.["k"];
    const named = req.watch({ apiVersion: "v1", kind: "Pod" });
    if (named.type === "synced") {
      const kind: Kind<UntypedObject, UntypedObject> = named.kind;
      void req.cache.list(kind)[0]?.["spec"];
    }
    // @error Property 'group' is missing in type '{ kind: string; }'
    req.watch({ kind: "Pod" });
    return undefined;
  },
});

export const looks = step(Bundle, {
  name: "looks",
  gate(req) {
    // @error Property 'watch' does not exist on type 'GateReq
    req.watch(ConfigMap);
    return undefined;
  },
});
