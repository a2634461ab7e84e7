/** Records the responses of a real API server to the cases of server-answers.ts. It stores only the CRDs, and removes them. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { crdOf, defineResource } from "@treadle/apimachinery";
import { z } from "zod";
import { type Answer, CASES } from "./server-answers.ts";

const GROUP = "answers.treadle.dev";
const [kubeconfig = ""] = process.argv.slice(2);
const kubectl = (input: unknown, ...args: readonly string[]): string =>
  execFileSync("kubectl", ["--kubeconfig", kubeconfig, ...args, "-f", "-"], {
    input: JSON.stringify(input),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });

const answers: Answer[] = [];
for (const [i, [name, { field, values }]] of Object.entries(CASES).entries()) {
  const kind = `Answer${String.fromCharCode(97 + i)}x`;
  const crd = crdOf(defineResource({ group: GROUP, version: "v1", kind, scope: "Cluster", spec: z.object({ f: field }) }));
  kubectl(crd, "apply");
  await setTimeout(2000); // the server serves a new kind a moment after it says Established
  for (const f of values) {
    const object = { apiVersion: `${GROUP}/v1`, kind, metadata: { name: "x" }, spec: { f } };
    try {
      const { spec } = JSON.parse(kubectl(object, "create", "--dry-run=server", "--validate=false", "-o", "json"));
      answers.push({ name, value: { f }, stored: spec });
    } catch (error) {
      const text = String((error as { readonly stderr?: unknown }).stderr);
      if (!text.includes("is invalid")) throw error;
      answers.push({ name, value: { f } });
    }
  }
  kubectl(crd, "delete", "--wait=false");
}
writeFileSync(new URL("server-answers.json", import.meta.url), `${JSON.stringify(answers, null, 1)}\n`);
