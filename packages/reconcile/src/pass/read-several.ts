/** Reads a list of objects: what is known at once, the others from the server, a few at a time. */
import type { Ref } from "@treadle/apimachinery";

/** The number of requests at once: other steps and objects share the client. */
const REQUESTS_AT_ONCE = 10;

interface Reader {
  /** Returns the object without a request; `undefined`: a request is needed. */
  known(ref: Ref): { readonly value: unknown } | undefined;
  /** Returns the object. @throws the error of the server */
  get(ref: Ref): unknown;
}

/** Returns the objects in the order of `refs`; a promise only if requests are needed. @throws the first error of a request */
export function readSeveral(
  refs: readonly Ref[],
  signal: AbortSignal,
  { known, get }: Reader,
): readonly unknown[] | Promise<readonly unknown[]> {
  const values: unknown[] = [];
  const open: number[] = [];
  refs.forEach((ref, i) => {
    const found = known(ref);
    values.push(found?.value);
    if (found === undefined) open.push(i);
  });
  if (open.length === 0) return Object.freeze(values);
  // The workers take their next piece from one iterator.
  const rest = open.values();
  const work = async (): Promise<void> => {
    for (const i of rest) {
      signal.throwIfAborted();
      values[i] = await get(refs[i] as Ref); // `open` holds indexes of `refs`.
    }
  };
  return Promise.all(Array.from({ length: Math.min(REQUESTS_AT_ONCE, open.length) }, work)).then(() => Object.freeze(values));
}
