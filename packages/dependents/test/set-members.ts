/** Builders of members for the tests of sets. */
import { apiVersionOf, type Kind, kind, type Ref, refOf } from "@treadle/apimachinery";
import { defaultId, type Member, memberKey } from "../src/set/plan/member.ts";
import { DEFAULT_POLICIES, type Policies } from "../src/set/policies/policies.ts";

/** A kind that is not built in. */
export const Gadget: Kind = kind({ group: "example.dev", version: "v1", kind: "Gadget" });

/** Returns a member of `key`, `namespace/name` or `name`. */
export function member(
  of: Kind,
  key: string,
  policies: Partial<Policies> = {},
  more: { readonly index?: number; readonly isInstance?: boolean; readonly id?: string } = {},
): Member {
  const ref: Ref = refOf(key);
  return {
    key: memberKey(of, ref),
    kind: of,
    ref,
    desired: { apiVersion: apiVersionOf(of), kind: of.kind, metadata: { ...ref } },
    policies: { ...DEFAULT_POLICIES, ...policies },
    id: more.id ?? defaultId(of, ref, "a"),
    config: {},
    isInstance: more.isInstance ?? false,
    index: more.index ?? 0,
  };
}

/** Returns the members with their positions as indexes. */
export function listed(...members: readonly Member[]): readonly Member[] {
  return members.map((each, index) => ({ ...each, index }));
}
