/** Finds an error among the causes of another one: renderers that call others wrap their errors. */

/** Maximum depth of causes: an error may be its own cause. */
const MAX_DEPTH = 8;

/** Returns the error, or the first of its causes, that `is` accepts. */
export function causeIn<E>(error: unknown, is: (each: unknown) => each is E): E | undefined {
  let each = error;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (is(each)) return each;
    if (!(each instanceof Error)) return undefined;
    each = each.cause;
  }
  return undefined;
}
