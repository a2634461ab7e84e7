/**
 * Compares the in-memory API server with a real one and prints where they differ; ends with 1 when they do.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/conformance/run.ts [--only NAME]... [--json FILE] [--full] [--record FILE] [--compaction-seconds N]
 *
 * With `--compaction-seconds` it plays the scenarios about expired versions instead. Start the real server with this time:
 * `tools/controlplane/main.ts up --compaction-seconds N`, 10 for example.
 *
 * `--record` writes the digests of what the real server answers, for tests like `strategic-golden.test.ts`.
 * `tools/controlplane/main.ts up` gives such a server. The scenarios leave namespaces behind there.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createApiServer } from "../../src/index.ts";
import { recordDigests } from "./answer-digests.ts";
import { compare } from "./compare.ts";
import { credentialsOf, realServer } from "./real-server.ts";
import { scenarios } from "./scenarios.ts";
import { oldVersions } from "./scenarios/old-versions.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    json: { type: "string" },
    full: { type: "boolean" },
    record: { type: "string" },
    "compaction-seconds": { type: "string" },
  },
});
const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined || kubeconfig === "") throw new Error("set KUBECONFIG to the file of a real API server");
const compaction = values["compaction-seconds"];
const played = compaction === undefined ? scenarios : oldVersions;
const wanted = played.filter(({ name }) => values.only === undefined || values.only.includes(name));
if (wanted.length === 0) throw new Error(`--only: there are ${played.map(({ name }) => JSON.stringify(name)).join(", ")}`);

const real = realServer(kubeconfig);
const memory = createApiServer({
  authorization: "RBAC",
  admissionPlugins: ["OwnerReferencesPermissionEnforcement"],
  serviceAccountIssuer: `${real.url}/`,
  ...(compaction === undefined ? {} : { compactionIntervalMs: Number(compaction) * 1000 }),
});
memory.fillTokenSecrets(credentialsOf(kubeconfig).tls.ca.toString());
try {
  if (values.record !== undefined) writeFileSync(values.record, await recordDigests(wanted, real, Date.now().toString(36)));
  const { answers, differences } = await compare(wanted, real, memory.transport(), Date.now().toString(36));
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differences, undefined, 2));
  for (const { name, request, parts } of differences) {
    console.log(`${name}   (${request})`);
    for (const { path, real: r, memory: m } of parts) console.log(`  ${path}\n    real   ${text(r)}\n    memory ${text(m)}`);
  }
  console.log(`${answers} answers compared, ${differences.length} differ`);
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await memory.close();
  await real.close();
}

function text(value: unknown): string {
  const json = value === undefined ? "-" : JSON.stringify(value);
  return values.full === true || json.length <= 400 ? json : `${json.slice(0, 400)}… (${json.length} characters)`;
}
