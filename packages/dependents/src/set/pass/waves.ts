/**
 * Applies the objects of a plan in their order.
 *
 * - A position is a wave and a stage of it. It begins when all objects before it are ready. A position that began once for a plan is
 *   kept in every pass, so drift is reverted while an earlier object is not ready.
 * - Inside a position the ranks are written one after the other, and ten objects of a rank at once. With the order "given" each object is
 *   a rank, and the objects of a wave share the time that otherwise a rank has.
 * - At the end of a wave the objects that are due are purged, and the next wave begins when they no longer exist.
 */
import { runForEach } from "../../each-object.ts";
import { convergeMember, deleteCompleted, failed, waiting } from "./converge-member.ts";
import { isDone, notePurged } from "./done.ts";
import { sets, WAVE_SECONDS } from "../extension.ts";
import { type Given, holdsUp, type Outcome } from "./outcome.ts";
import { purgeWaveOf } from "../plan/order.ts";
import type { PlannedMember } from "../plan/plan.ts";
import type { Run, SetDoReq } from "./run.ts";

/** So many objects of a rank are written at once. */
const AT_ONCE = 10;

/** The outcomes of the objects of a plan. */
export interface Waves {
  /** In the order of the members. */
  readonly outcomes: readonly Outcome[];
  /** Whether every object that the set waits for is ready or completed. */
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
    const beganAtMs = run.definition.order === "given" ? run.pass.clock.now() : undefined;
    const work = { given, found, beganAtMs, isOver: false };
    for (const rank of position.ranks) await runRank(run, rank, work);
    await runHeld(run, members, work);
    blockedBy ??= members.map(({ key }) => found.get(key) as Outcome).find(holdsUp); // One outcome for each.
    const isEndOfWave = plan.positions[i + 1]?.wave !== position.wave;
    if (isEndOfWave && blockedBy === undefined) blockedBy = await endWave(run, { given, found, wave });
    // A dry run creates nothing that could become ready: it goes on to report all objects.
    if (run.req.isDryRun) blockedBy = undefined;
  }
  const outcomes = plan.members.map(({ key }) => found.get(key) as Outcome);
  return { outcomes, isComplete: blockedBy === undefined && !outcomes.some(holdsUp), wave };
}

interface Work {
  readonly given: Given;
  /** The outcomes so far, by key. */
  readonly found: Map<string, Outcome>;
}

/** The objects of a position while they are applied. */
interface PositionWork extends Work {
  /** When the position began, if its ranks share one limit of time. */
  readonly beganAtMs: number | undefined;
  /** A rank had no time for all of its objects: the phase may end before another rank does. */
  isOver: boolean;
}

async function runRank(run: Run<SetDoReq>, rank: readonly PlannedMember[], work: PositionWork): Promise<void> {
  const { given, found, beganAtMs } = work;
  const ready: PlannedMember[] = [];
  for (const member of rank) {
    const other = waitsFor(run, member, work);
    if (other !== undefined) found.set(member.key, held(run, member, other));
    else if (work.isOver) found.set(member.key, queued(run, member));
    else ready.push(member);
  }
  const { phaseTimeoutMs: timeoutMs } = run.definition.options;
  const limits = { signal: run.req.signal, clock: run.pass.clock, atOnce: AT_ONCE, timeoutMs, beganAtMs };
  const runs = await runForEach(limits, ready, (member) => {
    run.memory.begun.add(member.key);
    return convergeMember(run, member, given);
  });
  for (const [i, each] of runs.entries()) {
    const member = ready[i] as PlannedMember; // One run for each.
    if (each.type === "done") found.set(member.key, each.result);
    else if (each.type === "failed") found.set(member.key, failed(run, member, each.error));
    else found.set(member.key, queued(run, member));
    work.isOver ||= each.type === "left";
  }
}

/** The reason of an object for which the pass had no time. */
const QUEUED = "Queued";

function queued(run: Run, member: PlannedMember): Outcome {
  return { ...waiting(run, member, { reason: QUEUED, message: "it is applied in a later pass" }), again: 0 };
}

/** Objects that wait for others of their position are applied in the same pass, when those are ready. */
async function runHeld(run: Run<SetDoReq>, members: readonly PlannedMember[], work: PositionWork): Promise<void> {
  for (;;) {
    const free = members.filter(
      (member) => work.found.get(member.key)?.state.reason === WAITS_FOR_OBJECT && waitsFor(run, member, work) === undefined,
    );
    if (free.length === 0) return;
    for (const rank of run.definition.order === "given" ? free.map((member) => [member]) : [free]) await runRank(run, rank, work);
  }
}

/** The reason of an object that waits for another one of its wave. */
const WAITS_FOR_OBJECT = "WaitingForObject";

/** The object that `member` waits for; `undefined`: it waits for none, or it began in an earlier pass. */
function waitsFor(
  { memory, req }: Run<SetDoReq>,
  { policies, key, ref }: PlannedMember,
  { given, found }: Pick<Work, "given" | "found">,
): string | undefined {
  if (req.isDryRun || memory.begun.has(key)) return undefined;
  // Without its Namespace the server would refuse the object, and hide the reason.
  const space = `Namespace ${ref.namespace}`;
  if (ref.namespace !== undefined && given.plan.byKey.has(space) && found.get(space)?.isReady !== true) return space;
  return policies.after.find((other) => {
    const outcome = found.get(other);
    return outcome === undefined || holdsUp(outcome);
  });
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
      if (holdsUp(outcome)) left ??= outcome;
    } catch (error) {
      const outcome = failed(run, member, error);
      found.set(member.key, outcome);
      if (holdsUp(outcome)) left ??= outcome;
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
