/**
 * Keeps one plugin running.
 *
 * Guarantees
 * - A plugin that ends is started again after 1 s, doubling to 60 s. After five ends in a minute it is in `CrashLoop`, and is started
 *   again every 5 minutes. Both begin again after it was ready for a minute.
 * - A refused program is not started again until its revision changes. A refused server may have been replaced: it is asked every 5 minutes.
 * - A new revision starts beside the old one and takes its place when it is ready. The old one ends after its last call.
 * - It never throws, and never leaves a rejected promise.
 */
import { orAborted, sleep } from "@treadle/apimachinery";
import { errorFields, statusMessage, withContext } from "@treadle/reconcile/unstable/engine";
import { delayAfter, EXTERNAL_BACKOFF } from "@treadle/workqueue";
import type { Origin } from "../connection.ts";
import { isPluginError } from "../plugin-error.ts";
import type { STATES } from "./metrics.ts";
import { type Offer, Refusal } from "./offer.ts";
import { PluginSecrets } from "./plugin-secrets.ts";
import { type Running, type RunningEnv, startPlugin } from "./running.ts";

/** The state of a plugin. */
export type PluginState = (typeof STATES)[number];

/** How a plugin is. */
export interface PluginFacts {
  readonly name: string;
  readonly priority: number;
  readonly state: PluginState;
  /** Why it is not ready, or why a new revision is not; empty: all is well. */
  readonly message: string;
  /** What it offers, or offered last; `undefined`: it has not described itself yet. */
  readonly offer: Offer | undefined;
  readonly running: Running | undefined;
  /** Another text for another program: plans of the same program stay valid. */
  readonly program: string;
}

/** What a supervisor needs of its host. */
export interface SupervisorEnv extends Omit<RunningEnv, "secrets" | "hide"> {
  /** Called after each change of the facts. */
  changed(): void;
}

const MINUTE_MS = 60_000;
/** Number of ends in a minute after which a plugin is in a crash loop. */
const MAX_ENDS = 5;
/** When a plugin in a crash loop is started again, in milliseconds. */
const CRASH_LOOP_MS = 300_000;

/** Keeps one plugin running. */
export class Supervisor {
  readonly #env: SupervisorEnv & RunningEnv;
  readonly #tried: PromiseWithResolvers<void> = Promise.withResolvers();
  #origin: Origin;
  #loop = new AbortController();
  #running: Running | undefined;
  #program = "";
  /** Of the present revision. */
  #category: string | undefined;
  #offer: Offer | undefined;
  #state: PluginState = "Starting";
  #message = "";
  #connections = 0;

  constructor(origin: Origin, env: SupervisorEnv) {
    const secrets = new PluginSecrets();
    this.#env = { ...env, log: withContext(env.log, { plugin: origin.name }), secrets, hide: (text) => secrets.hide(text) };
    this.#origin = origin;
    void this.#keep(origin, this.#loop.signal);
  }

  /** Resolves when the first attempt to start the plugin has ended. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  /** How the plugin is now. */
  get facts(): PluginFacts {
    const { name, priority } = this.#origin;
    const running = this.#running;
    const state = running === undefined ? this.#state : "Ready";
    return { name, priority, state, message: this.#message, offer: running?.offer ?? this.#offer, running, program: this.#program };
  }

  /** Takes what a source found under the same name: a new revision, or a new priority. */
  offer(origin: Origin): void {
    const before = this.#origin;
    this.#origin = origin;
    if (origin.revision === before.revision) return;
    this.#loop.abort();
    this.#loop = new AbortController();
    this.#category = undefined;
    if (this.#running === undefined) this.#set("Starting", "");
    void this.#keep(origin, this.#loop.signal);
  }

  /** Ends the plugin. It never rejects. */
  async stop(): Promise<void> {
    this.#loop.abort();
    this.#tried.resolve();
    await this.#running?.close();
  }

  /** Starts the plugin again and again, until `signal` is aborted or it is refused. */
  async #keep(origin: Origin, signal: AbortSignal): Promise<void> {
    const { clock, random, log, metrics, secrets } = this.#env;
    let attempts = 0;
    let ends: readonly number[] = [];
    let isLoop = false;
    for (;;) {
      const failure = await this.#attempt(origin, signal);
      this.#tried.resolve();
      if (failure === undefined) return;
      const { error, readyMs } = failure;
      const shown = secrets.hideIn(error);
      const now = clock.elapsed();
      if (readyMs >= MINUTE_MS) [attempts, ends, isLoop] = [0, [], false];
      // A server that cannot be reached did not end.
      if (!isPluginError(error) || error.code !== "Away") ends = [...ends, now].filter((at) => now - at < MINUTE_MS);
      isLoop ||= ends.length >= MAX_ENDS;
      const isRefused = isPluginError(error) && error.code === "Refused";
      const state = isRefused ? "Refused" : isLoop ? "CrashLoop" : "Away";
      if (error instanceof Refusal && this.#running === undefined) this.#offer = error.offer ?? this.#offer;
      const isNew = state !== this.#state || attempts === 0;
      this.#set(state, statusMessage(shown));
      const delayMs = isLoop || isRefused ? CRASH_LOOP_MS : delayAfter(EXTERNAL_BACKOFF, attempts, random);
      const isOver = isRefused && origin.isServer !== true;
      if (isNew) {
        const next = isOver ? "it is not started again until it changes" : `it is started again in ${delayMs / 1_000} s`;
        log.error({ state, ...errorFields(shown) }, `${origin.title} is not ready; ${next}`);
      }
      if (isOver) return;
      attempts += 1;
      const isStopped = await sleep(clock, delayMs, signal).then(
        () => false,
        () => true,
      );
      if (isStopped) return;
      metrics.restarted(origin.name);
    }
  }

  /** Starts the plugin and waits for its end. Returns why it ended; `undefined`: the supervisor has ended it. */
  async #attempt(origin: Origin, signal: AbortSignal): Promise<{ readonly error: unknown; readonly readyMs: number } | undefined> {
    const { clock, log } = this.#env;
    let readyAt: number | undefined;
    try {
      const running = await startPlugin(origin, this.#env, signal);
      const { offer, protocol } = running;
      const before = signal.aborted ? offer.category : (this.#category ??= offer.category);
      if (signal.aborted || before !== offer.category) {
        void running.close();
        throw new Refusal(`its category was "${before}", and is "${offer.category}" after a restart: give the other category another name`);
      }
      readyAt = clock.elapsed();
      this.#takeOver(origin, running);
      log.info({ version: offer.version, protocol }, `${origin.title} is ready`);
      this.#tried.resolve();
      throw new Error(`it ended: ${await orAborted(running.ended, signal)}`);
    } catch (error) {
      return signal.aborted ? undefined : { error, readyMs: readyAt === undefined ? 0 : clock.elapsed() - readyAt };
    }
  }

  #takeOver({ revision, isServer }: Origin, running: Running): void {
    const before = this.#running;
    this.#running = running;
    this.#offer = running.offer;
    this.#connections += 1;
    // A server may be another program after each connection.
    this.#program = [revision, running.offer.digest, ...(isServer === true ? [this.#connections] : [])].join(" ");
    before?.retire();
    [this.#state, this.#message] = ["Ready", ""];
    // Also when both are as before: owners must see the new program.
    this.#env.changed();
    // Also when it is an old revision, which nothing else waits for.
    void running.ended.then((reason) => {
      if (this.#running !== running) return;
      this.#running = undefined;
      if (this.#state === "Ready") this.#set("Away", this.#env.secrets.hide(`it ended: ${reason}`));
      else this.#env.changed();
    });
  }

  #set(state: PluginState, message: string): void {
    if (state === this.#state && message === this.#message) return;
    this.#state = state;
    this.#message = message;
    this.#env.changed();
  }
}
