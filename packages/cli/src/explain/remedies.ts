/** What to do about the reasons that Treadle sets. */
import { REMEDIES } from "./remedies-data.ts";

/** Returns what to do about a reason of a condition, an entry or an event; nothing for an unknown one. */
export function remedyOf(reason: string): readonly string[] {
  const remedy = Object.hasOwn(REMEDIES, reason) ? REMEDIES[reason] : undefined;
  return remedy === undefined ? [] : [remedy];
}
