/** Runs scenarios against two servers and reports differences of their answers. */
import { isDeepStrictEqual } from "node:util";
import { crdOf, type Transport } from "@treadle/apimachinery";
import { Gadget } from "./gadget.ts";
import { type Answer, normalise } from "./normalise.ts";
import { type Recorded, type Scenario, type Session, session } from "./session.ts";

export interface Difference {
  /** `scenario: step`. */
  readonly name: string;
  readonly request: string;
  /** Differences: a path into the answer with both values. `undefined`: absent. */
  readonly parts: readonly { readonly path: string; readonly real: unknown; readonly memory: unknown }[];
}

export interface Comparison {
  readonly answers: number;
  readonly differences: readonly Difference[];
}

/**
 * Compares two servers, of which `real` is right. A scenario that differs is played again: on a busy machine the real server's
 * caches and controllers can be late, and only what differs twice counts. Leaves the namespaces of the scenarios behind.
 * @param run makes the names of namespaces unique on a server that is used more than once
 * @throws when a server does not answer, or refuses the CRD or a namespace
 */
export async function compare(scenarios: readonly Scenario[], real: Transport, memory: Transport, run: string): Promise<Comparison> {
  const first = await compareOnce(scenarios, real, memory, run);
  const before = new Set(first.differences.map(({ name }) => name));
  const again = scenarios.filter(({ name }) => first.differences.some((each) => each.name.startsWith(`${name}: `)));
  if (again.length === 0) return first;
  const second = await compareOnce(again, real, memory, `${run}-2`);
  return { answers: first.answers, differences: second.differences.filter(({ name }) => before.has(name)) };
}

async function compareOnce(scenarios: readonly Scenario[], real: Transport, memory: Transport, run: string): Promise<Comparison> {
  // Both at the same time, because a scenario mostly waits.
  const [there, here] = await Promise.all([play(scenarios, real, run), play(scenarios, memory, run)]);
  const wanted = normalise(there);
  const found = new Map(normalise(here).map((answer) => [answer.name, answer]));
  const differences = wanted.flatMap((answer) => difference(answer, found.get(answer.name)));
  return { answers: wanted.length, differences };
}

/** Returns the answers of one server. */
export async function play(scenarios: readonly Scenario[], transport: Transport, run: string): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  const names = new Set<string>();
  const record = (answer: Recorded): void => {
    const name = `${answer.scenario}: ${answer.step}`;
    if (names.has(name)) throw new Error(`two steps are named "${name}"`);
    names.add(name);
    recorded.push(answer);
  };
  await installGadget(session({ transport, namespace: "default", scenario: "set-up", record }));
  for (const scenario of scenarios) {
    const namespace = `${scenario.name.replaceAll(/[^a-z0-9]+/g, "-")}-${run}`;
    const each = session({ transport, namespace, scenario: scenario.name, record });
    const created = await each.quietly("POST", "/api/v1/namespaces", {
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    });
    if (created["kind"] !== "Namespace") throw new Error(`cannot create the namespace ${namespace}: ${JSON.stringify(created)}`);
    await scenario.run(each);
  }
  return recorded;
}

/** Installs the CRD and waits until it is served. */
async function installGadget({ quietly, gadgets }: Session): Promise<void> {
  const crd = crdOf(Gadget);
  const all = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const old = await quietly("GET", `${all}/${crd.metadata.name}`);
  const version = old["metadata"]?.resourceVersion as string | undefined; // absent when there is none
  const installed =
    old["kind"] === crd.kind
      ? await quietly("PUT", `${all}/${crd.metadata.name}`, { body: { ...crd, metadata: { ...crd.metadata, resourceVersion: version } } })
      : await quietly("POST", all, { body: crd });
  if (installed["kind"] !== crd.kind) throw new Error(`the CRD is refused: ${JSON.stringify(installed)}`);
  // The schema of an updated CRD is served a moment after the answer.
  if (old["kind"] === crd.kind) await new Promise((resolve) => setTimeout(resolve, 3000));
  for (let tries = 0; (await quietly("GET", gadgets))["kind"] !== "GadgetList"; tries++) {
    if (tries === 100) throw new Error("the CRD is stored, but not served after ten seconds");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function difference(real: Answer, memory: Answer | undefined): Difference[] {
  if (memory === undefined)
    return [{ name: real.name, request: real.request, parts: [{ path: "", real: "an answer", memory: undefined }] }];
  const pick = ({ status, headers, body }: Answer): unknown => ({ status, headers, body });
  const parts = [...unequal("", pick(real), pick(memory))];
  return parts.length === 0 ? [] : [{ name: real.name, request: real.request, parts }];
}

/** Returns the smallest parts that differ: members of objects, elements of lists with the same length. */
function* unequal(path: string, real: unknown, memory: unknown): Generator<Difference["parts"][number]> {
  if (isDeepStrictEqual(real, memory)) return;
  const isParted = isTree(real) && isTree(memory) && Array.isArray(real) === Array.isArray(memory);
  if (!isParted || (Array.isArray(real) && Object.keys(real).length !== Object.keys(memory).length)) {
    yield { path, real, memory };
    return;
  }
  for (const key of new Set([...Object.keys(real), ...Object.keys(memory)]))
    yield* unequal(path === "" ? key : `${path}.${key}`, real[key], memory[key]);
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
