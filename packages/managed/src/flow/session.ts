/** One pass at the provider: a turn, a connection, and calls that end with the deadline. */
import { keyOf, type KubernetesObject, type ObjectOf, orAborted, type Timer } from "@treadle/apimachinery";
import type { Secret } from "@treadle/apimachinery/kinds";
import type { Wait } from "@treadle/reconcile";
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import { CALL_SECONDS, CALLS, POLL_INTERVAL } from "../extension.ts";
import { causeOf } from "../provider/cause.ts";
import type { Lease } from "../provider/connections.ts";
import type { Waiting } from "../provider/credential.ts";
import { isNotConnected, NotConnected } from "../provider/errors.ts";
import { type ConfigRuntime, ProviderRuntime, versionOf } from "../provider/runtime.ts";
import type { CallArgs } from "../types.ts";
import { notSynced, pollMs, type Run } from "./run.ts";

/** The read of the config, and that of its Secret. */
export const CONFIG_READ = "provider config";
export const SECRET_READ = "provider secret";

/** The calls of an author. */
export type Verb = "observe" | "create" | "recoverCreate" | "update" | "delete";

/** A call of the provider that failed. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  readonly verb: Verb;
  /** The name of the external resource; `undefined`: it is not known yet. */
  readonly subject: string | undefined;

  constructor(verb: Verb, subject: string | undefined, cause: unknown) {
    super(`cannot ${verb}`, { cause });
    this.verb = verb;
    this.subject = subject;
  }
}

/** The error of a call that took longer than the deadline of the step. */
class TimedOut extends Error {
  override readonly name = "TimedOut";
  readonly code = "TimedOut";
}

/** The result of {@link openSession}. */
export type Opened = { readonly type: "open"; readonly session: Session } | { readonly type: "halted"; readonly halt: Wait };

/** Opens a session: the config, its Secret, and the connection. It takes no turn. @throws NotConnected when the connection fails */
export async function openSession(run: Run): Promise<Opened> {
  const { definition, req, pass } = run;
  const reads = req.reads as { readonly [CONFIG_READ]?: KubernetesObject; readonly [SECRET_READ]?: ObjectOf<typeof Secret> };
  const { [CONFIG_READ]: config, [SECRET_READ]: secret } = reads;
  const { provider } = definition;
  if (config === undefined) return halted(run, missingConfig(run));
  const named = provider.options.secret?.(config);
  if (named !== undefined && secret === undefined) {
    const name = typeof named === "string" ? named : keyOf(named);
    return halted(run, `Secret ${name} of ${provider.config.kind} ${keyOf(config.metadata)} does not exist`);
  }
  const { clock, log } = pass;
  const onError = (error: unknown): void => log.warn({ error: String(error) }, "a connection of the provider was not closed");
  const runtime = pass.shared(provider, () => new ProviderRuntime(provider, { clock, onError }));
  const entry = runtime.of(keyOf(config.metadata));
  const version = versionOf(config, secret);
  entry.use(version);
  pace(run, entry, keyOf(config.metadata));
  const session = new Session(run, entry, `${provider.config.kind} ${keyOf(config.metadata)}`);
  try {
    await session.connect((signal) => provider.options.connect({ config, secret, signal }), version);
    return { type: "open", session };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** The effective poll interval: a config may have more objects than its rate can observe in the interval of the author. */
function pace(run: Run, entry: ConfigRuntime, config: string): void {
  const { pass, memory, req } = run;
  const wantedMs = pollMs(run, memory.state ?? "Available");
  memory.floorMs = entry.credential.floorMs();
  memory.intervalMs = entry.intervalFor(wantedMs);
  pass.gauge(POLL_INTERVAL.name, { config }, memory.intervalMs / 1_000);
  if (memory.intervalMs === wantedMs || !entry.becomesSlow()) return;
  req.log.warn(
    { config, objects: entry.credential.objects, intervalS: Math.round(memory.intervalMs / 1_000), wantedS: wantedMs / 1_000 },
    "the rate of the provider is too low to observe all objects of the config at the poll interval: they are observed less often",
  );
}

function missingConfig({ definition, object }: Run): string {
  const { config, configOf } = definition.provider;
  const ref = configOf(object);
  if (ref === undefined) return `the object names no ${config.kind}`;
  return `${config.kind} ${typeof ref === "string" ? ref : keyOf(ref)} does not exist`;
}

function halted(run: Run, message: string): Opened {
  const isDeleted = run.object.metadata.deletionTimestamp !== undefined;
  const wayOut = isDeleted ? "; to leave the external resource as it is, set spec.deletionPolicy to Orphan" : "";
  return { type: "halted", halt: notSynced(run, "NotConnected", `${message}${wayOut}`) };
}

/** The calls of one pass. Close it when the pass is over. */
export class Session {
  /** Ends at the deadline of the step, with the pass, or at shutdown. */
  readonly signal: AbortSignal;
  readonly #run: Run;
  readonly #entry: ConfigRuntime;
  /** The config, for messages. */
  readonly #config: string;
  readonly #deadline = new AbortController();
  readonly #timer: Timer;
  /** One object may have several managed steps. */
  readonly #key: string;
  #lease: Lease<unknown> | undefined;
  /** The number of calls that the limits allowed in this pass, and of those that were made. */
  #granted = 0;
  #called = 0;

  constructor(run: Run, entry: ConfigRuntime, config: string) {
    const { timeoutMs } = run.definition;
    this.#run = run;
    this.#entry = entry;
    this.#config = config;
    this.#key = `${run.uid}/${run.definition.name}`;
    this.#timer = run.pass.clock.after(timeoutMs, () =>
      this.#deadline.abort(new TimedOut(`the provider did not answer within ${timeoutMs / 1_000} s`)),
    );
    this.signal = AbortSignal.any([run.req.signal, this.#deadline.signal]);
  }

  async connect(make: (signal: AbortSignal) => unknown, version: string): Promise<void> {
    try {
      this.#lease = await this.#entry.connections.acquire(version, make, { signal: this.signal });
    } catch (error) {
      if (this.#run.req.signal.aborted) throw error;
      this.#note(error);
      throw isNotConnected(error) ? error : new NotConnected(`cannot connect to the provider: ${statusMessage(error)}`, { cause: error });
    }
  }

  /**
   * Asks for the next call of this pass. `undefined`: it may be made now. Ask before each call. Creates and deletes are urgent: they come
   * before polls.
   */
  turn(given: { readonly isUrgent: boolean }): Waiting | undefined {
    if (this.#granted > this.#called) return undefined;
    const admission = this.#entry.credential.ask(this.#key, { ...given, nowMs: this.#nowMs() });
    if (admission.type === "wait") return { ...admission, message: `${admission.message} (${this.#config})` };
    this.#granted += 1;
    return undefined;
  }

  /** The arguments of a call. */
  args(): CallArgs<KubernetesObject, unknown, {}> {
    return { ...this.#run.args, api: this.#lease?.api, signal: this.signal };
  }

  /** Calls the provider. @throws CallFailed with the error; the engine's own error at shutdown */
  async call(verb: Verb, subject: string | undefined, make: () => unknown): Promise<unknown> {
    const startedMs = this.#nowMs();
    this.#called += 1;
    try {
      const answer = await orAborted(Promise.resolve().then(make), this.signal);
      if (this.#lease?.isCurrent !== false) this.#entry.credential.succeeded(this.#nowMs());
      this.#measure(verb, startedMs, "success");
      return answer;
    } catch (error) {
      if (this.#run.req.signal.aborted) throw error;
      this.#note(error);
      this.#measure(verb, startedMs, "error");
      throw new CallFailed(verb, subject, error);
    }
  }

  /** Ends the pass at the provider. Idempotent. */
  close(): void {
    this.#timer.cancel();
    this.#lease?.release();
    this.#entry.credential.done(this.#key, this.#nowMs());
  }

  /** Claims a name that the object chose, until the provider surely shows what is created. Returns whether no other object has it. */
  claim(name: string): boolean {
    const { kind, name: step, timeoutMs, graceMs } = this.#run.definition;
    const nowMs = this.#nowMs();
    return this.#entry.claim(`${kind.kind}/${step}/${name}`, this.#key, { nowMs, untilMs: nowMs + timeoutMs + graceMs });
  }

  /** Ends the claim: nothing was created. */
  release(): void {
    this.#entry.release(this.#key);
  }

  /** Forgets the object, because it is deleted. */
  forget(): void {
    this.release();
    this.#entry.credential.forget(this.#key);
  }

  #note(error: unknown): void {
    const cause = causeOf(error, this.#nowMs());
    // The result of an older connection says nothing about the present credentials.
    if (this.#lease?.isCurrent === false) return;
    if (cause.type === "throttled") this.#entry.credential.throttled(this.#nowMs(), cause.retryAfterMs);
    if (cause.type === "refused") this.#entry.credential.refused(this.#nowMs());
  }

  #measure(verb: Verb, startedMs: number, result: string): void {
    const { pass, definition } = this.#run;
    const { kind } = definition.kind;
    pass.count(CALLS.name, { kind, verb, result });
    pass.observe(CALL_SECONDS.name, { kind, verb }, (this.#nowMs() - startedMs) / 1_000);
  }

  #nowMs(): number {
    return this.#run.pass.clock.now();
  }
}
