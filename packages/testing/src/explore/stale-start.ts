/**
 * A process that begins with an older state than the one before it has seen: as a standby does whose watches lag behind
 * when it takes over, or whoever lists from an API server that is behind the others.
 */
import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";
import { staleRequest } from "../faults/stale.ts";
import type { Target } from "./journal.ts";

export class StaleStart {
  readonly #version: () => string;
  /** The server's version before each write. */
  readonly #versions = new Map<number, string>();
  #plan: { readonly before: number; readonly dying: object } | undefined;
  #shown: { readonly before: number; readonly version: string } | undefined;

  /** @param version the server's newest */
  constructor(version: () => string) {
    this.#version = version;
  }

  /** A write is about to be sent. */
  pass(write: number): void {
    this.#versions.set(write, this.#version());
  }

  /** The process after `dying` is to be shown the state before a write. */
  plan(before: number, dying: object): void {
    this.#plan = { before, dying };
  }

  /** A process begins. Returns whether it is shown the past. */
  begin(process: object): boolean {
    const plan = this.#plan;
    if (plan === undefined || plan.dying === process) return false;
    this.#plan = undefined;
    const version = this.#versions.get(plan.before);
    // A write that was refused has no state before it.
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

  /** What informers begin with is of the past; reads of a step are not: an API server answers those with what is stored. */
  async request(transport: Transport, request: ApiRequest, { verb }: Target): Promise<ApiResponse> {
    if (this.#shown === undefined || verb !== "watch" || !hasInitialEvents(request)) return await transport.request(request);
    const past = await staleRequest(transport, request, this.#shown.version);
    // Of a kind that was not served then there is only the present.
    return past.stream === undefined ? await transport.request(request) : past;
  }
}

/** Whether a watch begins with a list. */
export function hasInitialEvents({ path }: Pick<ApiRequest, "path">): boolean {
  return /[?&]sendInitialEvents=(true|1)(&|$)/.test(path);
}
