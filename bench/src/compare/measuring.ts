/** The parts of a comparison. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { noFindings } from "../findings.ts";
import { install } from "../install.ts";
import type { Measured } from "../measures.ts";
import { Widget } from "../operators/kinds.ts";
import { buildCheckout } from "../peers.ts";
import { Plan } from "../plan.ts";
import { onServer } from "../server.ts";
import type { Checkout } from "./checkouts.ts";
import { inPairs, type PairsOptions } from "./in-pairs.ts";
import { startMemorySite } from "./memory-site.ts";
import { type Pairs, type Side, SIDES } from "./verdict.ts";
import { measureWidgets, sourcePeer } from "./widgets.ts";

export interface Work extends PairsOptions {
  readonly checkouts: Readonly<Record<Side, Checkout>>;
  readonly widgets: number;
  readonly signal: AbortSignal;
  readonly interrupted: Promise<never>;
}

/** The old commit does not run, so there is nothing to compare with. */
export class OldDoesNotRun extends Error {
  override readonly name = "OldDoesNotRun";
}

/** Measures the processor time for each Widget before the in-memory server. @throws OldDoesNotRun, from a short run before the others */
export async function widgetPairs(work: Work): Promise<Pairs> {
  await using site = await startMemorySite();
  const measure = async (): Promise<Pairs> => {
    await install(site.client, Widget);
    const peers = {
      old: sourcePeer("old", work.checkouts.old.dir, site),
      new: sourcePeer("new", work.checkouts.new.dir, site),
    };
    await measureWidgets(peers.old, site, 20).catch((cause: unknown) => {
      throw new OldDoesNotRun("the operator of the old commit failed", { cause });
    });
    return await inPairs(work, (side) => measureWidgets(peers[side], site, work.widgets));
  };
  return await Promise.race([measure(), work.interrupted]);
}

/** Measures passes that change nothing, each side in a process without a server. */
export async function passPairs(work: Work): Promise<Pairs> {
  const program = join(import.meta.dirname, "..", "pass-costs.ts");
  return await inPairs(work, async (side) => {
    const args = ["--conditions=@treadle/source", program, work.checkouts[side].dir];
    const { stdout } = await promisify(execFile)(process.execPath, args, { signal: work.signal });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured;
  });
}

/** Measures the operators of both commits before a real control plane. @throws when a part could not be built or measured */
export async function planePairs({ checkouts, rounds, widgets, log, interrupted }: Work): Promise<Pairs> {
  const findings = noFindings();
  const builds = new Map(SIDES.map((side) => [side, async () => buildCheckout(side, checkouts[side].dir)]));
  await onServer({ builds, failures: findings.failures, log, interrupted }, async ({ peers, ...site }) => {
    await install(site.client, Widget);
    const sizes = { widgets, blobs: 0, changes: 2 * widgets, changesSeconds: 20, warmUpSeconds: 10, concurrency: 5, restMs: 1_000 };
    const plan = new Plan(peers, { ...site, ...sizes }, findings, log);
    await plan.run({ loop: 0, short: rounds, changes: Math.min(3, rounds), sync: 0 }, () => false);
  });
  if (findings.failures.length > 0) throw new Error(`not measured: ${findings.failures.join("; ")}`);
  const bySide = (side: Side): Measured[] =>
    Array.from({ length: rounds }, (_, round) =>
      Object.fromEntries(
        Object.entries(findings.measured[side] ?? {}).flatMap(([name, values]) => {
          const value = values[round];
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    );
  return { old: bySide("old"), new: bySide("new") };
}
