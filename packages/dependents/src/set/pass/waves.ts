/**
 * Applies the objects of a plan in their order.
 *
 * - A position is a wave and a stage of it. It begins when all objects before it are ready. A position that began once for a plan is
 *   kept in every pass, so drift is reverted while an earlier object is not ready.
 * - Inside a position the ranks are written one after the other, and ten objects of a rank at once.
 * - At the end of a wave the objects that are due are purged, and the next wave begins when they no longer exist.
 */
import { runForEach } from "../../each-object.ts";
import { convergeMember, deleteCompleted, failed, type Given, waiting } from "./converge-member.ts";
import { isDone, notePurged } from "./done.ts";
import { sets, WAVE_SECONDS } from "../extension.ts";
import type { Outcome } from "./outcome.ts";
import { purgeWaveOf } from "../plan/order.ts";
import type { PlannedMember } from "../plan/plan.ts";
import type { Run, SetDoReq } from "./run.ts";

/** So many objects of a rank are written at once. */
const AT_ONCE = 10;

/** The outcomes of the objects of a plan. */
export interface Waves {
  /** In the order of the members. */
  readonly outcomes: readonly Outcome[];
  /** Whether every object is ready or completed. */
  readonly isComplete: boolean;
  /** The last wave that began. */
  readonly wave: number;
}

/** Applies the objects of a plan. Never rejects: errors are in the outcomes. */
export async function runWaves(run: Run<SetDoReq>, given: Given): Promise<Waves> {
  const { memory } = run;
  const { plan } = given;
  const found = new Map<string, Outcome>();
  let blockedBy: Outcome | undefined;
  let wave = plan.positions[0]?.wave ?? 0;
  for (const [i, position] of plan.positions.entries()) {
    const members = position.ranks.flat();
    if (blockedBy !== undefined && i >= memory.reached) {
      for (const member of members) found.set(member.key, later(run, member, blockedBy));
      continue;
    }
    memory.reached = Math.max(memory.reached, i + 1);
    wave = position.wave;
    if (!memory.waves.has(wave)) memory.waves.set(wave, run.pass.clock.now());
    for (const rank of position.ranks) await runRank(run, rank, { given, found });
    await runHeld(run, members, { given, found });
    blockedBy ??= members.map(({ key }) => found.get(key) as Outcome).find(({ isReady }) => !isReady); // One outcome for each.
    const isEndOfWave = plan.positions[i + 1]?.wave !== position.wave;
    if (isEndOfWave && blockedBy === undefined) blockedBy = await endWave(run, { given, found, wave });
    // A dry run creates nothing that could become ready: it goes on to report all objects.
    if (run.req.isDryRun) blockedBy = undefined;
  }
  const outcomes = plan.members.map(({ key }) => found.get(key) as Outcome);
  return { outcomes, isComplete: blockedBy === undefined && outcomes.every(({ isReady }) => isReady), wave };
}

interface Work {
  readonly given: Given;
  /** The outcomes so far, by key. */
  readonly found: Map<string, Outcome>;
}

async function runRank(run: Run<SetDoReq>, rank: readonly PlannedMember[], { given, found }: Work): Promise<void> {
  const ready: PlannedMember[] = [];
  // After a rank that had no time for all of its objects, the phase may end before another rank does.
  const isOver = [...found.values()].some(({ state }) => state.reason === QUEUED);
  for (const member of rank) {
    const other = waitsFor(run, member, found);
    if (other !== undefined) found.set(member.key, held(run, member, other));
    else if (isOver) found.set(member.key, queued(run, member));
    else ready.push(member);
  }
  const limits = { signal: run.req.signal, clock: run.pass.clock, atOnce: AT_ONCE, timeoutMs: run.definition.options.phaseTimeoutMs };
  const runs = await runForEach(limits, ready, (member) => {
    run.memory.begun.add(member.key);
    return convergeMember(run, member, given);
  });
  for (const [i, each] of runs.entries()) {
    const member = ready[i] as PlannedMember; // One run for each.
    if (each.type === "done") found.set(member.key, each.result);
    else if (each.type === "failed") found.set(member.key, failed(run, member, each.error));
    else found.set(member.key, queued(run, member));
  }
}

/** The reason of an object for which the pass had no time. */
const QUEUED = "Queued";

function queued(run: Run, member: PlannedMember): Outcome {
  return { ...waiting(run, member, { reason: QUEUED, message: "it is applied in a later pass" }), again: 0 };
}

/** Objects that wait for others of their position are applied in the same pass, when those are ready. */
async function runHeld(run: Run<SetDoReq>, members: readonly PlannedMember[], work: Work): Promise<void> {
  for (;;) {
    const free = members.filter(
      (member) => work.found.get(member.key)?.state.reason === WAITS_FOR_OBJECT && waitsFor(run, member, work.found) === undefined,
    );
    if (free.length === 0) return;
    await runRank(run, free, work);
  }
}

/** The reason of an object that waits for another one of its wave. */
const WAITS_FOR_OBJECT = "WaitingForObject";

/** The object that `member` waits for; `undefined`: it waits for none, or it began in an earlier pass. */
function waitsFor(
  { memory, req }: Run<SetDoReq>,
  { policies, key, ref }: PlannedMember,
  found: ReadonlyMap<string, Outcome>,
): string | undefined {
  if (req.isDryRun || memory.begun.has(key)) return undefined;
  // Its Namespace has an earlier rank. Without it the server would refuse the object, and hide the reason.
  const space = `Namespace ${ref.namespace}`;
  if (ref.namespace !== undefined && found.get(space)?.isReady === false) return space;
  return policies.after.find((other) => found.get(other)?.isReady !== true);
}

function held(run: Run, member: PlannedMember, other: string): Outcome {
  return waiting(run, member, { reason: WAITS_FOR_OBJECT, message: `waits for ${other}` });
}

function later(run: Run, member: PlannedMember, { member: { key, policies } }: Outcome): Outcome {
  return waiting(run, member, { reason: "WaitingForWave", message: `waits for wave ${policies.apply}: ${key} is not ready` });
}

/** Purges the objects that are due at the end of a wave. Returns an object whose deletion takes time, or failed. */
async function endWave(run: Run<SetDoReq>, { given, found, wave }: Work & { readonly wave: number }): Promise<Outcome | undefined> {
  noteWave(run, wave);
  const { req } = run;
  const waves = given.plan.positions.map((position) => position.wave);
  const due = given.plan.members.filter(({ policies }) => (purgeWaveOf(policies, waves) ?? Number.POSITIVE_INFINITY) <= wave);
  const there = due.flatMap((member) => {
    const { live, phase } = found.get(member.key) ?? {};
    return live === undefined || phase === "Completed" ? [] : [{ member, live }];
  });
  if (there.length === 0) return undefined;
  const isNew = there.filter(({ member, live }) => !isDone(run, member, live));
  for (const { member } of isNew) notePurged(run, member);
  try {
    // Stored before the delete: after a crash the object is not created again.
    if (isNew.length > 0 && !req.isDryRun) await req.checkpoint();
  } catch (error) {
    return failed(run, there[0]?.member as PlannedMember, error); // There is at least one.
  }
  let left: Outcome | undefined;
  for (const { member, live } of there) {
    try {
      const outcome = await deleteCompleted(run, member, live);
      found.set(member.key, outcome);
      if (!outcome.isReady) left ??= outcome;
    } catch (error) {
      const outcome = failed(run, member, error);
      found.set(member.key, outcome);
      left ??= outcome;
    }
  }
  return left;
}

/** Measures a wave that was not ready before. */
function noteWave({ req, pass, memory, definition }: Run<SetDoReq>, wave: number): void {
  const beganAtMs = memory.waves.get(wave);
  if (beganAtMs === undefined || beganAtMs === Number.POSITIVE_INFINITY) return;
  memory.waves.set(wave, Number.POSITIVE_INFINITY);
  sets.of(req).observe(WAVE_SECONDS.name, { set: definition.name }, (pass.clock.now() - beganAtMs) / 1000);
}
