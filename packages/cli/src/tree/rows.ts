/** The lines of a tree: owners, the object, and what is below it, grouped by the steps that keep it. Plain data. */
import { shown, type ObjectName } from "../cluster/object-name.ts";
import type { Unread } from "../cluster/reader.ts";
import type { Node, Situation } from "../inspect/situation.ts";

/** A tree as `-o json` shows it. `docs/cli/tree.md` documents it. */
export interface ObjectTree {
  readonly object: TreeObject;
  /** The owners of the object, the nearest first. */
  readonly owners: readonly TreeObject[];
  /** What could not be read, so that the tree may be incomplete. */
  readonly unread: readonly Unread[];
}

/** An object in a tree. */
export interface TreeObject {
  readonly object: ObjectName;
  /** How it belongs to the object above: `root`, `owned`, `dependent`, `named` or `mentioned`. */
  readonly relation: string;
  /** The step or component that keeps it, for `dependent`. */
  readonly step?: string;
  /** `Ready`, `Pending`, `Failed` or `Unknown`. */
  readonly health: string;
  readonly reason: string;
  readonly message: string;
  /** When the health last changed; absent if the object does not tell. */
  readonly since?: string;
  readonly children: readonly TreeObject[];
}

/** One line of a tree. */
export interface Row {
  /** Lines of the tree, such as `│  └─ `. */
  readonly prefix: string;
  /** Lines in front of further text of the same row. */
  readonly hanging: string;
  readonly label: string;
  /** Absent for the line of a step. */
  readonly state?: { readonly health: string; readonly reason: string; readonly message: string; readonly since?: string };
}

export function treeOf({ root, owners, unread }: Situation): ObjectTree {
  return { object: objectOf(root), owners: owners.map(objectOf), unread };
}

function objectOf({ name, relation, health, since, children }: Node): TreeObject {
  return {
    object: name,
    relation: relation.type,
    ...(relation.type === "dependent" ? { step: relation.entry.step } : {}),
    health: health.type,
    reason: health.reason,
    message: health.message,
    ...(since === undefined ? {} : { since }),
    children: children.map(objectOf),
  };
}

/** Returns the rows of a tree, from the farthest owner down. */
export function rowsOf({ object, owners }: ObjectTree): readonly Row[] {
  const above = owners
    .toReversed()
    .map((owner): Row => ({ prefix: "", hanging: "", label: `owner ${shown(owner.object)}`, state: stateOf(owner) }));
  return [...above, ...rowsBelow(object, { prefix: "", hanging: "" }, undefined)];
}

interface Lines {
  readonly prefix: string;
  readonly hanging: string;
}

function rowsBelow(object: TreeObject, lines: Lines, namespace: string | undefined): readonly Row[] {
  const groups = groupsOf(object.children);
  const own = object.object.namespace;
  // The namespace is told once, and again where it changes.
  const label = own !== undefined && own === namespace ? `${object.object.kind} ${object.object.name}` : shown(object.object);
  const note = object.relation === "named" || object.relation === "mentioned" ? `${label} (${object.relation})` : label;
  const rows: Row[] = [{ ...lines, label: note, state: stateOf(object) }];
  groups.forEach(({ step, objects }, index) => {
    const isLast = index === groups.length - 1;
    const below = nested(lines, isLast);
    if (step === undefined) {
      objects.forEach((child) => rows.push(...rowsBelow(child, below, own)));
      return;
    }
    rows.push({ ...below, label: `step ${step}` });
    objects.forEach((child, at) => rows.push(...rowsBelow(child, nested(below, at === objects.length - 1), own)));
  });
  return rows;
}

function nested({ hanging }: Lines, isLast: boolean): Lines {
  return { prefix: `${hanging}${isLast ? "└─ " : "├─ "}`, hanging: `${hanging}${isLast ? "   " : "│  "}` };
}

/** Objects of one step are together, in the order of the status. Every other object is a group of its own. */
function groupsOf(
  children: readonly TreeObject[],
): readonly { readonly step: string | undefined; readonly objects: readonly TreeObject[] }[] {
  const steps = new Map<string, TreeObject[]>();
  for (const child of children) if (child.step !== undefined) steps.set(child.step, [...(steps.get(child.step) ?? []), child]);
  const others = children.filter(({ step }) => step === undefined).map((child) => ({ step: undefined, objects: [child] }));
  return [...[...steps].map(([step, objects]) => ({ step, objects })), ...others];
}

function stateOf({ health, reason, message, since }: TreeObject): NonNullable<Row["state"]> {
  return { health, reason, message, ...(since === undefined ? {} : { since }) };
}
