/** The check of `after`: what an object waits for must exist, and must not wait for that object. */
import { groupKindOf } from "@treadle/apimachinery";
import type { Member } from "./member.ts";
import { type ApplyOrder, stageOf } from "./order.ts";
import { type SetProblem, titleOf } from "./set-problem.ts";

/** Returns the problems of `after`: unknown objects, the object itself, circles, and objects that come later. */
export function checkAfter(members: readonly Member[], order: ApplyOrder = "canonical"): readonly SetProblem[] {
  if (members.every(({ policies }) => policies.after.length === 0)) return [];
  const byKey = new Map(members.map((member) => [member.key, member]));
  const problems: SetProblem[] = [];
  const edges = new Map<Member, Member[]>();
  for (const member of byKey.values()) {
    const space = member.ref.namespace === undefined ? undefined : byKey.get(`Namespace ${member.ref.namespace}`);
    edges.set(member, space === undefined ? [] : [space]); // An object waits for its Namespace, too.
    for (const key of member.policies.after) {
      const other = byKey.get(key);
      const message = problemOf(member, { key, other, members, order });
      if (message !== undefined) problems.push({ member, message });
      else if (other !== undefined) edges.get(member)?.push(other);
    }
  }
  return [...problems, ...circlesOf(edges).map((circle) => ({ member: circle[0], message: circleMessage(circle) }))];
}

interface Edge {
  readonly key: string;
  readonly other: Member | undefined;
  readonly members: readonly Member[];
  readonly order: ApplyOrder;
}

function problemOf(member: Member, { key, other, members, order }: Edge): string | undefined {
  if (other === undefined) return `after names ${writtenOf(key)}, ${whyUnknown(key, members)}`;
  if (other === member) return "after names this object itself: remove it from after";
  const [own, theirs] = [member.policies.apply, other.policies.apply];
  if (theirs > own)
    return `after names ${titleOf(other)} of wave ${theirs}, which begins when wave ${own} of this object is ready: set apply (apply-order) of this object to ${theirs} or more`;
  if (order === "canonical" && theirs === own && stageOf(other) > stageOf(member))
    return `after names ${titleOf(other)}, which is applied when the other objects of wave ${own} are ready: set apply (apply-order) of this object to ${own + 1} or more`;
  return undefined;
}

/** The message for a reference names what it could mean. */
function whyUnknown(key: string, members: readonly Member[]): string {
  const [kind, name = ""] = key.split(" ");
  const same = members.filter((member) => groupKindOf(member.kind) === kind && member.ref.name === name.slice(name.indexOf("/") + 1));
  const written = same.map((member) => writtenOf(member.key));
  if (written.length === 0) return "which the set does not render: write Kind.group/name of an object of the set";
  return written.length === 1
    ? `which the set does not render: write ${written[0]}`
    : `which is not one object: write ${written.join(" or ")}`;
}

function writtenOf(key: string): string {
  return key.replace(" ", "/");
}

function circleMessage(circle: readonly Member[]): string {
  const [first] = circle;
  const path = [...circle, ...(first === undefined ? [] : [first])].map(titleOf).join(" -> ");
  return `after makes a circle, in which each object waits for the next: remove one of ${path}`;
}

/** Returns circles of which no two share an object, so that each object of a circle is reported once. Takes time linear in edges for each. */
function circlesOf(edges: ReadonlyMap<Member, readonly Member[]>): readonly (readonly Member[])[] {
  const left = new Map(edges);
  const circles: (readonly Member[])[] = [];
  for (;;) {
    removeFree(left);
    const [start] = left.keys();
    if (start === undefined) return circles;
    const path = new Set<Member>();
    let at: Member | undefined = start;
    // Each object that is left waits for another one that is left.
    while (at !== undefined && !path.has(at)) {
      path.add(at);
      at = left.get(at)?.find((next) => left.has(next));
    }
    const walked = [...path];
    const circle = at === undefined ? walked : walked.slice(walked.indexOf(at));
    const first = circle.reduce((a, b, i) => (b.index < (circle[a]?.index ?? 0) ? i : a), 0);
    circles.push([...circle.slice(first), ...circle.slice(0, first)]);
    for (const member of circle) left.delete(member);
  }
}

/** Removes the objects that wait for no other one that is left, again and again. */
function removeFree(left: Map<Member, readonly Member[]>): void {
  const waiting = new Map<Member, number>();
  const users = new Map<Member, Member[]>();
  for (const [member, targets] of left) {
    const open = targets.filter((target) => left.has(target));
    waiting.set(member, open.length);
    for (const target of open) {
      const known = users.get(target);
      if (known === undefined) users.set(target, [member]);
      else known.push(member);
    }
  }
  const free = [...left.keys()].filter((member) => waiting.get(member) === 0);
  for (let member = free.pop(); member !== undefined; member = free.pop()) {
    left.delete(member);
    for (const user of users.get(member) ?? []) {
      const open = (waiting.get(user) ?? 0) - 1;
      waiting.set(user, open);
      if (open === 0) free.push(user);
    }
  }
}
