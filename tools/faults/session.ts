/** An operator behind a fault proxy, a writer that changes what it works on, and the auditor who compares. */
import { setTimeout as delay } from "node:timers/promises";
import { type Random, seededRandom } from "@treadle/apimachinery";
import { type FaultProxy, startFaultProxy } from "@treadle/testing";
import type {
  AuditorOptions,
  Defect,
  FromAuditor,
  FromOperator,
  OperatorOptions,
  Stats,
  ToAuditor,
  ToOperator,
  Verdict,
} from "./messages.ts";
import { Process } from "./process.ts";
import { RECOVERY, type Scenario } from "./scenarios.ts";
import type { Server } from "./server.ts";
import { Writer } from "./writer.ts";

export interface SessionOptions {
  readonly server: Server;
  readonly namespace: string;
  readonly random?: Random;
  readonly http2?: boolean;
  readonly speed?: number;
  readonly defect?: Defect | undefined;
}

export class Session implements AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly writer: Writer;
  readonly operator: Process<FromOperator, ToOperator>;
  readonly #auditor: Process<FromAuditor, ToAuditor>;

  private constructor(parts: {
    readonly proxy: FaultProxy;
    readonly writer: Writer;
    readonly operator: Process<FromOperator, ToOperator>;
    readonly auditor: Process<FromAuditor, ToAuditor>;
  }) {
    ({ proxy: this.proxy, writer: this.writer, operator: this.operator, auditor: this.#auditor } = parts);
  }

  /** Everything runs, and nobody writes yet. */
  static async start({ server, namespace, random = seededRandom(1), http2 = false, speed = 1, defect }: SessionOptions): Promise<Session> {
    const tls = http2 ? await certificate() : undefined;
    await using undo = new AsyncDisposableStack();
    const proxy = undo.use(await startFaultProxy({ target: server.target, ...(tls === undefined ? {} : { tls }) }));
    const { headers = {}, ca, cert, key } = server.credentials;
    const asked = { server: server.target.server, headers, ca, cert, key, namespace } as AuditorOptions;
    const auditor = new Process<FromAuditor, ToAuditor>("auditor", "auditor.ts", [JSON.stringify(asked)]);
    undo.defer(() => auditor.kill());
    const writer = new Writer({ server, namespace, random, onWrite: (kind, state) => auditor.send({ type: "wrote", kind, state }) });
    undo.defer(() => writer.close());
    const audited = auditor.next(({ type }) => type === "ready");
    await Promise.all([audited, writer.furnish()]);
    const given: OperatorOptions = { server: proxy.url, token: proxy.token, ca: tls?.cert, namespace, speed, defect };
    const operator = new Process<FromOperator, ToOperator>("operator", "operator.ts", [JSON.stringify(given)]);
    undo.defer(() => operator.kill());
    operator.onMessage((message) => (message.type === "seen" || message.type === "dump" ? auditor.send(message) : undefined));
    auditor.onMessage((message) => (message.type === "dump" ? operator.send(message) : undefined));
    await operator.next(({ type }) => type === "ready");
    const looking = setInterval(() => operator.send({ type: "dump" }), LOOK_EVERY_MS);
    auditor.onEnd(() => clearInterval(looking));
    undo.move();
    return new Session({ proxy, writer, operator, auditor });
  }

  /** From now on the operator is to recover. */
  faultOver(): void {
    this.#auditor.send({ type: "fault over" });
  }

  /** What the auditor says, as soon as all is right, and at last after `withinMs`. The writer has to rest. @throws when the operator has ended */
  async verdict(withinMs: number): Promise<Verdict> {
    const said = this.#auditor.next(({ type }) => type === "verdict");
    this.#auditor.send({ type: "rest", withinMs });
    const message = await Promise.race([said, this.operator.failed()]);
    if (message.type !== "verdict") throw new Error("the auditor gave no verdict");
    return message.verdict;
  }

  async stats(): Promise<Stats> {
    const said = this.operator.next(({ type }) => type === "stats");
    this.operator.send({ type: "stats" });
    const message = await said;
    if (message.type !== "stats") throw new Error("the operator gave no figures");
    return message.stats;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.operator.kill();
    this.#auditor.kill();
    await this.writer.close();
    await this.proxy.close();
  }
}

export interface Outcome extends Verdict {
  readonly boundMs: number;
}

export interface ScenarioOptions {
  readonly server: Server;
  readonly seed?: number;
  readonly defect?: Defect;
  /** With the real deadlines, however long. @defaultValue false */
  readonly isLong?: boolean;
  /** How long the auditor waits beyond the bound before it says that something is missing. @defaultValue 10_000 */
  readonly graceMs?: number;
}

/** How often the auditor is shown what the informers hold. */
const LOOK_EVERY_MS = 250;
/** For what a loaded machine and its connections take. */
const SLACK_MS = 2_000;
/** The writer writes for so long before and after a fault, and at least so often. */
const WRITES_MS = 1_000;
const WRITES = 10;

let count = 0;

/** One scenario, from the start of an operator to its end. */
export async function runScenario(scenario: Scenario, options: ScenarioOptions): Promise<Outcome> {
  const { server, seed = 1, defect, isLong = false, graceMs = 10_000 } = options;
  const speed = isLong ? 1 : (scenario.speed ?? 1);
  const namespace = `faults-${scenario.name}-${process.pid}-${count++}`;
  await using session = await Session.start({
    server,
    namespace,
    random: seededRandom(seed),
    http2: scenario.http2 === true,
    speed,
    defect,
  });
  const { proxy, operator, writer } = session;
  writer.start();
  await Promise.all([delay(WRITES_MS), writer.wrote(WRITES)]);
  const startedAt = performance.now();
  await scenario.strike({ proxy, server, operator, isLong });
  session.faultOver();
  const boundMs = RECOVERY[scenario.row](performance.now() - startedAt) / speed;
  await Promise.all([delay(WRITES_MS), writer.wrote(WRITES)]);
  await writer.pause();
  const verdict = await session.verdict(boundMs + graceMs);
  const problems = [...verdict.problems];
  const limitMs = boundMs + SLACK_MS + 3 * verdict.lateMs;
  if (problems.length === 0 && verdict.recoveryMs > limitMs)
    problems.push(`late: ${verdict.slowest} came after ${Math.round(verdict.recoveryMs)} ms, more than ${Math.round(limitMs)} ms`);
  if (writer.writes < 20) problems.push(`only ${writer.writes} writes: too few to show anything`);
  if (problems.length > 0) problems.push(...operator.lines.slice(-5).map((line) => `operator: ${line.slice(0, 600)}`));
  await operator.stop().catch((error: unknown) => problems.push(String(error)));
  return { ...verdict, problems, boundMs };
}

let made: Promise<{ readonly cert: string; readonly key: string }> | undefined;

function certificate(): Promise<{ readonly cert: string; readonly key: string }> {
  return (made ??= (async () => {
    const { generate } = await import("selfsigned");
    const { cert, private: key } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
      keyType: "ec",
      extensions: [
        { name: "basicConstraints", cA: true },
        { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
      ],
    });
    return { cert, key };
  })());
}
