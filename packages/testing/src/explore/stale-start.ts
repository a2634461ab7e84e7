/**
 * A process that starts with an older state than the process before it: a standby whose watches lag when it takes over, or a process
 * whose API server is behind the others.
 */
import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";
import { staleRequest } from "../faults/stale.ts";
import type { Target } from "./journal.ts";

export class StaleStart {
  readonly #version: () => string;
  /** Version of the server before each write. */
  readonly #versions = new Map<number, string>();
  #plan: { readonly before: number; readonly dying: object } | undefined;
  #shown: { readonly before: number; readonly version: string } | undefined;

  /** @param version returns the newest version of the server */
  constructor(version: () => string) {
    this.#version = version;
  }

  /** Called before a write is sent. */
  pass(write: number): void {
    this.#versions.set(write, this.#version());
  }

  /** Lets the process after `dying` start with the state before a write. */
  plan(before: number, dying: object): void {
    this.#plan = { before, dying };
  }

  /** Called when a process starts. Returns whether it sees an older state. */
  begin(process: object): boolean {
    const plan = this.#plan;
    if (plan === undefined || plan.dying === process) return false;
    this.#plan = undefined;
    const version = this.#versions.get(plan.before);
    // A refused write has no recorded version.
    if (version !== undefined) this.#shown = { before: plan.before, version };
    return version !== undefined;
  }

  end(): void {
    this.#shown = undefined;
  }

  get isOn(): boolean {
    return this.#shown !== undefined;
  }

  get shown(): string {
    return `the state before write ${this.#shown?.before}`;
  }

  /** Sends a request. Only the initial lists of informers are of the past: an API server answers live reads of a step with the current state. */
  async request(transport: Transport, request: ApiRequest, { verb }: Target): Promise<ApiResponse> {
    const isInitial = verb === "watch" ? hasInitialEvents(request) : verb === "list" && isFirstPageOfMetadata(request);
    if (this.#shown === undefined || !isInitial) return await transport.request(request);
    const past = await staleRequest(transport, request, this.#shown.version);
    const isKnown = verb === "watch" ? past.stream !== undefined : past.status === 200;
    // A kind that was not served then has only a current state.
    return isKnown ? past : await transport.request(request);
  }
}

/** Whether a watch begins with a list. */
export function hasInitialEvents({ path }: Pick<ApiRequest, "path">): boolean {
  return /[?&]sendInitialEvents=(true|1)(&|$)/.test(path);
}

/** Whether a list begins the view of an informer: of metadata only, it is read by pages. Later pages have the version of the first one. */
function isFirstPageOfMetadata({ path, headers }: Pick<ApiRequest, "path" | "headers">): boolean {
  return /;as=PartialObjectMetadataList\b/.test(headers["accept"] ?? "") && /[?&]limit=/.test(path) && !/[?&]continue=/.test(path);
}
