/** Reads the short and the long forms of what a step declares. */
import type { Kind } from "@treadle/apimachinery";
import type { Declared } from "../condition.ts";
import type { OwnedKind } from "../reads.ts";

/** A declared condition is a condition type that a step manages. */
export interface DeclaredCondition {
  /** The type of the condition. */
  readonly type: string;
  /** Whether Ready counts it. */
  readonly counts: boolean;
}

/** Reads an entry of `conditions`. @throws TypeError for another form */
export function declaredCondition(where: string, declared: Declared<string>): DeclaredCondition {
  if (typeof declared === "string") return { type: declared, counts: true };
  // build() reports an invalid type, together with all other problems.
  if (declared?.ready === "counts" || declared?.ready === "ignored") return { type: declared.type, counts: declared.ready === "counts" };
  throw new TypeError(`${where}: a condition is declared as "Type" or { type: "Type", ready: "counts" | "ignored" }`);
}

/** Reads an entry of `owns`. @throws TypeError for an unknown `ifNotServed`. `build()` reports a kind that is missing. */
export function declaredOwned(where: string, entry: Kind | OwnedKind | undefined): OwnedKind {
  // The `kind` of a kind is its name.
  if (typeof entry?.kind !== "object") return { kind: entry as Kind };
  const { ifNotServed = "wait" } = entry as OwnedKind;
  if (ifNotServed === "wait" || ifNotServed === "skip") return entry as OwnedKind;
  throw new TypeError(`${where}: owns ${entry.kind.kind} with ifNotServed ${JSON.stringify(ifNotServed)}: use "wait" or "skip"`);
}
