/** What may go wrong between a client and the store. Tests switch it on. */

/** A request, without the transport that brought it. */
export interface StoreRequest {
  readonly method: string;
  /** The path with its query: `/users?tag=a`. */
  readonly path: string;
  readonly token: string | undefined;
  readonly body: string;
}

/** What happens to a request: an answer, a connection that breaks, or nothing at all. */
export type StoreAnswer =
  | { readonly type: "answer"; readonly status: number; readonly body: string; readonly retryAfterSeconds?: number }
  | { readonly type: "broken" }
  | { readonly type: "hang" };

/** What goes wrong. `"lost"`: the request is done, and the connection breaks before the answer. `"refused"`: it breaks before. */
export type FaultType = "lost" | "refused" | "hang" | "garbage" | 429 | 500;

/** A fault of the next requests that fit. */
export interface Fault {
  /** The method. Without it the fault fits all. */
  readonly method?: string;
  /** The beginning of the path. Without it the fault fits all. */
  readonly path?: string;
  readonly what: FaultType;
  /** Without it, 1. */
  readonly times?: number;
  /** The `Retry-After` of a 429. Without it, 1. */
  readonly retryAfterSeconds?: number;
}

/** The faults that are switched on. */
export class Faults {
  #planned: { readonly fault: Fault; left: number }[] = [];

  /** Switches a fault on. The first one that fits a request is taken. */
  next(fault: Fault): void {
    this.#planned.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#planned = [];
  }

  take({ method, path }: StoreRequest): Fault | undefined {
    const found = this.#planned.find(
      ({ fault }) => (fault.method === undefined || fault.method === method) && path.startsWith(fault.path ?? ""),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#planned = this.#planned.filter((each) => each !== found);
    return found.fault;
  }
}
