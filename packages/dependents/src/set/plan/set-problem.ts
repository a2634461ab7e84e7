/** A problem of a rendered set, as the checks report it. */
import { keyOf } from "@treadle/apimachinery";
import type { DependentIdentity } from "../../core/entries.ts";
import type { Member } from "./member.ts";

/** What is wrong with a set. */
export interface SetProblem {
  /** The object that has the problem; `undefined`: the set as a whole. */
  readonly member: Member | undefined;
  /** A clause that reads after the name of the object. */
  readonly message: string;
  /** The identity of an object that could not become a member, as far as it is known. */
  readonly identity?: DependentIdentity;
}

/** Returns the problem as a sentence that names the object. */
export function problemText({ member, message }: SetProblem): string {
  return member === undefined || message.startsWith(member.kind.kind) ? message : `${titleOf(member)}: ${message}`;
}

/** Returns a text for an object in messages: kind, namespace and name. */
export function titleOf({ kind, ref }: Pick<Member, "kind" | "ref">): string {
  return `${kind.kind} ${keyOf(ref)}`;
}
