/**
 * The order between the parts of groups. One rule for `build()` and for the pass: a part comes after the parts whose vars it needs
 * and after those that an extension puts before it; a group comes after the groups and steps that one of its parts comes after.
 */
import type { AnyExtension } from "../extension.ts";
import { leavesOf, type StepRuntime } from "./step-runtime.ts";

/** A part order is the order of the parts of all groups of a list. */
export interface PartOrder {
  /** Returns the members of the same group that must have run before `member`. */
  before(member: StepRuntime): readonly StepRuntime[];
  /** Returns the members of the same group that come after `member`; their cleanups run before its cleanup. */
  after(member: StepRuntime): readonly StepRuntime[];
  /** Returns the steps of the same entry of the list that must be done before the `do` of `step`. */
  requiredBy(step: StepRuntime): readonly StepRuntime[];
  /** Returns the steps of the same entry of the list that come after `step` directly, and are cleaned up before it. */
  usersOf(step: StepRuntime): readonly StepRuntime[];
  /** Returns the circles of the order, each with its group. */
  readonly circles: readonly Circle[];
}

/** A circle is a list of members of a group that come after each other, so that none can begin. */
export interface Circle {
  /** The group. */
  readonly group: StepRuntime;
  /** The members on the circle; the first one is repeated at the end. */
  readonly members: readonly StepRuntime[];
}

/** Computes the order of a list of steps. */
export function partOrderOf(list: readonly StepRuntime[]): PartOrder {
  const order = new Order();
  for (const entry of list) if (entry.parts !== undefined) order.addEntry(entry);
  return order;
}

/** A step that another step uses. `done`: it must be done, and not only have run. */
interface Edge {
  readonly to: StepRuntime;
  readonly done: boolean;
}

class Order implements PartOrder {
  readonly circles: Circle[] = [];
  readonly #before = new Map<StepRuntime, readonly StepRuntime[]>();
  readonly #after = new Map<StepRuntime, readonly StepRuntime[]>();
  readonly #required = new Map<StepRuntime, readonly StepRuntime[]>();
  readonly #users = new Map<StepRuntime, StepRuntime[]>();

  before(member: StepRuntime): readonly StepRuntime[] {
    return this.#before.get(member) ?? NONE;
  }

  after(member: StepRuntime): readonly StepRuntime[] {
    return this.#after.get(member) ?? NONE;
  }

  requiredBy(step: StepRuntime): readonly StepRuntime[] {
    return this.#required.get(step) ?? NONE;
  }

  usersOf(step: StepRuntime): readonly StepRuntime[] {
    return this.#users.get(step) ?? NONE;
  }

  addEntry(entry: StepRuntime): void {
    // By name, which is unique in a handler: the run of a single step works on copies of its parts.
    const byName = new Map(leavesOf([entry]).map((leaf) => [leaf.name, leaf]));
    const edges = new Map<StepRuntime, readonly Edge[]>();
    for (const step of nodesOf(entry)) edges.set(step, edgesOf(step, byName));
    for (const [step, found] of edges) {
      const required = found.filter(({ done }) => done).map(({ to }) => to);
      if (required.length > 0) this.#required.set(step, required);
      for (const { to } of found) this.#use(to, step);
    }
    for (const group of nodesOf(entry)) if (group.parts !== undefined) this.#addGroup(group, group.parts.steps, edges);
  }

  #addGroup(group: StepRuntime, members: readonly StepRuntime[], edges: ReadonlyMap<StepRuntime, readonly Edge[]>): void {
    const memberOf = new Map(members.flatMap((member) => nodesOf(member).map((node) => [node, member] as const)));
    for (const member of members) {
      const used = nodesOf(member).flatMap((node) => (edges.get(node) ?? []).map(({ to }) => memberOf.get(to)));
      const before = members.filter((each) => each !== member && used.includes(each));
      if (before.length > 0) this.#before.set(member, before);
    }
    for (const member of members) {
      const after = members.filter((each) => this.before(each).includes(member));
      if (after.length > 0) this.#after.set(member, after);
    }
    if (group.parts?.isList === true) this.#addList(members);
    const circle = findCircle(members, (member) => this.before(member));
    if (circle !== undefined) this.circles.push({ group, members: circle });
  }

  /** Each leaf of a list is cleaned up after those of all later members. */
  #addList(members: readonly StepRuntime[]): void {
    const inOrder = ordered(members, (member) => this.before(member));
    inOrder.forEach((member, i) => {
      const later = leavesOf(inOrder.slice(i + 1));
      for (const leaf of leavesOf([member])) for (const each of later) this.#use(leaf, each);
    });
  }

  #use(used: StepRuntime, user: StepRuntime): void {
    const users = this.#users.get(used) ?? [];
    if (!users.includes(user)) this.#users.set(used, [...users, user]);
  }
}

const NONE: readonly StepRuntime[] = [];

/** Returns the parts in the order in which they run one after the other; parts on a circle are left out. */
function ordered(parts: readonly StepRuntime[], before: (part: StepRuntime) => readonly StepRuntime[]): readonly StepRuntime[] {
  const found: StepRuntime[] = [];
  const canRun = (part: StepRuntime): boolean => !found.includes(part) && before(part).every((each) => found.includes(each));
  for (let next = parts.find(canRun); next !== undefined; next = parts.find(canRun)) found.push(next);
  return found;
}

/** Returns a step and all parts in it. */
export function nodesOf(step: StepRuntime): readonly StepRuntime[] {
  return [step, ...(step.parts?.steps ?? []).flatMap(nodesOf)];
}

/** What a step uses of the other steps of its entry. The value of a step with `gives` may be there although it is not done. */
function edgesOf(step: StepRuntime, byName: ReadonlyMap<string, StepRuntime>): readonly Edge[] {
  const edges = new Map<StepRuntime, boolean>();
  const add = (used: StepRuntime | undefined, done: (leaf: StepRuntime) => boolean): void => {
    for (const { name } of used === undefined ? [] : leavesOf([used])) {
      const to = byName.get(name);
      if (to !== undefined && to !== step) edges.set(to, (edges.get(to) ?? false) || done(to));
    }
  };
  for (const needed of step.needs) add(needed, ({ gives }) => gives === undefined && !step.optionalNeeds.has(needed));
  for (const { extension, data } of step.uses.values()) {
    // Only defineExtension() makes a use.
    const { order } = extension as AnyExtension;
    for (const used of order?.before({ name: step.name, data, step }) ?? []) add(used, () => true);
  }
  return [...edges].map(([to, done]) => ({ to, done }));
}

/** Returns the parts on a circle of the order, the first one repeated at the end; `undefined` if there is no circle. */
function findCircle(
  parts: readonly StepRuntime[],
  before: (part: StepRuntime) => readonly StepRuntime[],
): readonly StepRuntime[] | undefined {
  const known = new Set<StepRuntime>();
  const visit = (part: StepRuntime, path: readonly StepRuntime[]): readonly StepRuntime[] | undefined => {
    const start = path.indexOf(part);
    if (start >= 0) return [...path.slice(start), part];
    if (known.has(part)) return undefined;
    known.add(part);
    for (const each of before(part)) {
      const circle = visit(each, [...path, part]);
      if (circle !== undefined) return circle;
    }
    return undefined;
  };
  for (const part of parts) {
    const circle = visit(part, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
