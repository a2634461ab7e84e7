/** The options of dependentApply() beside `target`. */
import { TARGET_READ } from "./targets/pass/target-read.ts";
import type { Target, TargetDefinition } from "./targets/types.ts";
import type { AnyOptions } from "./types.ts";

/** Returns the target of a step; `undefined`: it has none. @throws TypeError for options that have no meaning with a target */
export function targetOf(where: string, options: AnyOptions): TargetDefinition | undefined {
  const { target, reads, ownership, owned, created, finalizer } = options;
  if (target === undefined) return undefined;
  const definition = requireTarget(where, target);
  if (reads !== undefined && TARGET_READ in reads)
    throw new TypeError(`${where}: a read must not be named ${TARGET_READ}: choose another name`);
  if (ownership === "reference")
    throw new TypeError(`${where}: an object in a target cannot refer to its owner: leave out ownership: "reference", or the target`);
  if (owned === false || created === false)
    throw new TypeError(`${where}: an object in a target is found by the label of its owner: leave out owned: false and created: false`);
  if (finalizer === "on-demand")
    throw new TypeError(`${where}: objects in a target are removed by the cleanup: leave out finalizer: "on-demand", or the target`);
  return definition;
}

/** @throws TypeError for a value that is not a target */
export function requireTarget(where: string, target: unknown): TargetDefinition {
  const definition = (target as Partial<Target<never>> | null)?.definition;
  if (definition === undefined) throw new TypeError(`${where}: target must be what clusters.target() returned`);
  return definition;
}
