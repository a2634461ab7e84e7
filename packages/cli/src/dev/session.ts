/** The work of `treadle dev` on one cluster: processes of the operator, watched files, CRDs and samples. It ends with its disposal. */
import { isAbsolute, relative } from "node:path";
import type { Clock, CustomResourceDefinition } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { applyCrds, applySamples, type ApplyOptions } from "./apply.ts";
import type { DevEvent } from "./events.ts";
import { howText, Operators } from "./operators.ts";
import type { StartOperator } from "./operator-process.ts";
import { PassFeed } from "./passes.ts";
import { placeIn } from "./place.ts";
import { FileWatcher } from "./watch-files.ts";

/** Options of {@link DevSession}. */
export interface DevSessionOptions {
  /** The folder of the project. */
  readonly root: string;
  /** The absolute path of the module. */
  readonly module: string;
  /** The absolute path of the folder with samples, which may not exist. */
  readonly samples: string;
  /** The namespace of samples that name none. */
  readonly namespace: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether quiet passes are events. */
  readonly isAll: boolean;
  readonly startProgram: StartOperator;
  /** Returns a folder and what is in it, or the folder alone if it does not exist. */
  filesOf(folder: string): readonly string[];
  onEvent(event: DevEvent): void;
}

export class DevSession implements AsyncDisposable {
  readonly #options: DevSessionOptions;
  readonly #operators: Operators;
  readonly #passes: PassFeed;
  readonly #sources: FileWatcher;
  readonly #samples: FileWatcher;
  /** The CRDs of the program, by name. */
  readonly #crds = new Map<string, CustomResourceDefinition>();
  readonly #ended = new AbortController();
  /** The files that were edited since the last process was started. */
  #edited: readonly string[] = [];
  /** Whether samples must be applied when an operator works. */
  #isDue = true;
  #applying: Promise<void> = Promise.resolve();
  #isToldOfWebhooks = false;

  constructor(options: DevSessionOptions) {
    const { clock, root, startProgram, isAll, onEvent } = options;
    this.#options = options;
    this.#passes = new PassFeed({ isAll, onEvent, placeOf: (stack) => placeIn(root, stack) });
    const onProblem = (message: string): void => onEvent({ type: "note", message });
    this.#sources = new FileWatcher({
      clock,
      root,
      onProblem,
      onChange: (paths) => {
        this.#edited = paths.map((path) => this.#shown(path));
        this.#operators.start("edit");
      },
    });
    this.#samples = new FileWatcher({ clock, root, onProblem, onChange: () => this.#samplesChanged() });
    this.#operators = new Operators({
      start: startProgram,
      clock,
      prepare: (starting) => this.#prepare(starting),
      onFile: (path, stamp) => this.#sources.add(path, stamp),
      report: this.#reports(),
    });
  }

  /** Starts the operator. */
  start(): void {
    this.#watchSamples();
    this.#operators.start("start");
  }

  /** Stops the operator and the watches. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#sources.close();
    this.#samples.close();
    this.#ended.abort(new Error("treadle dev ends"));
    await this.#operators.close();
    await this.#applying;
    this.#passes.count();
  }

  #reports(): ConstructorParameters<typeof Operators>[0]["report"] {
    const { onEvent, module } = this.#options;
    return {
      starting: (reason) => {
        // What the last process loaded need not be what the next one loads.
        this.#sources.clear();
        this.#sources.add(module);
        onEvent({ type: "loading", module: this.#shown(module), reason, files: this.#edited });
        this.#edited = [];
      },
      working: ({ pid, ...started }) => {
        onEvent({ type: "started", ...started, ...(pid === undefined ? {} : { pid }) });
        if (this.#isDue) this.#applySamples();
      },
      failed: (failed) => onEvent({ type: "failed", ...failed }),
      ended: ({ how, ...ended }) => {
        this.#passes.reset();
        onEvent({ type: "ended", how: howText(how), ...ended });
      },
      slow: () =>
        onEvent({
          type: "note",
          message: `no manager of ${this.#shown(module)} starts since 10 s: the module must run one, as by manager.run(), or export handlers`,
        }),
      killed: () =>
        onEvent({
          type: "note",
          message: "the operator did not stop within 10 s and was ended: pass req.signal to what its steps wait for",
        }),
      line: (line, isLeaving) => {
        // That another process takes its place, as in the configurations of webhooks, is no news.
        if (!isLeaving || "controller" in line.fields) this.#passes.line(line);
      },
      pass: (pass) => this.#passes.pass(pass),
      printed: (stream, text) => onEvent({ type: "output", stream, text }),
    };
  }

  async #prepare({
    crds,
    lacksWebhooks,
  }: {
    readonly crds: readonly CustomResourceDefinition[];
    readonly lacksWebhooks: boolean;
  }): Promise<void> {
    if (await applyCrds(crds, this.#apply)) this.#isDue = true;
    for (const crd of crds) this.#crds.set(crd.metadata.name, crd);
    if (!lacksWebhooks || this.#isToldOfWebhooks) return;
    this.#isToldOfWebhooks = true;
    this.#options.onEvent({ type: "note", message: NO_WEBHOOKS });
  }

  get #apply(): ApplyOptions {
    const { client, onEvent } = this.#options;
    return { client, onEvent, signal: this.#ended.signal };
  }

  #watchSamples(): void {
    const { samples, filesOf } = this.#options;
    this.#samples.clear();
    for (const path of filesOf(samples)) this.#samples.add(path);
  }

  #samplesChanged(): void {
    this.#watchSamples();
    // Without an operator that has started there may be no CRD.
    if (this.#crds.size > 0) this.#applySamples();
    else this.#isDue = true;
  }

  /** Applies the samples, after an apply that is under way. */
  #applySamples(): void {
    const { samples, filesOf, namespace } = this.#options;
    this.#isDue = false;
    this.#applying = this.#applying.then(async () => {
      if (filesOf(samples).length < 2) return;
      const areAll = await applySamples({ folder: this.#shown(samples), namespace, crds: [...this.#crds.values()] }, this.#apply).catch(
        () => false,
      );
      if (!areAll) this.#isDue = true;
    });
  }

  #shown(path: string): string {
    const short = relative(this.#options.root, path);
    return short.startsWith("..") || isAbsolute(short) ? path : short;
  }
}

const NO_WEBHOOKS =
  "the webhooks of the program are not registered: the API server cannot reach this machine. If it can, name this machine with --webhook-host HOST";
