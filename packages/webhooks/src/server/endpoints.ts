/** The endpoints of webhooks: their paths, with the limits of bodies. */
import type { TurnBudget } from "@treadle/apimachinery";
import { answerOf } from "../answer.ts";
import type { CallEnv } from "../call.ts";
import type { AnyWebhooks } from "../definition.ts";
import { pathsOf } from "../paths.ts";
import type { Endpoint } from "./listener.ts";
import { ByteBudget } from "./request-body.ts";
import { watched, type Watcher } from "./watched.ts";

/** The limit of an admission review, in bytes: an object has at most 3 MiB, and a review contains two. */
const MAX_ADMISSION_BYTES = 8 * 2 ** 20;

/** What endpoints need. */
export interface EndpointsOptions {
  readonly watcher: Watcher;
  /** Makes what the functions of authors get in one review. */
  readonly callEnv: (webhooks: AnyWebhooks, signal: AbortSignal, timeoutMs?: number) => CallEnv;
  /** How much one turn of the event loop converts. */
  readonly turns: TurnBudget;
  readonly maxConversionBytes: number;
  readonly maxBytes: number;
}

/** Returns the endpoints by path. */
export function endpointsOf(webhooks: readonly AnyWebhooks[], options: EndpointsOptions): ReadonlyMap<string, Endpoint> {
  const { watcher, callEnv, turns, maxConversionBytes, maxBytes } = options;
  const budget = new ByteBudget(maxBytes);
  // Large conversions must not keep admission reviews from an answer.
  const conversions = new ByteBudget(Math.max(maxConversionBytes, maxBytes - 8 * MAX_ADMISSION_BYTES), budget);
  const admission = { maxBytes: MAX_ADMISSION_BYTES, budget, isList: false };
  const conversion = { maxBytes: maxConversionBytes, option: "maxConversionBytes", budget: conversions, isList: true };
  return new Map(
    webhooks.flatMap((each) => {
      const called = watched(each, watcher);
      return Array.from(pathsOf(each), ([path, type]): [string, Endpoint] => {
        const answer = answerOf(called, type, turns);
        return [
          path,
          {
            body: type === "convert" ? conversion : admission,
            answer: (review, signal, timeoutMs) => answer(review, callEnv(each, signal, timeoutMs)),
          },
        ];
      });
    }),
  );
}
