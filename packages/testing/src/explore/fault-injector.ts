/**
 * Injects the faults of a point between the processes of an operator and the server of a run. It counts writes and events, which
 * are the places of faults.
 */
import type { ApiRequest, ApiResponse, Clock, Kind, Random, Transport } from "@treadle/apimachinery";
import { connectionReset, never } from "../faults/answers.ts";
import { describeRequest } from "../internal/request-description.ts";
import type { ProcessScope } from "./external-effects.ts";
import { described, gated, type GateKeeper } from "./event-gate.ts";
import type { Entry, SeenEvent, Target, Write } from "./journal.ts";
import type { PointFault, Point, CrashStalePoint, WriteFaultPoint } from "./fault-point.ts";
import { isRefusal, REFUSALS, type Refusal, refuse } from "./refusals.ts";
import { isWrite, requestId } from "./writes.ts";
import { hasInitialEvents, StaleStart } from "./stale-start.ts";

type WriteEntry = Extract<Entry, { type: "write" }>;

/** Turns of the event loop before an event is delivered, so that writes may overtake it. Fewer than `settled` waits for. */
const TURNS = [0, 0, 1, 3] as const;
/** Attempts of the client: the request and four retries (`MAX_BACKOFF` of @treadle/client). */
const ATTEMPTS = 5;

/** The connection between the processes and the server, with the faults of one point. */
export class FaultInjector {
  readonly journal: Entry[] = [];
  readonly writes: Write[] = [];
  readonly events: SeenEvent[] = [];
  /** The faults of the point that have happened, by index. */
  readonly struck: Set<number> = new Set();
  readonly #transport: () => Transport;
  readonly #point: Point;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #eventCounts = new Map<string, number>();
  #frozen: PromiseWithResolvers<void> | undefined;
  /** By watch: the function that delivers its withheld event. */
  readonly #held = new Map<string, () => void>();
  /** A request that is refused at each retry. */
  #refused: { readonly fault: Refusal; readonly id: string; left: number } | undefined;
  #doomed: ProcessScope | undefined;
  #isDoomedAtStart: boolean;
  /** Sends the write of a process that was deposed before. */
  #late: (() => Promise<void>) | undefined;
  readonly #staleStart: StaleStart;
  /** The pass that ends a stale cache: the watches go on after the one that follows the writing pass. */
  #stale: "writing" | "next" | undefined;

  /** Time of the last write, in milliseconds. */
  wroteAtMs: number = Number.NEGATIVE_INFINITY;
  /** Upper bound of the events that the current process is shown late: all before its start. 0 if it started with the current state. */
  pastEvents = 0;

  constructor(
    transport: () => Transport,
    given: { readonly point: Point; readonly random: Random; readonly clock: Clock; readonly version: () => string },
  ) {
    const { point, random, clock, version } = given;
    this.#staleStart = new StaleStart(version);
    this.#clock = clock;
    this.#transport = transport;
    this.#point = point;
    this.#random = random;
    this.#isDoomedAtStart = point.some((fault) => fault.type === "crash" && fault.write === 0);
  }

  /** Creates the connection of a process. */
  through(process: ProcessScope): Transport {
    const transport = this.#transport();
    if (this.#isDoomedAtStart) {
      this.#isDoomedAtStart = false;
      this.#doomed = process;
      this.strike({ type: "crash", write: 0 }, "the process ends before its first write");
    }
    const isStale = this.#staleStart.begin(process);
    this.pastEvents = isStale ? this.events.length : 0;
    if (isStale) {
      this.#frozen ??= Promise.withResolvers();
      this.journal.push({ type: "fault", text: `the process sees ${this.#staleStart.shown}, until it is idle` });
    }
    return this.#connection(
      transport,
      () => process,
      async (request, target) => this.#watched(await this.#staleStart.request(transport, request, target), target, process),
    );
  }

  /**
   * Creates a connection of the processes to another API server, such as a target cluster. Its writes are places of faults as those to
   * the server of the run are. Its watches go on until their process ends.
   * @param current returns the process that sends a request
   */
  elsewhere(transport: Transport, current: () => ProcessScope | undefined): Transport {
    return this.#connection(
      transport,
      () => current() ?? NO_PROCESS,
      (request) => transport.request(request),
    );
  }

  /** Called after each pass. Returns `again` if the pass must run again with the caches as they are. */
  passEnded(process: ProcessScope): "again" | undefined {
    this.#refused = undefined;
    if (this.#killIfDoomed(process)) return undefined;
    if (this.#stale === "writing") {
      this.#stale = "next";
      return "again";
    }
    if (this.#stale === "next") this.thaw();
    return undefined;
  }

  /** Called when the process is idle: lets faults happen that waited for something else. Returns whether there was one. */
  async unblock(process: ProcessScope): Promise<boolean> {
    if (this.#killIfDoomed(process)) return true;
    if (this.thaw()) return true;
    const late = this.#late;
    this.#late = undefined;
    await late?.();
    return late !== undefined;
  }

  /** Lets all watches go on. Returns whether they stood still. */
  thaw(): boolean {
    this.#stale = undefined;
    this.#staleStart.end();
    const frozen = this.#frozen;
    this.#frozen = undefined;
    frozen?.resolve();
    return frozen !== undefined;
  }

  /** Delivers the withheld events. Returns whether there were any. */
  release(): boolean {
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const show of held) show();
    return held.length > 0;
  }

  /** Whether the current process sees an older state. */
  get isRewound(): boolean {
    return this.#staleStart.isOn;
  }

  /** Whether an event is withheld. */
  get isWithholding(): boolean {
    return this.#held.size > 0;
  }

  /** Whether an event of this kind is withheld. */
  withholds({ plural }: Pick<Kind, "plural">): boolean {
    return [...this.#held.keys()].some((watch) => watch.split("/").at(-1) === plural);
  }

  #killIfDoomed(process: ProcessScope): boolean {
    if (process !== this.#doomed) return false;
    this.#doomed = undefined;
    process.kill();
    return true;
  }

  #connection(
    transport: Transport,
    processOf: () => ProcessScope,
    read: (request: ApiRequest, target: Target) => Promise<ApiResponse>,
  ): Transport {
    return {
      request: async (request) => {
        const process = processOf();
        if (process.isDead) return await never(request.signal);
        const target = describeRequest(request);
        const response = isWrite(target) ? await this.#write(process, { transport, request, target }) : await read(request, target);
        // A killed process gets no answer.
        return process.isDead ? await never(request.signal) : response;
      },
      close: () => transport.close(),
    };
  }

  async #write(
    process: ProcessScope,
    given: { readonly transport: Transport; readonly request: ApiRequest; readonly target: Target },
  ): Promise<ApiResponse> {
    const { transport, request, target } = given;
    if (this.#killIfDoomed(process)) return await never(request.signal);
    const again = this.#again(request);
    if (again !== undefined) return refuse(again, target);
    const number = this.writes.length + 1;
    this.wroteAtMs = this.#clock.now();
    this.writes.push({ number, target });
    const entry: WriteEntry = { type: "write", number, target, status: 0 };
    this.journal.push(entry);
    const fault = this.#point.find((one): one is WriteFaultPoint | CrashStalePoint => "write" in one && one.write === number);
    if (fault?.type === "deposed") return await this.#depose(fault, process, { transport, request, entry });
    if (isRefusal(fault)) {
      this.strike(fault, REFUSALS[fault.type]);
      if (fault.type !== "conflict") this.#refused = { fault, id: requestId(request), left: ATTEMPTS - 1 };
      return refuse(fault, target);
    }
    this.#staleStart.pass(number);
    const response = await transport.request(request);
    entry.status = response.status;
    if (fault !== undefined && !process.isDead) await this.#afterwards(fault, process, request);
    return response;
  }

  /** Delays the write until the process that takes over is idle. */
  async #depose(
    fault: WriteFaultPoint,
    process: ProcessScope,
    { transport, request, entry }: { readonly transport: Transport; readonly request: ApiRequest; readonly entry: WriteEntry },
  ): Promise<never> {
    this.strike(fault, "the process pauses before it sends the write, and another process takes over");
    const { signal: _signal, ...late } = request;
    this.#late = async () => {
      const { status } = await transport.request(late);
      this.wroteAtMs = this.#clock.now();
      this.journal.push({ type: "fault", text: `write ${entry.number}, of the paused process, arrives: ${status}` });
    };
    process.kill();
    return await never(request.signal);
  }

  /** Applies a fault after a write was stored. */
  async #afterwards(fault: WriteFaultPoint | CrashStalePoint, process: ProcessScope, request: ApiRequest): Promise<void> {
    switch (fault.type) {
      case "crash":
      case "crash-stale":
        this.strike(fault, "the process gets the answer, and ends before its next write");
        this.#doomed = process;
        if (fault.type === "crash-stale") this.#staleStart.plan(fault.before, process);
        return;
      case "crash-lost":
        this.strike(fault, "the write is stored, and the process ends before it gets the answer");
        process.kill();
        await never(request.signal);
        return;
      case "lost":
        this.strike(fault, "the write is stored, and the connection breaks before the answer");
        throw connectionReset("injected, after the answer of the server");
      case "stale":
        this.strike(fault, "all watches stand still until the end of the next pass of the object");
        this.#frozen ??= Promise.withResolvers();
        this.#stale = "writing";
        return;
      case "deposed":
      case "conflict":
      case "error":
      case "reset":
    }
  }

  #again(request: ApiRequest): Refusal | undefined {
    const striking = this.#refused;
    if (striking === undefined || striking.id !== requestId(request) || striking.left-- <= 0) return undefined;
    return striking.fault;
  }

  /** Notes that a fault of the point has happened. */
  strike(fault: PointFault, text: string): void {
    this.struck.add(this.#point.findIndex((one) => JSON.stringify(one) === JSON.stringify(fault)));
    this.journal.push({ type: "fault", text });
  }

  #watched(response: ApiResponse, target: Target, process: ProcessScope): ApiResponse {
    if (target.verb !== "watch" || response.stream === undefined) return response;
    const watch = target.namespace === undefined ? target.resource : `${target.namespace}/${target.resource}`;
    return { ...response, stream: gated(response.stream, this.#keeper(watch, process), hasInitialEvents(target)) };
  }

  #keeper(watch: string, process: ProcessScope): GateKeeper {
    return {
      get isDead() {
        return process.isDead;
      },
      turns: () => TURNS[Math.floor(this.#random.next() * TURNS.length)] ?? 0,
      count: () => {
        const number = (this.#eventCounts.get(watch) ?? 0) + 1;
        this.#eventCounts.set(watch, number);
        return number;
      },
      isSkipped: (number) => this.#point.some((one) => one.type === "skip" && one.watch === watch && one.event === number),
      thawed: (event) => (event?.isInitial === true && this.#staleStart.isOn ? undefined : this.#frozen?.promise),
      hold: (event) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#held.set(watch, resolve);
        this.strike({ type: "skip", watch, event: event.number ?? 0 }, `the event ${described(watch, event)} is withheld`);
        return promise;
      },
      replaced: (event, by) => {
        this.#held.delete(watch);
        this.journal.push({ type: "fault", text: `the event ${described(watch, by)} replaces ${described(watch, event)}` });
      },
      delivered: ({ type, key, number }) => {
        if (number === undefined) return;
        this.events.push({ watch, number, type, key });
        this.journal.push({ type: "event", watch, number, change: type, key });
      },
    };
  }
}

/** Sends requests that no process sends, such as those of a test. */
const NO_PROCESS: ProcessScope = { isDead: false, kill: () => undefined };
