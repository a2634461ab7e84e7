/** The kinds of which instances of other owners guard the removal of a set. Pure. */
import type { Kind } from "@treadle/apimachinery";
import type { GuardedKind } from "../types.ts";

/** Whether one of `guarded` names `kind`: `*` is every name, and `*.suffix` is every group that ends so. */
export function isGuarded({ group, kind }: Pick<Kind, "group" | "kind">, guarded: readonly GuardedKind[]): boolean {
  return guarded.some((each) => {
    const isGroup = each.group === "*" || each.group === group || (each.group.startsWith("*.") && group.endsWith(each.group.slice(1)));
    return isGroup && (each.kind === "*" || each.kind === kind);
  });
}
