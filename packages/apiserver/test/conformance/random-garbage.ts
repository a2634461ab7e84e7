/**
 * Compares the garbage collector of the in-memory server with the real one, by random lives of a few objects; after each act
 * both come to rest and must look the same. Ends with 1 where they do not.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/conformance/random-garbage.ts \
 *       [--seed N] [--lives N] [--length ACTS] [--json FILE]
 */
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { seededRandom, type Transport } from "@treadle/apimachinery";
import { createApiServer } from "../../src/index.ts";
import { type Act, actsOf, type Picture, Place } from "./random/garbage.ts";
import { realServer } from "./real-server.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    lives: { type: "string", default: "20" },
    length: { type: "string", default: "25" },
    json: { type: "string" },
  },
});
const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined || kubeconfig === "") throw new Error("set KUBECONFIG to the file of a real control plane");
/** The real collector works by events, in some milliseconds; what it tries again it does within a second. */
const REST_MS = 1500;
/**
 * A difference is one that stays so long. The real collector stands still while it looks for new kinds, each 30 s, and while
 * it waits for the lists of a kind that went meanwhile, up to another 30 s.
 */
const PATIENCE_MS = 120_000;
/** A collector that was just started fills its caches first. */
const START_MS = 60_000;
const PARALLEL = 20;
const [seed, lives, length] = [Number(values.seed), Number(values.lives), Number(values.length)];
const real = realServer(kubeconfig);
const memory = createApiServer({ garbageCollection: true });
const run = Date.now().toString(36);

interface Difference {
  readonly name: string;
  readonly acts: readonly Act[];
  readonly real: Picture;
  readonly memory: Picture;
}

const differences: Difference[] = [];
let acted = 0;
let next = 0;
await collectorAtWork();
await Promise.all(
  Array.from({ length: PARALLEL }, async () => {
    for (let life = next++; life < lives; life = next++) await live(seed + life);
  }),
);
await memory.close();
await real.close();
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differences, undefined, 2));
for (const difference of differences.slice(0, 3)) console.log(JSON.stringify(difference, undefined, 1));
console.log(`${acted} acts in ${lives} lives (seed ${seed}), ${differences.length} lives differ`);
process.exitCode = differences.length === 0 ? 0 : 1;

async function live(number: number): Promise<void> {
  const namespace = `garbage-${run}-${number}`;
  for (const transport of [real, memory.transport()]) await addNamespace(transport, namespace);
  const [there, here] = [new Place(real, namespace), new Place(memory.transport(), namespace)];
  const done: Act[] = [];
  for (const act of actsOf(seededRandom(number), length)) {
    done.push(act);
    acted++;
    await Promise.all([there.act(act), here.act(act)]);
    await Promise.all([memory.settled(), delay(REST_MS)]);
    const found = await here.picture();
    const wanted = await comeToRest(there, found);
    if (isDeepStrictEqual(wanted, found)) continue;
    differences.push({ name: `seed ${number}, act ${done.length}`, acts: done, real: wanted, memory: found });
    return;
  }
}

/** The real picture, once it is as expected or nothing more is to be waited for. */
async function comeToRest(there: Place, expected: Picture): Promise<Picture> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const picture = await there.picture();
    if (isDeepStrictEqual(picture, expected) || performance.now() > deadline) return picture;
    await delay(REST_MS / 3);
  }
}

/** Resolves when an object without its owner was collected. @throws Error when it is still there after {@link START_MS}. */
async function collectorAtWork(): Promise<void> {
  const namespace = `garbage-${run}`;
  await addNamespace(real, namespace);
  const place = new Place(real, namespace);
  await place.act({ type: "create", name: "canary", owners: [{ name: "never", blocks: false }], finalizers: [] });
  for (const started = performance.now(); "canary" in (await place.picture()); await delay(REST_MS / 3)) {
    if (performance.now() - started > START_MS)
      throw new Error(`no garbage collector works on ${real.url}: it needs kube-controller-manager`);
  }
}

async function addNamespace(transport: Transport, name: string): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const headers = { "content-type": "application/json" };
  const { status } = await transport.request({ method: "POST", path: "/api/v1/namespaces", headers, body });
  if (status !== 201) throw new Error(`the namespace ${name} is refused with ${status}`);
}
