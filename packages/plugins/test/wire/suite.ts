/** The suite of the wire: what each program does that is a plugin, in whatever language. It goes through the code of the host. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fork } from "node:child_process";
import { basename } from "node:path";
import { systemClock, systemRandom } from "@treadle/apimachinery";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Connection } from "../../src/connection.ts";
import { launchPlugin } from "../../src/process/launch.ts";
import type { PlanRequest, PlannedDependent } from "../../src/wire/messages.ts";
import { type Line, memoryLog, processesWith } from "../programs.ts";

/** The programs of one language. */
export interface WirePrograms {
  /** `kube-postgres` of `examples/capabilities`. */
  readonly postgres: string;
  /** `wire-test`, whose parameter `answer` decides what it does. */
  readonly wireTest: string;
}

interface PlanCase {
  readonly name: string;
  readonly request: PlanRequest;
  readonly dependents: readonly object[];
}

const PLANS = JSON.parse(
  readFileSync(new URL("../../../../examples/capabilities/plans.json", import.meta.url), "utf8"),
) as readonly PlanCase[];
const signal = new AbortController().signal;

const request: PlanRequest = {
  type: "echo",
  version: "",
  owner: { apiVersion: "example.com/v1", kind: "Capability", metadata: { name: "test", namespace: "default" } },
  parameters: {},
  live: [],
};

async function launched(file: string): Promise<{ readonly connection: Connection; readonly lines: readonly Line[] }> {
  const { log, lines } = memoryLog();
  const plugin = basename(file).replace(/\.ts$/, "");
  const connection = await launchPlugin(file, { plugin, clock: systemClock, random: systemRandom, log, hide: String }, signal);
  onTestFinished(() => connection.close());
  return { connection, lines };
}

/** A dependent without what is not given. A name is the default of the host. */
function plain({ id, object, config, state }: PlannedDependent): object {
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const { metadata, ...body } = object;
  if (metadata !== undefined) expect(metadata).toEqual({ name: `orders-${id}` });
  const stated = state !== undefined && { state: { type: state.type, reason: state.reason, message: state.message } };
  return { id, object: body, config: given, ...stated };
}

const answering = (answer: string): PlanRequest => ({ ...request, parameters: { answer } });

/** Runs the suite for the plugins of one language. */
export function wireSuite(language: string, { postgres, wireTest }: WirePrograms): void {
  describe(`a plugin in ${language}`, () => {
    test("offers its types with versions and the schema of their parameters", async () => {
      const { connection } = await launched(postgres);
      const { types, ...offer } = await connection.describe(signal);
      expect(offer).toEqual({
        name: "kube-postgres",
        version: "",
        apiVersions: { oldest: "1.0", newest: "1.0" },
        category: "database",
        kinds: [
          { group: "", version: "v1", kind: "Secret" },
          { group: "", version: "v1", kind: "Service" },
          { group: "apps", version: "v1", kind: "StatefulSet" },
        ],
      });
      expect(types).toMatchObject([
        { name: "postgresql", versions: ["16", "17"], parameterSchema: { properties: { storageGb: { type: "integer", default: 1 } } } },
      ]);
      expect(connection.protocol).toBe("grpc/1 over unix");
    });

    test.for(PLANS)("gives the plan of plans.json: $name", async ({ request: given, dependents }) => {
      const { connection } = await launched(postgres);
      const answer = await connection.plan(given, signal);
      expect(answer.type === "dependents" ? answer.dependents.map(plain) : answer).toEqual(dependents);
    });

    test("plans two objects of one kind, in order, with all of their configuration", async () => {
      const { connection } = await launched(wireTest);
      const live = [{ id: "second", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "test-second" } } }];
      const answer = await connection.plan({ ...request, version: "2", live }, signal);
      expect(answer).toMatchObject({
        type: "dependents",
        dependents: [
          {
            id: "first",
            object: { kind: "ConfigMap", data: { version: "2", live: "second", text: "Grüße \u2028 \u{1F40A}" } },
            config: { updated: false },
          },
          {
            id: "second",
            object: { apiVersion: "v1", kind: "ConfigMap" },
            config: { owned: false, created: false, watched: false, checkedForReadiness: false },
            state: { type: "Failed", reason: "Broken", message: "it is broken", attributes: [{ name: "color", value: "red" }] },
          },
        ],
      });
      const [first, second] = answer.type === "dependents" ? answer.dependents : [];
      expect([first?.config.owned, second?.config.updated, first?.state]).toEqual([undefined, undefined, undefined]);
    });

    test("gets an owner of 1 MB whole", async () => {
      const { connection } = await launched(wireTest);
      const owner = { ...request.owner, spec: { text: "é".repeat(500_000) } };
      const answer = await connection.plan({ ...request, owner }, signal);
      const bytes = Buffer.byteLength(JSON.stringify(owner));
      expect(answer).toMatchObject({ dependents: [{ object: { data: { ownerBytes: String(bytes) } } }, {}] });
    });

    test.for([
      {
        answer: "problems",
        want: { type: "problems", problems: [{ path: "spec.parameters.answer", message: "problems are requested" }] },
      },
      {
        answer: "error",
        want: { type: "error", error: { code: "Busy", message: "it is busy", retryAfterMs: 1500, terminal: false } },
      },
      {
        answer: "terminal",
        want: { type: "error", error: { code: "Impossible", message: "it is impossible", retryAfterMs: undefined, terminal: true } },
      },
    ])("answers with $answer", async ({ answer, want }) => {
      const { connection } = await launched(wireTest);
      expect(await connection.plan(answering(answer), signal)).toEqual(want);
    });

    test("is logged by the levels of its lines", async () => {
      const { connection, lines } = await launched(wireTest);
      await connection.plan(answering("logs"), signal);
      const levelOf = (part: string): string | undefined => lines.find((line) => JSON.stringify(line).includes(part))?.level;
      await expect.poll(() => ["a detail", "a fact", "a warning", "a failure"].map(levelOf)).toEqual(["debug", "info", "warn", "error"]);
      await expect.poll(() => levelOf("a printed line")).toBeDefined();
    });

    test("is healthy, and ends when it is asked", async () => {
      const { connection } = await launched(wireTest);
      await connection.check(signal);
      await connection.close();
      await connection.ended;
      await expect(connection.check(signal)).rejects.toMatchObject({ code: "Away" });
      expect(await processesWith(wireTest)).toEqual([]);
    });

    test("is away when it is killed in a call", async () => {
      const { connection } = await launched(wireTest);
      const call = connection.plan(answering("hang"), signal).catch((error: unknown) => error);
      await connection.check(signal);
      for (const pid of await processesWith(wireTest)) process.kill(pid, "SIGKILL");
      expect(await call).toMatchObject({ name: "PluginError", code: "Away" });
      expect(await connection.ended).toContain("SIGKILL");
    });

    test("answers other calls while one takes long, and the limit of the caller ends that one", async () => {
      const { connection } = await launched(wireTest);
      const limit = new AbortController();
      const call = connection.plan(answering("hang"), limit.signal).catch((error: unknown) => error);
      expect(await connection.plan(request, signal)).toMatchObject({ type: "dependents" });
      limit.abort();
      expect(await call).toMatchObject({ code: "TooSlow" });
    });

    test("ends when its host is killed", async () => {
      const host = fork(new URL("./host.ts", import.meta.url), [wireTest], { execArgv: ["--conditions=@treadle/source"] });
      await once(host, "message");
      expect(await processesWith(wireTest)).not.toEqual([]);
      host.kill("SIGKILL");
      await once(host, "exit");
      await expect.poll(() => processesWith(wireTest), { timeout: 5_000 }).toEqual([]);
    });
  });
}
