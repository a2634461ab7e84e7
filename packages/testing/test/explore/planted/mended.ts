/** What the operators beside it should have been: a record before the deed, and a look for what it may have done already. */
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
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
        state: z.object({ tag: z.string().optional() }),
        async do(req) {
          if (req.status.id !== undefined) return;
          const { name, uid } = req.object.metadata;
          await req.holdFinalizer();
          req.state.tag ??= uid ?? name;
          await req.checkpoint();
          req.status.id = buckets.find(req.state.tag) ?? buckets.create(name, req.state.tag);
        },
        cleanup(req) {
          const { tag } = req.state;
          const id = tag === undefined ? undefined : buckets.find(tag);
          if (id !== undefined) buckets.delete(id);
        },
      }),
    )
    .build();
