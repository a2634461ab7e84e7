/** Runs a scenario on a server with controllers, in real or in virtual time. */
import type { Transport } from "@treadle/apimachinery";
import type { Json } from "../conformance/session.ts";
import { digest, type Step } from "./digest.ts";
import { type Objects, requests, type Scenario } from "./scenario.ts";

export interface Theatre {
  readonly transport: Transport;
  /** Returns the time in milliseconds. */
  now(): number;
  /** Lets time pass, and waits until due work is done. */
  pass(ms: number): Promise<void>;
  /** Reports what each of these pods uses. */
  report(pods: readonly Json[], use: Readonly<Record<string, string>>): Promise<void>;
  /** Whether the steps so far are as expected. If not, the run waits longer, because a controller may be late. @defaultValue they are */
  isExpected?(steps: readonly Step[]): boolean;
}

const STEP_MS = 250;
/** Time without changes that ends a step, in milliseconds. `until` waits for controllers that take longer (retries of Jobs). */
const QUIET_MS = 2500;
/** Time to wait for the expected state, in milliseconds. */
const LATE_MS = 30_000;
const PATIENCE_MS = 180_000;

/** Returns the recorded steps. @throws Error when a step does not reach its state */
export async function play(scenario: Scenario, theatre: Theatre): Promise<readonly Step[]> {
  const namespace = `recorded-${crypto.randomUUID().slice(0, 8)}`;
  const { transport } = theatre;
  const steps: Step[] = [];
  await namespaces(transport, "POST", "", { metadata: { name: namespace } });
  const { objects: all, ...rest } = requests(transport, namespace);
  const objects = async (): Promise<Objects> => (scenario.hasEvents === true ? await all() : { ...(await all()), events: [] });
  const written = (all: readonly Step[]): readonly Step[] =>
    digest(JSON.parse(JSON.stringify(all).replaceAll(namespace, "<namespace>")) as readonly Step[]); // what was written a moment ago
  try {
    await scenario.run({
      ...rest,
      report: async (use) => theatre.report((await all()).pods, use),
      async settle(step, until = () => true) {
        const isExpected = (now: Objects): boolean => theatre.isExpected?.(written([...steps, { step, objects: now }])) ?? true;
        steps.push({ step, objects: await quiet(theatre, { objects, until, isExpected, what: `${scenario.name}: ${step}` }) });
      },
    });
  } finally {
    await namespaces(transport, "DELETE", `/${namespace}`);
  }
  return written(steps);
}

interface Wanted {
  readonly objects: () => Promise<Objects>;
  readonly until: (objects: Objects) => boolean;
  readonly isExpected: (objects: Objects) => boolean;
  /** Text for the error. */
  readonly what: string;
}

async function quiet(theatre: Theatre, { objects, until, isExpected, what }: Wanted): Promise<Objects> {
  const deadline = theatre.now() + PATIENCE_MS;
  let before = "";
  let since = theatre.now();
  for (;;) {
    const now = await objects();
    const text = JSON.stringify({ ...now, nodes: [] }); // whose kubelets tell every few seconds that they live
    const at = theatre.now();
    if (text !== before) since = at;
    before = text;
    if (until(now) && at - since >= QUIET_MS && (at - since >= LATE_MS || isExpected(now))) return now;
    if (at > deadline) throw new Error(`${what}: not reached within ${PATIENCE_MS / 1000} s; there is ${text}`);
    await theatre.pass(STEP_MS);
  }
}

async function namespaces(transport: Transport, method: "POST" | "DELETE", name: string, body?: object): Promise<void> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const path = `/api/v1/namespaces${name}`;
  const response = await transport.request({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.body ?? ""}`);
}
