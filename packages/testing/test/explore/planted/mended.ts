/** What the operators beside it should have been: a record before the deed, and a look for what it may have done already. */
import { controllerReference } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, one, step } from "@treadle/reconcile";
import { z } from "zod";
import { type Buckets, Thing } from "./thing.ts";

/** One bucket for one Thing, whatever is interrupted when: finalizer, record, create; and after a crash the record is asked. */
export const writesAhead = (buckets: Buckets): AnyHandler =>
  handler(Thing)
    .step(conditions())
    .step(
      step(Thing, {
        name: "bucket",
        finalizer: "on-demand",
        state: z.object({ tag: z.string().optional(), tries: z.int32().default(0) }),
        async do(req) {
          if (req.status.id !== undefined) return;
          const { name, uid } = req.object.metadata;
          await req.holdFinalizer();
          req.state.tag ??= uid ?? name;
          req.state.tries += 1; // new each time: a checkpoint without news sends nothing, so nobody refuses who knows an old state
          await req.checkpoint();
          req.status.id = buckets.find(req.state.tag) ?? buckets.create(name, req.state.tag);
          req.state.tries = 0;
        },
        cleanup(req) {
          const { tag } = req.state;
          const id = tag === undefined ? undefined : buckets.find(tag);
          if (id !== undefined) buckets.delete(id);
        },
      }),
    )
    .build();

/** Puts back what is missing, without a finalizer: of a Thing that has gone the garbage collector takes it away. */
export const putsBack: AnyHandler = handler(Thing)
  .step(conditions())
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      reads: { config: one(ConfigMap, (thing) => thing.metadata.name) },
      async do(req) {
        if (req.reads.config !== undefined) return;
        const metadata = { name: req.object.metadata.name, ownerReferences: [controllerReference(req.object)] };
        await req.client.apply(ConfigMap, { metadata }, { existing: undefined });
      },
    }),
  )
  .build();
