/** Late initialisation: empty fields of the spec get what the provider chose, once. */
import { askFields, type ManagedReq, type Run } from "./run.ts";

/**
 * Fills empty fields of the spec, and returns whether it filled one. A change of the spec ends the chain, and its generation starts
 * the next pass. A field that was filled once is not filled again, so a user can remove it.
 */
export function lateInitialize(run: Run<ManagedReq>, seen: object): boolean {
  const { req, definition, state, args, object } = run;
  const { options } = definition;
  const values = askFields(run, "lateInitialize", () => options.lateInitialize?.(seen, args as never) ?? {});
  const spec = (object as { readonly spec?: Readonly<Record<string, unknown>> }).spec ?? {};
  const filled = new Set(state.filled ?? []);
  const fresh = Object.entries(values).filter(
    ([field, value]) => value !== undefined && value !== null && spec[field] === undefined && !filled.has(field),
  );
  if (fresh.length === 0 || req.spec === undefined) return false;
  for (const [field, value] of fresh) req.spec[field] = value;
  state.filled = [...filled, ...fresh.map(([field]) => field)].toSorted();
  return true;
}
