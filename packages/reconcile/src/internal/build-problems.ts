/** Everything that can be wrong with a pipeline, found before the first pass; each problem says how to mend it. */
import { groupKindOf, isConditionReason, isDns1123Subdomain } from "@treadle/apimachinery";
import type { z } from "zod";
import type { Draft } from "../handler.ts";
import { MAX_NAME_LENGTH } from "./names.ts";
import { isAnyKind, type StepRuntime } from "./step-runtime.ts";

/** The problems of a pipeline, in the order in which a reader meets their causes. */
export function findProblems(draft: Draft, leaves: readonly StepRuntime[], name: string): string[] {
  return [
    ...handlerProblems(draft, name),
    ...nameProblems(draft.steps),
    ...kindProblems(draft, leaves),
    ...orderProblems(draft.steps),
    ...conditionProblems(leaves),
    ...stateProblems(draft, leaves),
    ...leaves.flatMap(declarationProblems),
  ];
}

function handlerProblems({ kind, options, steps }: Draft, name: string): string[] {
  const problems: string[] = [];
  if (isAnyKind(kind)) problems.push("anyKind() is for steps: give handler() the kind that it reconciles");
  if (steps.length === 0) problems.push("it has no steps: add one with .step(...)");
  if (name.length > MAX_NAME_LENGTH)
    problems.push(`its name has ${name.length} characters: use at most ${MAX_NAME_LENGTH}, the limit of a finalizer's name`);
  else if (!isDns1123Subdomain(name)) problems.push(`its name "${name}" is no DNS name: use lower case letters, digits, "-" and "."`);
  for (const [key, value] of Object.entries(options.deadlines ?? {})) {
    if (!isTime(value)) problems.push(`deadlines.${key} is ${String(value)}: give milliseconds above 0`);
  }
  return problems;
}

function nameProblems(steps: readonly StepRuntime[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const visit = (step: StepRuntime): void => {
    if (seen.has(step.name)) problems.push(`two steps are named "${step.name}": rename one of them`);
    seen.add(step.name);
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(step.name) || step.name.length > MAX_NAME_LENGTH) {
      problems.push(`step "${step.name}": a name is made of lower case letters, digits and "-", ${MAX_NAME_LENGTH} characters at most`);
    }
    if (step.children?.length === 0) problems.push(`all("${step.name}") has no parts: give it steps, or leave it out`);
    step.children?.forEach(visit);
  };
  steps.forEach(visit);
  return problems;
}

function kindProblems({ kind }: Draft, leaves: readonly StepRuntime[]): string[] {
  return leaves
    .filter((step) => !isAnyKind(step.kind) && groupKindOf(step.kind) !== groupKindOf(kind))
    .map(
      (step) =>
        `step "${step.name}" is for ${groupKindOf(step.kind)}, this handler for ${groupKindOf(kind)}: make the step for this kind, or for anyKind<Shape>()`,
    );
}

function orderProblems(steps: readonly StepRuntime[]): string[] {
  const problems: string[] = [];
  const before = new Set<StepRuntime>();
  const all = new Set(steps);
  const check = (step: StepRuntime): void => {
    for (const needed of step.needs) {
      if (before.has(needed)) continue;
      problems.push(
        all.has(needed)
          ? `step "${step.name}" needs "${needed.name}", which stands after it: place "${needed.name}" before "${step.name}"`
          : `step "${step.name}" needs "${needed.name}", which is not in the list: add it before "${step.name}", outside any all()`,
      );
    }
    step.children?.forEach(check);
  };
  for (const step of steps) {
    check(step);
    before.add(step);
  }
  return problems;
}

function conditionProblems(leaves: readonly StepRuntime[]): string[] {
  const problems: string[] = [];
  const switches = leaves.filter((step) => step.conditionsOptions !== undefined);
  const owners = new Map<string, StepRuntime>();
  for (const step of leaves) {
    for (const { type } of step.conditions) {
      const owner = owners.get(type);
      if (owner !== undefined)
        problems.push(`condition "${type}" is declared by "${owner.name}" and by "${step.name}": give one of them a condition of its own`);
      owners.set(type, owner ?? step);
      if (!isConditionReason(type)) problems.push(`step "${step.name}": "${type}" is no condition type: use CamelCase letters and digits`);
    }
  }
  if (owners.size > 0 && switches.length === 0) {
    const [type, step] = [...owners][0] as [string, StepRuntime];
    problems.push(`step "${step.name}" declares the condition "${type}", but nothing keeps conditions: add .step(conditions())`);
  }
  if (switches.length > 1) problems.push("conditions() stands in the list twice: remove one");
  const ready = owners.get("Ready");
  if (ready !== undefined && switches[0]?.conditionsOptions?.ready === false) {
    problems.push(
      `step "${ready.name}" owns Ready, but conditions({ ready: false }) leaves Ready to another handler: remove one of the two`,
    );
  }
  return problems;
}

function stateProblems({ kind }: Draft, leaves: readonly StepRuntime[]): string[] {
  return leaves.flatMap((step) => {
    if (step.state === undefined) return [];
    const problems: string[] = [];
    if (kind.resource !== undefined && !kind.resource.stepState) {
      problems.push(`step "${step.name}" has state, but ${kind.kind} has no room for it: add stepState: true to its defineResource()`);
    }
    const empty = step.state.safeParse({});
    if (!empty.success) {
      problems.push(
        `step "${step.name}": the first pass starts from {}, which its state schema refuses: give every key .default() or .optional()`,
      );
    }
    for (const path of nullablePaths(step.state, "")) {
      problems.push(
        `step "${step.name}": state ${path} may be null, which a merge patch cannot store: use .optional() instead of .nullable()`,
      );
    }
    return problems;
  });
}

function declarationProblems(step: StepRuntime): string[] {
  const problems: string[] = [];
  const where = `step "${step.name}"`;
  if (step.finalizer === "on-demand" && step.cleanup === undefined) {
    problems.push(`${where}: finalizer "on-demand" without cleanup: add a cleanup, or leave finalizer out`);
  }
  if (step.finalizer !== "on-demand" && step.finalizer !== "before-do")
    problems.push(`${where}: finalizer is "before-do" or "on-demand", not "${String(step.finalizer)}"`);
  if (step.timeoutMs !== undefined && !isTime(step.timeoutMs))
    problems.push(`${where}: timeoutMs is ${String(step.timeoutMs)}: give milliseconds above 0`);
  for (const written of step.writes) {
    if (!["labels", "annotations", "spec"].includes(written))
      problems.push(`${where}: writes "${String(written)}": only "labels", "annotations" and "spec" can be written`);
  }
  for (const [name, read] of Object.entries(step.reads)) {
    if (read?.type !== "one" && read?.type !== "many") problems.push(`${where}: reads.${name} is not made by one() or many()`);
    else if (isAnyKind(read.kind)) problems.push(`${where}: reads.${name} is of anyKind(): name the kind that it reads`);
  }
  return problems;
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY;
}

/** Where a schema accepts null outside arrays (arrays are stored whole, so null survives there). */
function nullablePaths(schema: z.ZodType, path: string): string[] {
  // zod 4 describes every schema by `def`; the kinds of wrapper that hide an inner type all keep it in `innerType`.
  const def = schema.def as {
    type: string;
    innerType?: z.ZodType;
    shape?: Record<string, z.ZodType>;
    valueType?: z.ZodType;
    options?: z.ZodType[];
  };
  if (def.type === "nullable" || def.type === "null") return [path === "" ? "itself" : path];
  if (def.innerType !== undefined) return nullablePaths(def.innerType, path);
  if (def.shape !== undefined)
    return Object.entries(def.shape).flatMap(([key, inner]) => nullablePaths(inner, path === "" ? key : `${path}.${key}`));
  if (def.valueType !== undefined) return nullablePaths(def.valueType, `${path}.*`);
  return (def.options ?? []).flatMap((option) => nullablePaths(option, path));
}
