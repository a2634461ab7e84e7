/** Options of the simulated workloads: durations, and the nodes that exist from the start. */

/** Options of the simulated workloads. */
export interface WorkloadOptions {
  /** Number of nodes that exist from the start, named `node-1` and so on. Create a Node object to add another. @defaultValue 1 */
  readonly nodes?: number;
  /** Time from the scheduling of a pod until its containers run, in seconds. @defaultValue 1 */
  readonly startSeconds?: number;
  /** Time that the container of a Job runs, or one with a fault that lets it exit, in seconds. @defaultValue 1 */
  readonly runSeconds?: number;
  /** Time that a deleted pod takes to end, in seconds. Its grace period is the upper limit. @defaultValue 1 */
  readonly stopSeconds?: number;
  /** Whether Services of type LoadBalancer get an address, as in a cloud. @defaultValue false */
  readonly loadBalancers?: boolean;
}

/** The options with their defaults. */
export type Settings = Required<WorkloadOptions>;

const DEFAULTS: Settings = { nodes: 1, startSeconds: 1, runSeconds: 1, stopSeconds: 1, loadBalancers: false };

/** Completes and checks the options. @throws RangeError for a value out of its range, and for an unknown option */
export function settingsOf(options: WorkloadOptions): Settings {
  requireKnown("workloads", options, Object.keys(DEFAULTS));
  const settings = { ...DEFAULTS, ...options };
  for (const name of ["nodes", "startSeconds", "runSeconds", "stopSeconds"] as const) {
    const value = settings[name];
    if (!Number.isFinite(value) || value < 0) throw new RangeError(`workloads: ${name} is ${value}; it must be a finite number, 0 or more`);
  }
  if (!Number.isSafeInteger(settings.nodes) || settings.nodes > MAX_NODES)
    throw new RangeError(`workloads: nodes is ${settings.nodes}; it must be a whole number up to ${MAX_NODES}`);
  return settings;
}

/** Checks for unknown keys, because a misspelled key would have no effect. @throws RangeError */
export function requireKnown(where: string, given: object, known: readonly string[]): void {
  const wrong = Object.keys(given).find((key) => !known.includes(key));
  if (wrong !== undefined) throw new RangeError(`${where}: unknown field ${JSON.stringify(wrong)}; use one of ${known.join(", ")}`);
}

/** Maximum number of nodes. Each has a range of 254 addresses for its pods. */
const MAX_NODES = 250;
