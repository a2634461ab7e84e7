/**
 * Compares the answers of the in-memory server to bad requests with those of a real one, both over a socket. Prints the
 * requests sent and the differences; ends with 1 when there are any.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/conformance/random-input.ts \
 *       [--seed N] [--count REQUESTS] [--family NAME]... [--show N]
 *
 * A request that differs is shown with its seed: `--seed N --count 1` sends it again.
 */
import { parseArgs } from "node:util";
import { createApiServer, serveHttp } from "../../src/index.ts";
import { comparison } from "./random-input/compare.ts";
import { exchangeWith } from "./random-input/exchange.ts";
import { FAMILY_NAMES } from "./random-input/requests.ts";
import { credentialsOf } from "./real-server.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    count: { type: "string", default: "1000" },
    family: { type: "string", multiple: true },
    show: { type: "string", default: "20" },
  },
});
const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined || kubeconfig === "") throw new Error("set KUBECONFIG to the file of a real API server");
const families = FAMILY_NAMES.filter((name) => values.family?.includes(name) ?? true);
if (families.length === 0) throw new Error(`--family: there are ${FAMILY_NAMES.join(", ")}`);

const server = createApiServer();
const front = await serveHttp(server);
const real = exchangeWith(credentialsOf(kubeconfig));
const memory = exchangeWith(front);
try {
  console.log(`seed ${values.seed}: ${values.count} requests`);
  const { compared, unchecked, known, differences } = await comparison({
    real,
    memory,
    seed: Number(values.seed),
    count: Number(values.count),
    families,
  });
  for (const { seed, family, request, body, real: wanted, memory: given } of differences.slice(0, Number(values.show)))
    console.log(`\n${family}, seed ${seed}: ${request}\n  ${body}\n  real   ${JSON.stringify(wanted)}\n  memory ${JSON.stringify(given)}`);
  for (const [reason, times] of known) console.log(`known, ${times} times: ${reason}`);
  const byFamily = families.map((name) => `${name} ${differences.filter(({ family }) => family === name).length}`);
  console.log(
    `${compared} answers compared, ${unchecked} objects that only values make invalid, ${differences.length} differ (${byFamily.join(", ")})`,
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  real.close();
  memory.close();
  await front.close();
  await server.close();
}
