/**
 * Records the answers of a real kube-apiserver to the cases:
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/cel/record.ts
 */
import { writeFileSync } from "node:fs";
import { realServer } from "../conformance/real-server.ts";
import { playLife } from "./life.ts";
import { runCases } from "./run-cases.ts";

const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined || kubeconfig === "") throw new Error("set KUBECONFIG to the file of a real API server");
const real = realServer(kubeconfig);
try {
  const verdicts = await runCases(real, `r${Date.now().toString(36)}`);
  writeFileSync(new URL("golden.json", import.meta.url), `${JSON.stringify(verdicts, undefined, 1)}\n`);
  writeFileSync(new URL("life.json", import.meta.url), `${JSON.stringify(await playLife(real), undefined, 1)}\n`);
  const evaluations = Object.values(verdicts.groups).reduce((sum, values) => sum + values.length, 0);
  console.log(`${evaluations} objects, ${verdicts.refused.length} rules recorded`);
} finally {
  await real.close();
}
