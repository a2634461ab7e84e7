/**
 * Keeps V8's young generation at the size that it has reached when a manager starts, mostly 16 MB for each half. Without it the
 * halves double while many objects are written, up to 64 MB each, and stay so: 80 to 130 MB of resident memory that make no
 * operator faster (docs/benchmarks.md, Causes).
 *
 * Assumption: V8 reads the factor by which it grows the halves each time it grows them. With a V8 that does not, nothing changes.
 * Not for processes whose owner gives a size: V8's flags for it, by the command line or NODE_OPTIONS, are obeyed.
 */
import { setFlagsFromString } from "node:v8";

/** Where a process may get flags of V8 from. */
export interface FlagSources {
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Stops the growth of the young generation, unless the owner of the process decides about its size. Idempotent. */
export function keepYoungSpace(
  { execArgv, env }: FlagSources = process,
  setFlags: (flags: string) => void = (flags) => setFlagsFromString(flags),
): void {
  if ([env["NODE_OPTIONS"] ?? "", ...execArgv].some((text) => SEMI_SPACE.test(text))) return;
  setFlags("--semi-space-growth-factor=1");
}

/** V8 takes `_` for `-`. */
const SEMI_SPACE = /semi[-_]space/;
