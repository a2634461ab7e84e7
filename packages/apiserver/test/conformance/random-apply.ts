/**
 * Compares server-side apply of the in-memory server with that of a real one, by random sequences of three managers.
 * Prints the operations run and the differences, the first ones made small; ends with 1 when there are any.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/conformance/random-apply.ts \
 *       [--seed N] [--count OPERATIONS] [--length OPERATIONS] [--kind NAME]... [--show N] [--record FILE]
 *
 * `--count` is how many are compared at least: a sequence may end before its length. `--record` writes what the real server
 * answered as the golden of `apply-golden.test.ts`.
 */
import { writeFileSync } from "node:fs";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { fakeClock, type Transport } from "@treadle/apimachinery";
import { createApiServer } from "../../src/server.ts";
import { golden } from "./random/golden.ts";
import { type Operation, sequenceOf } from "./random/generate.ts";
import { type Kind, KINDS } from "./random/kinds.ts";
import { minimise } from "./random/minimise.ts";
import { type Answer, player } from "./random/play.ts";
import { prepare } from "./random/prepare.ts";
import { realServer } from "./real-server.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    count: { type: "string", default: "1000" },
    length: { type: "string", default: "20" },
    kind: { type: "string", multiple: true },
    show: { type: "string", default: "3" },
    record: { type: "string" },
  },
});
const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined || kubeconfig === "") throw new Error("set KUBECONFIG to the file of a real API server");
const kinds = KINDS.filter(({ name }) => values.kind === undefined || values.kind.includes(name));
if (kinds.length === 0) throw new Error(`--kind: there are ${KINDS.map(({ name }) => name).join(", ")}`);

/** Sequences at a time: the real server waits for its disk most of the time. */
const PARALLEL = 8;

const [seed, length, count] = [Number(values.seed), Number(values.length), Number(values.count)];
const real = realServer(kubeconfig);
const namespace = `random-${Date.now().toString(36)}`;
let names = 0;

interface Failure {
  readonly kind: Kind;
  readonly seed: number;
  readonly operations: readonly Operation[];
}

try {
  await prepare(real, namespace);
  if (values.record === undefined) await search();
  else writeFileSync(values.record, await golden({ transport: real, namespace }));
} finally {
  await real.close();
}

async function search(): Promise<void> {
  console.log(`seed ${seed}: sequences of ${length} operations on ${kinds.map(({ name }) => name).join(", ")}`);
  const failures: Failure[] = [];
  let operations = 0;
  let passing = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    const pair = await openPair();
    while (operations < count) {
      const i = next++;
      const kind = kinds[i % kinds.length] as Kind; // there is one
      const sequence = sequenceOf(kind, seed + i, length);
      const { compared, found: at } = await firstDifference(kind, sequence, pair);
      operations += compared;
      if (at === undefined) continue;
      // The answer with the time may be of the next second.
      if ((await firstDifference(kind, sequence, pair)).found === undefined) passing++;
      else failures.push({ kind, seed: seed + i, operations: sequence.slice(0, at.index + 1) });
    }
    await pair.close();
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  const pair = await openPair();
  for (const failure of failures.slice(0, Number(values.show))) await show(failure, pair);
  await pair.close();
  const byKind = kinds.map(({ name }) => `${name} ${failures.filter(({ kind }) => kind.name === name).length}`);
  console.log(
    `${operations} operations in ${next} sequences, ${failures.length} sequences differ (${byKind.join(", ")}), ${passing} more did once`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** The real server, and one in memory whose clock shows the second of the real one's last answer: times order managedFields. */
interface Pair {
  readonly transport: Transport;
  readonly memory: Transport;
  follow(): Promise<void>;
  close(): Promise<void>;
}

async function openPair(): Promise<Pair> {
  const clock = fakeClock(Math.floor(Date.now() / 1000) * 1000);
  const server = createApiServer({ clock });
  await prepare(server.transport(), namespace);
  let date = clock.now();
  return {
    transport: {
      request: async (request) => {
        const answer = await real.request(request);
        date = Date.parse(answer.headers["date"] ?? "") || date;
        return answer;
      },
      close: async () => {},
    },
    memory: server.transport(),
    follow: async () => {
      if (date > clock.now()) await clock.advance(date - clock.now());
    },
    close: () => server.close(),
  };
}

interface Found {
  readonly index: number;
  readonly real: Answer | undefined;
  readonly memory: Answer | undefined;
}

/**
 * The first difference of two runs, and how many answers were compared. Built-in kinds are not validated in memory, so a
 * sequence ends where the real server finds an object of one invalid.
 */
async function firstDifference(
  kind: Kind,
  sequence: readonly Operation[],
  { transport, memory, follow }: Pair,
): Promise<{ readonly compared: number; readonly found: Found | undefined }> {
  const name = `r${names++}`;
  const [one, other] = [player(kind, { transport, namespace, name }), player(kind, { transport: memory, namespace, name })];
  const [wanted, given]: [Answer[], Answer[]] = [[], []];
  for (const operation of sequence) {
    wanted.push(await one.step(operation));
    await follow();
    given.push(await other.step(operation));
  }
  await one.end();
  const isEnd = ({ status }: Answer, i: number): boolean => !kind.isCustom && status === 422 && !isDeepStrictEqual(wanted[i], given[i]);
  const end = wanted.findIndex(isEnd);
  const compared = end < 0 ? wanted.length : end;
  const index = wanted.slice(0, compared).findIndex((answer, i) => !isDeepStrictEqual(answer, given[i]));
  return { compared, found: index < 0 ? undefined : { index, real: wanted[index], memory: given[index] } };
}

async function show({ kind, seed: of, operations }: Failure, pair: Pair): Promise<void> {
  const small = await minimise(operations, async (fewer) => (await firstDifference(kind, fewer, pair)).found !== undefined);
  const { found } = await firstDifference(kind, small, pair);
  console.log(`\n${kind.name}, seed ${of}`);
  for (const operation of small) console.log(`  ${JSON.stringify(operation)}`);
  if (found === undefined) console.log("  (does not show again)");
  else console.log(`  at ${found.index}\n  real   ${JSON.stringify(found.real)}\n  memory ${JSON.stringify(found.memory)}`);
}
