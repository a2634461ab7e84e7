/** The grace period of a component that converges: its clock, and the grade after it. */
import { keyOf } from "@treadle/apimachinery";
import { digestOf, spentMs, tick } from "@treadle/dependents/unstable/step";
import type { Definition } from "./definition.ts";
import { memoryOf } from "./extension.ts";
import { type Findings, type Word, messageOf } from "./findings.ts";
import type { Grade } from "./kinds/kind-record.ts";
import { gradeOf } from "./kinds/state-of.ts";
import type { ComponentReq } from "./open.ts";
import { type ComponentReason, isReadyReason } from "./reasons.ts";

interface Converging {
  readonly words: readonly Word[];
  readonly reason: ComponentReason;
  readonly message: string;
}

/** Returns what the condition reports of a component that converges: its word, or after the grace period its grade. */
export function convergingFor(
  definition: Definition,
  req: ComponentReq,
  given: Converging,
): { readonly reason: ComponentReason; readonly message: string } {
  const { graceMs } = definition;
  const { reason, message } = given;
  if (graceMs === 0) return { reason, message };
  const nowMs = req.now().getTime();
  advance(definition, req, { nowMs, phase: "running" });
  const leftMs = graceMs - (req.state.grace === undefined ? 0 : spentMs(req.state.grace, nowMs));
  if (leftMs > 0) {
    req.revisit(leftMs, `the grace period of component "${definition.name}" ends`);
    return { reason, message };
  }
  const { grade, told } = gradeOfAll(given.words);
  if (grade === "Healthy") {
    warnOnce(definition, req, given);
    return { reason, message };
  }
  return { reason: grade, message: `not ready within ${graceMs / 1000} s: ${messageOf(told)}` };
}

/** Stops the clock: for as long as the component does not converge, or because it is in its expected state. */
export function stopClock(definition: Definition, req: ComponentReq, phase: "standing" | "over"): void {
  if (definition.graceMs > 0 && req.state.grace !== undefined) advance(definition, req, { nowMs: req.now().getTime(), phase });
}

function advance(
  definition: Definition,
  req: ComponentReq,
  { nowMs, phase }: { readonly nowMs: number; readonly phase: "running" | "standing" | "over" },
): void {
  const before = req.state.grace;
  const digests = phase === "running" ? digestsOf(definition, req) : {};
  const after = tick(before, { nowMs, generation: req.object.metadata.generation ?? 0, digests, phase });
  if (after === undefined) delete req.state.grace;
  else if (after !== before) req.state.grace = { ...after, digests: { ...after.digests } };
}

/** Forgets the digests of objects that a resource no longer keeps. After a restart they would not be known. */
export function forgetDigests(definition: Definition, req: ComponentReq, { objects }: Findings): void {
  for (const [name, digests] of memoryOf(definition, req).digests) {
    const kept = objects.filter(({ resource }) => resource.name === name);
    if (kept.length === 0 || kept.length === digests.size) continue;
    const keys = new Set(kept.map(({ target }) => keyOf(target)));
    for (const key of digests.keys()) if (!keys.has(key)) digests.delete(key);
  }
}

/** One short digest for each resource, whatever the number of its objects. */
function digestsOf(definition: Definition, req: ComponentReq): Readonly<Record<string, string>> {
  const { digests } = memoryOf(definition, req);
  return Object.fromEntries([...digests].map(([name, ofObjects]) => [name, digestOf(Object.fromEntries(ofObjects)).slice(0, 12)]));
}

const WORST: readonly Grade[] = ["Down", "Degraded", "Healthy"];

/** The worst grade of the objects that have one, and what the condition reports of it. Without a graded object it is Down. */
function gradeOfAll(words: readonly Word[]): { readonly grade: Grade; readonly told: readonly Word[] } {
  const graded = words.flatMap((word) => {
    const { object, resource, reason } = word;
    if (object?.live === undefined || resource.record.grace === undefined) return [];
    const grade = isReadyReason(reason) ? "Healthy" : (gradeOf(resource.record, object.live) ?? "Healthy");
    return [{ word, grade }];
  });
  const grade = WORST.find((each) => graded.some((one) => one.grade === each));
  const waiting = words.filter(({ reason }) => !isReadyReason(reason));
  if (grade === undefined) return { grade: "Down", told: waiting };
  return { grade, told: graded.filter((one) => one.grade === grade).map(({ word }) => word) };
}

function warnOnce(definition: Definition, req: ComponentReq, { words, reason }: Converging): void {
  const memory = memoryOf(definition, req);
  if (memory.isLogged || definition.options.warnOfGrace === false) return;
  memory.isLogged = true;
  const resources = words.filter((word) => !isReadyReason(word.reason)).map(({ resource }) => resource.name);
  req.log.warn(
    { component: definition.name, reason, resources },
    "the component is not ready after its grace period, but its resources are graded Healthy: set warnOfGrace to false if that is intended",
  );
}
