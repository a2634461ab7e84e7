/** The references of `after`, as keys of objects of the set. */
import { groupOf } from "@treadle/apimachinery";
import { type Member, memberKey } from "./member.ts";
import type { MemberRef } from "../policies/policies.ts";

/** Returns the key of the object that a reference names, with a namespace only if the reference has one. */
export function keyOfMember(ref: MemberRef): string {
  if (typeof ref === "string") return ref.replace("/", " "); // `Kind.group/namespace/name` has the parts of a key.
  const { name, namespace } = ref.metadata;
  return memberKey({ group: groupOf(ref.apiVersion), kind: ref.kind }, namespace ? { name, namespace } : { name });
}

/**
 * Adds the namespace to references in `after` that name none. It is the default namespace of the set or that of the object itself,
 * whichever has an object of that name. A reference that fits two objects stays as it is, and `checkMembers()` reports it.
 *
 * @param namespace the namespace of objects that name none
 */
export function resolveAfter<M extends Member>(members: readonly M[], namespace: string | undefined): readonly M[] {
  if (members.every(({ policies }) => policies.after.length === 0)) return members;
  const keys = new Set(members.map(({ key }) => key));
  return members.map((member) => {
    const { after } = member.policies;
    if (after.length === 0) return member;
    const near = [namespace, member.ref.namespace].filter((each) => each !== undefined);
    const resolved = after.map((key) => {
      const found = [...new Set(near.map((each) => inNamespace(key, each)))].filter((candidate) => keys.has(candidate));
      return keys.has(key) || key.includes("/") || found.length !== 1 ? key : (found[0] ?? key);
    });
    return { ...member, policies: { ...member.policies, after: [...new Set(resolved)] } };
  });
}

function inNamespace(key: string, namespace: string): string {
  return key.replace(" ", ` ${namespace}/`);
}
