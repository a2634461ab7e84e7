/**
 * Compares the garbage collector of the in-memory server with the real one, by random lives of a few objects; after each act
 * both come to rest and must look the same. Ends with 1 where they do not.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/conformance/random-garbage.ts \
 *       [--seed N] [--lives N] [--length ACTS] [--json FILE]
 */
import { writeFileSync } from "node:fs";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { seededRandom } from "@treadle/apimachinery";
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
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const headers = { "content-type": "application/json" };
  for (const transport of [real, memory.transport()])
    await transport.request({ method: "POST", path: "/api/v1/namespaces", headers, body });
  const [there, here] = [new Place(real, namespace), new Place(memory.transport(), namespace)];
  const done: Act[] = [];
  for (const act of actsOf(seededRandom(number), length)) {
    done.push(act);
    acted++;
    await Promise.all([there.act(act), here.act(act)]);
    await Promise.all([memory.settled(), new Promise((resolve) => void setTimeout(resolve, REST_MS))]);
    const [wanted, found] = [await there.picture(), await here.picture()];
    if (isDeepStrictEqual(wanted, found)) continue;
    differences.push({ name: `seed ${number}, act ${done.length}`, acts: done, real: wanted, memory: found });
    return;
  }
}
