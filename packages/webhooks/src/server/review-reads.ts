/** The values of declared reads for the object of a review: from the caches, by the code that reads for steps. */
import { groupKindOf } from "@treadle/apimachinery";
import type { RunnableEnv } from "@treadle/controller";
import { resolveReads } from "@treadle/reconcile/unstable/engine";
import type { CallEnv } from "../call.ts";
import type { AnyWebhooks } from "../definition.ts";

/** Returns the function that reads for these webhooks. It waits until the caches have synced, or the signal is aborted. */
export function reviewReads({ kind, reads }: Pick<AnyWebhooks, "kind" | "reads">, env: RunnableEnv): CallEnv["read"] {
  return async (object, signal) => {
    await env.synced(signal);
    const { client, cache, log } = env;
    const where = `the webhook of ${groupKindOf(kind)}`;
    const [isServed, refusalOf] = [env.isServed.bind(env), env.refusalOf.bind(env)];
    return await resolveReads(reads, object, { where, client, cache, log, signal, isServed, refusalOf });
  };
}
