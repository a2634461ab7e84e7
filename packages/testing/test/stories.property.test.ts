/**
 * Random users against a running operator. Whatever they did, in whatever order, with passes, restarts and failing writes in between:
 * - once settled, an object whose input is there is Ready, and its output is that of its present spec and input;
 * - an object whose input is missing says so;
 * - of a deleted object nothing is left;
 * - every status keeps the invariants, and an operator at rest sends nothing but watches.
 * In virtual time, with restarts and faults: in memory only.
 * @module-tag memory
 */
import "../src/matchers.ts";
import { ApiError, isNotFound } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import fc from "fast-check";
import { expect, test } from "vitest";
import { secret, secretText, startTestCluster, type TestCluster, type TestOperator } from "../src/index.ts";
import { rw, RW } from "./rw.ts";

const name = fc.constantFrom("a", "b");
const input = fc.constantFrom("in-1", "in-2");
const action = fc.oneof(
  fc.record({ type: fc.constant("create" as const), name, input }),
  fc.record({ type: fc.constant("retarget" as const), name, input, factor: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ type: fc.constant("delete" as const), name }),
  fc.record({ type: fc.constant("set-input" as const), input, value: fc.integer({ min: 1, max: 99 }) }),
  fc.record({ type: fc.constant("drop-input" as const), input }),
  fc.record({ type: fc.constant("drop-output" as const), name }),
  fc.record({ type: fc.constant("pass-time" as const), ms: fc.integer({ min: 0, max: 200 }) }),
  fc.record({ type: fc.constant("settle" as const) }),
  fc.record({ type: fc.constant("restart" as const) }),
  fc.record({
    type: fc.constant("faults" as const),
    fault: fc.constantFrom("conflict", "refused", "broken"),
    count: fc.integer({ min: 1, max: 4 }),
  }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

const FAULTS = {
  conflict: new ApiError({ message: "the object has been modified", status: 409, reason: "Conflict" }),
  refused: new ApiError({ message: "the server has a problem", status: 500, reason: "InternalError" }),
  broken: new Error("ECONNRESET"),
};
const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "delete"]);

class Story {
  readonly #cluster: TestCluster;
  #op: TestOperator;
  /** What the operator's next writes meet. */
  #faults: Error[] = [];

  constructor(cluster: TestCluster, op: TestOperator) {
    this.#cluster = cluster;
    this.#op = op;
    cluster.onRequest(({ verb }) => {
      const fault = WRITES.has(verb) ? this.#faults.shift() : undefined;
      if (fault !== undefined) throw fault;
    });
  }

  async run(step: Action): Promise<void> {
    const cluster = this.#cluster;
    switch (step.type) {
      case "create":
        if ((await cluster.get(RW, step.name)) === undefined)
          await cluster.create(RW, { metadata: { name: step.name }, spec: { inputSecret: step.input } });
        return;
      case "retarget":
        return await this.#patch(step.name, { inputSecret: step.input, factor: step.factor });
      case "delete":
        return await cluster.delete(RW, step.name);
      case "set-input":
        await cluster.apply(secret(step.input, { value: String(step.value) }));
        return;
      case "drop-input":
        return await cluster.delete(Secret, step.input);
      case "drop-output":
        return await cluster.delete(Secret, `${step.name}-out`);
      case "pass-time":
        return await cluster.advance(step.ms);
      case "settle":
        return await this.#op.settled({ horizonMs: 0 });
      case "restart":
        await this.#op.stop();
        this.#op = await cluster.start(rw);
        return;
      case "faults":
        this.#faults.push(...Array.from({ length: step.count }, () => FAULTS[step.fault]));
    }
  }

  async end(): Promise<void> {
    this.#faults = [];
    // Longer than the longest wait, and than the back-off after so many failures.
    await this.#op.settled({ horizonMs: 1_000_000 });
    for (const key of ["a", "b"]) await this.#check(key);
    await this.#cluster.checkStatus();
    this.#cluster.requests.clear();
    await this.#op.settled({ horizonMs: 0 });
    expect(this.#cluster.requests.filter()).toEqual([]);
  }

  async #patch(name: string, spec: object): Promise<void> {
    try {
      await this.#cluster.client.patch(RW, { namespace: "default", name }, { type: "merge", body: { spec } });
    } catch (error) {
      // It may never have been there, or go at this moment.
      if (!isNotFound(error)) throw error;
    }
  }

  async #check(key: string): Promise<void> {
    const object = await this.#cluster.get(RW, key);
    const output = await this.#cluster.get(Secret, `${key}-out`);
    if (object === undefined) return expect(output).toBeUndefined();
    const value = secretText(await this.#cluster.get(Secret, object.spec.inputSecret))["value"];
    if (value === undefined) return expect(object).toHaveCondition("Ready", { status: "False", reason: "NotFound" });
    expect(object).toBeReady();
    expect(secretText(output)).toEqual({ result: String(Number(value) * object.spec.factor) });
  }
}

test("a settled cluster has the state that its objects ask for, whatever users do", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 30 }), async (actions) => {
      await using cluster = await startTestCluster();
      const story = new Story(cluster, await cluster.start(rw));
      for (const step of actions) await story.run(step);
      await story.end();
    }),
    { numRuns: 60 },
  );
}, 60_000);
