/** Plays a scenario on a server with controllers, in real or in virtual time. */
import type { Transport } from "@treadle/apimachinery";
import { digest, type Step } from "./digest.ts";
import { type Objects, requests, type Scenario } from "./scenario.ts";

export interface Theatre {
  readonly transport: Transport;
  /** In milliseconds. */
  now(): number;
  /** Lets time pass, and what is due then happen. */
  pass(ms: number): Promise<void>;
}

const STEP_MS = 250;
/** So long nothing may have changed. Controllers that wait longer (retries of Jobs) are waited for by `until`. */
const QUIET_MS = 2500;
const PATIENCE_MS = 180_000;

/** What was written down. @throws when what a step waits for does not come */
export async function play(scenario: Scenario, theatre: Theatre): Promise<readonly Step[]> {
  const namespace = `recorded-${crypto.randomUUID().slice(0, 8)}`;
  const { transport } = theatre;
  const steps: Step[] = [];
  await namespaces(transport, "POST", "", { metadata: { name: namespace } });
  const { objects, ...rest } = requests(transport, namespace);
  try {
    await scenario.run({
      ...rest,
      async settle(step, until = () => true) {
        steps.push({ step, objects: await quiet(theatre, objects, until, `${scenario.name}: ${step}`) });
      },
    });
  } finally {
    await namespaces(transport, "DELETE", `/${namespace}`);
  }
  return digest(JSON.parse(JSON.stringify(steps).replaceAll(namespace, "<namespace>")) as readonly Step[]); // what was written a moment ago
}

async function quiet(
  theatre: Theatre,
  objects: () => Promise<Objects>,
  until: (objects: Objects) => boolean,
  what: string,
): Promise<Objects> {
  const deadline = theatre.now() + PATIENCE_MS;
  let before = "";
  let since = theatre.now();
  for (;;) {
    const now = await objects();
    const text = JSON.stringify({ ...now, nodes: [] }); // whose kubelets tell every few seconds that they live
    const at = theatre.now();
    if (text !== before) since = at;
    before = text;
    if (until(now) && at - since >= QUIET_MS) return now;
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
