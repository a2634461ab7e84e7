/** Why a request is handled more than once: it needs the answer of a webhook first. What it keeps from try to try, and the loop. */
import type { Clock } from "@treadle/apimachinery";
import { internalError, type StatusError } from "../errors/status-errors.ts";
import type { JsonObject } from "../internal/json.ts";
import { UnreadError } from "../storage/served-form.ts";
import type { Collection } from "../storage/store.ts";

/** The request waits for webhooks: handle it again when `settled` has resolved. */
export class Suspension extends Error {
  override readonly name = "Suspension";
  readonly settled: Promise<void>;

  constructor(settled: Promise<void>) {
    super("the request waits for webhooks");
    this.settled = settled;
  }
}

/** What a request keeps while it is handled more than once. */
export class Deliberation {
  /** By what was asked. */
  readonly outcomes: Map<string, Outcome> = new Map();
  /** Objects in the version in which they are stored, by what was sent. */
  readonly converted: Map<string, JsonObject> = new Map();
  /** What the first try chose for a new object. */
  uid: string | undefined;
  name: string | undefined;
  nowMs: number | undefined;
}

export interface Outcome {
  readonly warnings: readonly string[];
  readonly denial?: StatusError;
  /** As webhooks changed it; absent where none did. */
  readonly object?: JsonObject;
}

/** Handles a request again and again until no webhook needs to be asked any more. */
export async function deliberate<T>(
  { conversions }: { readonly conversions: { fill(collection: Collection, error: UnreadError): Promise<void> } },
  collection: Collection,
  handle: (deliberation: Deliberation) => Promise<T>,
): Promise<T> {
  const deliberation = new Deliberation();
  for (let tries = 0; ; tries++) {
    try {
      return await handle(deliberation);
    } catch (error) {
      if (!(error instanceof Suspension) && !(error instanceof UnreadError)) throw error;
      if (tries === MAX_TRIES) throw internalError("other writes came between again and again while webhooks were asked");
      if (error instanceof Suspension) await error.settled;
      else await conversions.fill(collection, error);
    }
  }
}

/** Each write takes at most two, unless others come between. */
const MAX_TRIES = 100;

/** The id, the time and the name that a new object keeps while webhooks are asked about it. */
export function chosenFor({ deliberation, parts }: Choosing): Chosen {
  if (deliberation === undefined) return { uid: parts.uid(), nowMs: parts.clock.now() };
  deliberation.uid ??= parts.uid();
  deliberation.nowMs ??= parts.clock.now();
  return { uid: deliberation.uid, nowMs: deliberation.nowMs };
}

interface Choosing {
  readonly deliberation?: Deliberation | undefined;
  readonly parts: { readonly clock: Clock; readonly uid: () => string };
}

interface Chosen {
  readonly uid: string;
  readonly nowMs: number;
}
