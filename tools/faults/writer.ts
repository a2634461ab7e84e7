/** Changes objects all the time, directly at the server, and tells what became of each write. */
import { isNotFound, type Random, sleep, systemClock } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { type Client, createClient, httpTransport } from "@treadle/client";
import type { KindName, State } from "./messages.ts";
import type { Server } from "./server.ts";
import { FIRST, LAST, Widget } from "./widget.ts";

const NAMES = [FIRST, "w1", "w2", "w3", "w4", "w5", "w6", "w7"];
const PARTS: readonly KindName[] = ["Widget", "ConfigMap", "Secret"];
const EVERY_MS = 30;
const LOOK_EVERY_MS = 20;
const GIVES_UP_MS = 3_000;

export interface WriterOptions {
  readonly server: Server;
  readonly namespace: string;
  readonly random: Random;
  readonly onWrite: (kind: KindName, state: State) => void;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #client: Client;
  #abort: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  #count = 0;
  writes = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#client = createClient({ transport: httpTransport(options.server.target), retry: false, fieldManager: "writer" });
  }

  /** Makes all objects, in a namespace that {@link close} takes away. */
  async furnish(): Promise<void> {
    const { namespace } = this.#options;
    await this.#client.create(Namespace, { metadata: { name: namespace } });
    for (const name of NAMES) for (const part of PARTS) await this.#put(part, name);
  }

  start(): void {
    const abort = new AbortController();
    this.#abort = abort;
    this.#running = this.#run(abort.signal);
  }

  /** Resolves after `count` more writes. A loaded machine takes longer for them, and does not write less. */
  async wrote(count: number): Promise<void> {
    const goal = this.writes + count;
    while (this.writes < goal) await sleep(systemClock, LOOK_EVERY_MS);
  }

  /**
   * Resolves when the last write was answered. Of each kind one object was deleted and one was changed twice, so that there is
   * a deletion and an update to see after everything, however few writes came before.
   */
  async pause(): Promise<void> {
    this.#abort?.abort();
    await this.#running;
    for (const part of PARTS) await this.#delete(part, LAST).catch(unlessNotFound);
    for (const part of [...PARTS, ...PARTS]) await this.#put(part, FIRST);
  }

  async close(): Promise<void> {
    this.#abort?.abort();
    await this.#running;
    await this.#client.delete(Namespace, { name: this.#options.namespace }).catch(() => undefined);
    await this.#client.close();
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (const part of PARTS) await this.#put(part, LAST).catch(() => undefined);
    while (!signal.aborted) {
      // While the server is away nothing can be written, and what became of a write that was cut off the auditor hears.
      await this.#change().catch(() => undefined);
      await sleep(systemClock, EVERY_MS, signal).catch(() => undefined);
    }
  }

  async #change(): Promise<void> {
    const { random } = this.#options;
    const draw = (count: number): number => Math.floor(random.next() * count);
    const name = NAMES[draw(NAMES.length)] ?? FIRST;
    const part = PARTS[draw(PARTS.length)] ?? "Widget";
    if (draw(6) > 0 || name === FIRST) return await this.#put(part, name);
    await this.#delete(part, name);
    // Sometimes the next one of that name comes at once.
    if (draw(2) === 0) await this.#put(part, name);
  }

  async #delete(part: KindName, name: string): Promise<void> {
    const { namespace } = this.#options;
    await this.#client.delete(KINDS[part], { namespace, name }, { signal: AbortSignal.timeout(GIVES_UP_MS) });
    this.writes++;
  }

  async #put(part: KindName, name: string): Promise<void> {
    const { namespace, onWrite } = this.#options;
    const value = String(++this.#count);
    const metadata = { namespace, name };
    const body = {
      Widget: { metadata, spec: { value } },
      ConfigMap: { metadata, data: { value } },
      Secret: { metadata, data: { value: Buffer.from(value).toString("base64") } },
    }[part];
    const signal = AbortSignal.timeout(GIVES_UP_MS);
    const object = await this.#client.apply(KINDS[part], body as never, { force: true, signal }); // each body is of its kind
    this.writes++;
    const { uid = "", resourceVersion: version = "" } = object.metadata;
    onWrite(part, { key: `${namespace}/${name}`, uid, version });
  }
}

/** The first write of a series may have been cut off. */
function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

const KINDS = { Widget, ConfigMap, Secret } as const;
