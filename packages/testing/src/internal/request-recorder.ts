/** The recorder of an operator's requests: a transport that keeps them and lets observers answer. */
import { type ApiRequest, type ApiResponse, isApiError, type Transport } from "@treadle/apimachinery";
import { answerOf } from "../faults/answers.ts";
import type { RecordedRequest, RequestFilter, RequestLog, RequestObserver, Verb } from "../requests.ts";
import { describeRequest, matches } from "./request-description.ts";

const WRITES: ReadonlySet<Verb> = new Set(["create", "update", "patch", "apply", "delete"]);

/** Records the requests that go through a transport. */
export class Recorder implements RequestLog {
  #requests: RecordedRequest[] = [];
  #pending = 0;
  readonly #observers = new Set<RequestObserver>();

  /** Records the requests of `transport`. */
  through(transport: Transport): Transport {
    return {
      request: async (request) => {
        const recorded = this.#begin(request);
        this.#pending++;
        try {
          const answer = this.#observed(recorded);
          const fault = answer instanceof Promise ? await answer : answer;
          const response = fault ?? (await transport.request(request));
          recorded.status = response.status;
          return response;
        } finally {
          this.#pending--;
        }
      },
      close: async () => await transport.close(),
    };
  }

  /** Calls `observe` before each request until the returned function is called. */
  observe(observe: RequestObserver): () => void {
    this.#observers.add(observe);
    return () => void this.#observers.delete(observe);
  }

  /** Number of requests without an answer; an open watch has an answer. */
  get pending(): number {
    return this.#pending;
  }

  get length(): number {
    return this.#requests.length;
  }

  get writes(): readonly RecordedRequest[] {
    return this.filter({ verb: [...WRITES] });
  }

  filter(filter: RequestFilter = {}): readonly RecordedRequest[] {
    return this.#requests.filter((request) => matches(request, filter));
  }

  count(filter: RequestFilter = {}): number {
    return this.filter(filter).length;
  }

  summary(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { verb, resource, subresource, path } of this.#requests) {
      const what = `${verb} ${resource === "" ? path : resource}${subresource === undefined ? "" : `/${subresource}`}`;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  }

  clear(): void {
    this.#requests = [];
  }

  [Symbol.iterator](): Iterator<RecordedRequest> {
    return this.#requests[Symbol.iterator]();
  }

  /** Calls the observers. Returns the answer of one that throws an ApiError. @throws other errors of observers */
  #observed(request: RecordedRequest): ApiResponse | undefined | Promise<undefined> {
    const answers: Promise<unknown>[] = [];
    try {
      for (const observe of this.#observers) {
        const answer = observe(request);
        if (answer instanceof Promise) answers.push(answer);
      }
    } catch (error) {
      if (isApiError(error)) return answerOf(error);
      throw error;
    }
    // Without a promise there is no wait: another turn would change the order of requests.
    return answers.length === 0 ? undefined : Promise.all(answers).then(() => undefined);
  }

  #begin(request: ApiRequest): { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] } {
    const recorded = { ...describeRequest(request), status: 0 };
    this.#requests.push(recorded);
    return recorded;
  }
}
