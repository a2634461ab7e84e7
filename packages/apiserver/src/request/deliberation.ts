/** Repeats a request that needs the answer of a webhook. A {@link Deliberation} keeps the answers from try to try. */
import type { Clock } from "@treadle/apimachinery";
import { internalError, type StatusError } from "../errors/status-errors.ts";
import type { JsonObject } from "../internal/json.ts";
import { UnreadError } from "../storage/served-form.ts";
import type { Collection } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";

/** Thrown when a request waits for webhooks. Handle the request again when `settled` has resolved. */
export class Suspension extends Error {
  override readonly name = "Suspension";
  readonly settled: Promise<void>;

  constructor(settled: Promise<void>) {
    super("the request waits for webhooks");
    this.settled = settled;
  }
}

/** An object to store. */
export interface Stored<T = Draft> {
  /** Object in the storage version. */
  readonly stored: T;
  /** The stored object in the version of the request, or the failure of its conversion. The write is done nevertheless. */
  readonly shown: T | StatusError;
}

/** State that a request keeps while it is handled more than once. */
export class Deliberation {
  /** Outcomes of admission, by what the webhooks saw. */
  readonly outcomes: Map<string, Outcome> = new Map();
  /** Objects to store, by what was sent to the conversion webhook. */
  readonly converted: Map<string, Stored<JsonObject>> = new Map();
  /** Objects in the versions of policies, by what was sent to the conversion webhook, or its failure. */
  readonly shown: Map<string, JsonObject | StatusError> = new Map();
  /** Whether webhooks changed the object, which can have unknown fields then. */
  isAmended = false;
  /** Values that the first try chose for a new object. */
  uid: string | undefined;
  name: string | undefined;
  nowMs: number | undefined;
}

export interface Outcome {
  readonly warnings: readonly string[];
  readonly denial?: StatusError;
  /** Object after the mutating webhooks; absent when none changed it. */
  readonly object?: JsonObject;
}

/** Handles a request until no answer of a webhook is missing. */
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

/** Limit of the tries. A write needs at most two, unless other writes come between. */
const MAX_TRIES = 100;

/** Returns the uid, the time and the name of a new object, which stay the same at each try. */
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
