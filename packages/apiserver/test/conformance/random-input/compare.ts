/** Sends the same bad requests to two servers and reports differences of the answers. */
import { isDeepStrictEqual } from "node:util";
import { crdOf } from "@treadle/apimachinery";
import { Gadget } from "../gadget.ts";
import { normalise } from "../normalise.ts";
import type { Json, Recorded } from "../session.ts";
import type { Exchange } from "./exchange.ts";
import { reasonFor } from "./known.ts";
import { type BadRequest, badRequest, type Family } from "./requests.ts";
import { collectionOf } from "./samples.ts";

export interface Difference {
  readonly seed: number;
  readonly family: Family;
  readonly request: string;
  readonly body: string;
  readonly real: unknown;
  readonly memory: unknown;
}

export interface Comparison {
  readonly compared: number;
  readonly unchecked: number;
  /** How often what is in the README was met. */
  readonly known: ReadonlyMap<string, number>;
  readonly differences: readonly Difference[];
}

interface Run {
  readonly real: Exchange;
  readonly memory: Exchange;
  readonly seed: number;
  readonly count: number;
  readonly families: readonly Family[];
}

/** Requests at a time: the real server waits for its disk most of the time. */
const PARALLEL = 6;

/** @throws Error when a server refuses what has to be there first. */
export async function comparison({ real, memory, seed, count, families }: Run): Promise<Comparison> {
  const namespace = `random-input-${Date.now().toString(36)}`;
  await Promise.all([prepare(real, namespace), prepare(memory, namespace)]);
  const differences: Difference[] = [];
  const known = new Map<string, number>();
  let [next, compared, unchecked] = [0, 0, 0];
  const work = async (): Promise<void> => {
    while (next < count) {
      const at = seed + next++;
      const name = `r${namespace.slice(13)}-${at}`;
      const bad = badRequest(at, { namespace, name }, families);
      const [wanted, given] = await Promise.all([answer(real, bad, namespace), answer(memory, bad, namespace)]);
      if (isUnchecked(bad, wanted, given)) unchecked++;
      else compared++;
      if (isUnchecked(bad, wanted, given) || isDeepStrictEqual(wanted, given)) continue;
      const reason = reasonFor(bad, wanted, given);
      if (reason !== undefined) {
        known.set(reason, (known.get(reason) ?? 0) + 1);
        continue;
      }
      const { family, method, path, headers, body } = bad;
      const text = `${JSON.stringify(headers)} ${(body ?? "").toString().slice(0, 1500)}`;
      differences.push({ seed: at, family, request: `${method} ${path}`, body: text, real: wanted, memory: given });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return { compared, unchecked, known, differences: differences.toSorted((a, b) => a.seed - b.seed) };
}

/** What is compared of an answer. */
export interface Seen {
  readonly status: number;
  readonly type: string | undefined;
  readonly warning: string | undefined;
  readonly body: unknown;
}

/** Values of built-in kinds are validated by tests of their own; a patch whose result cannot be read is not about values. */
function isUnchecked({ sample }: BadRequest, real: Seen, memory: Seen): boolean {
  if (sample.isCustom || real.status !== 422 || isDeepStrictEqual(real, memory)) return false;
  const causes = (real.body as Json)["details"]?.causes as readonly Json[] | undefined; // a Status
  return causes !== undefined && causes.every(({ field }) => field !== "patch") && (memory.status < 300 || memory.status === 422);
}

async function answer(exchange: Exchange, bad: BadRequest, namespace: string): Promise<Seen> {
  const collection = collectionOf(bad.sample, namespace);
  if (bad.hasObject) {
    const made = await exchange.send({
      method: "POST",
      path: collection,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(bad.object),
    });
    if (made.status !== 201) throw new Error(`the sample of a ${bad.sample.name} is refused: ${JSON.stringify(made.body)}`);
  }
  const { method, path, headers, body } = bad;
  const recorded = await exchange.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
  return seen(recorded);
}

function seen(recorded: Recorded): Seen {
  const [{ status, headers, body } = { status: 0, headers: {} as Record<string, string>, body: undefined }] = normalise([recorded]);
  return { status, type: headers["content-type"], warning: headers["warning"], body };
}

async function prepare(exchange: Exchange, namespace: string): Promise<void> {
  const post = async (path: string, body: unknown): Promise<number> =>
    (await exchange.send({ method: "POST", path, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).status;
  const crd = await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crdOf(Gadget));
  if (crd !== 201 && crd !== 409) throw new Error(`the CRD is refused with ${crd}`);
  const made = await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  if (made !== 201) throw new Error(`the namespace is refused with ${made}`);
  for (let tries = 0; tries < 100; tries++) {
    const path = `/apis/conformance.treadle.dev/v1/namespaces/${namespace}/gadgets`;
    if ((await exchange.send({ method: "GET", path, headers: {} })).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the CRD is stored, but not served after ten seconds");
}
