/** A program to test tests with: it reads one Secret, writes another, cleans up, and remembers. */
import { defineResource, type ObjectOf, ownership } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { z } from "zod";
import { secretText } from "../src/index.ts";

export const RW = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "RWExternal",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ inputSecret: z.string(), factor: z.int32().default(1) }),
  status: z.object({ outputSecret: z.string() }),
});
export interface RW extends ObjectOf<typeof RW> {}

export const NAME = "rwexternals.examples.treadle.dev";
export const FINALIZER: string = `examples.treadle.dev/${NAME}`;

export const readInput = step(RW, {
  name: "read-input",
  conditions: ["InputReady"],
  reads: { input: one(Secret, (o) => o.spec.inputSecret) },
  do(req) {
    const secret = req.reads.input;
    if (!secret) return req.conditions.false("InputReady", "NotFound", `Secret ${req.object.spec.inputSecret} does not exist`).wait();
    const value = Number(secretText(secret)["value"]);
    if (!Number.isInteger(value)) throw new TypeError(`Secret ${secret.metadata.name}: value is no integer`);
    req.conditions.true("InputReady");
    return req.next({ input: { value } });
  },
});

export const store = step(RW, {
  name: "store",
  needs: [readInput],
  conditions: ["OutputReady"],
  owns: [Secret],
  permissions: [{ kind: Secret, verbs: ["get", "update"] }],
  events: ["Stored", "Failed"],
  state: z.object({ written: z.int32().default(0) }),
  reads: { output: one(Secret, (o) => `${o.metadata.name}-out`) },
  async do(req) {
    const name = `${req.object.metadata.name}-out`;
    const data = { result: Buffer.from(String(req.vars.input.value * req.object.spec.factor)).toString("base64") };
    const { output } = req.reads;
    if (output && ownership(output, req.object, NAME).type !== "ours")
      return req.conditions.false("OutputReady", "Foreign", `Secret ${name} is not ours`).wait(60_000);
    const { apiVersion, kind, metadata } = req.object;
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true };
    if (!output) await req.client.create(Secret, { metadata: { name, ownerReferences: [owner] }, data });
    else if (output.data?.["result"] !== data.result) await req.client.update(Secret, { ...output, data });
    req.state.written++;
    req.status.outputSecret = name;
    req.event("Normal", "Stored", `stored ${name}`);
    req.conditions.true("OutputReady");
  },
  async cleanup(req) {
    // Live: the cache may not show yet what the last pass created.
    const output = await req.client.get(Secret, `${req.object.metadata.name}-out`);
    if (!output || ownership(output, req.object, NAME).type !== "ours") return;
    await req.client.delete(Secret, output.metadata);
    return req.wait(`Secret ${output.metadata.name} is being deleted`);
  },
  post(req) {
    if (req.outcome.type === "failed") req.event("Warning", "Failed", String(req.outcome.error));
  },
});

export const rw = handler(RW).step(conditions()).step(readInput).step(store).build();

/** A primary as a manifest. */
export function primary(name: string, inputSecret = "in"): object {
  return { apiVersion: "examples.treadle.dev/v1beta1", kind: "RWExternal", metadata: { name }, spec: { inputSecret } };
}
