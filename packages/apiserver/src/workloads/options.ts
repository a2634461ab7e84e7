/** How long things take in the simulation, and what there is from the start. */

export interface WorkloadOptions {
  /** How many nodes there are from the start: `node-1` and so on. Further ones are Node objects that somebody creates. @defaultValue 1 */
  readonly nodes?: number;
  /** From the node of a pod being known to its containers running. @defaultValue 1 */
  readonly startSeconds?: number;
  /** How long the container of a Job runs, and one that a hook lets exit. @defaultValue 1 */
  readonly runSeconds?: number;
  /** How long a pod takes to end when it is deleted, at most its grace period. @defaultValue 1 */
  readonly stopSeconds?: number;
  /** Gives Services of type LoadBalancer an address, as a cluster in a cloud does. @defaultValue false */
  readonly loadBalancers?: boolean;
}

/** The options with what is left out filled in. */
export type Settings = Required<WorkloadOptions>;

const DEFAULTS: Settings = { nodes: 1, startSeconds: 1, runSeconds: 1, stopSeconds: 1, loadBalancers: false };

/** @throws RangeError for a number that is none of its kind, and for an option that there is not */
export function settingsOf(options: WorkloadOptions): Settings {
  requireKnown("workloads", options, Object.keys(DEFAULTS));
  const settings = { ...DEFAULTS, ...options };
  for (const name of ["nodes", "startSeconds", "runSeconds", "stopSeconds"] as const) {
    const value = settings[name];
    if (!Number.isFinite(value) || value < 0) throw new RangeError(`workloads: ${name} is ${value}; it must be a finite number from 0 on`);
  }
  if (!Number.isSafeInteger(settings.nodes) || settings.nodes > MAX_NODES)
    throw new RangeError(`workloads: nodes is ${settings.nodes}; it must be a whole number up to ${MAX_NODES}`);
  return settings;
}

/** A key that is written wrong would silently have no effect. @throws RangeError */
export function requireKnown(where: string, given: object, known: readonly string[]): void {
  const wrong = Object.keys(given).find((key) => !known.includes(key));
  if (wrong !== undefined) throw new RangeError(`${where}: there is no ${JSON.stringify(wrong)}; there are ${known.join(", ")}`);
}

/** Each has a range of 254 addresses for its pods. */
const MAX_NODES = 250;
