/** A client of the external service. Write yours here, or use the SDK of the service. */

/** The external resource, as the service returns it. */
export interface TemplateManagedView {
  readonly region: string;
  readonly sizeGb: number;
  readonly endpoint: string;
}

/** An error answer of the service. The operator decides by its status: 429 pauses, 401 and 403 ask for other credentials. */
export class TemplateManagedError extends Error {
  override readonly name = "TemplateManagedError";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export class TemplateManagedApi {
  readonly #url: string;
  readonly #token: string;
  readonly #fetch: typeof fetch;

  /** @param fetchIt for tests: answers without a service */
  constructor(url: string, token: string, fetchIt: typeof fetch = fetch) {
    this.#url = url;
    this.#token = token;
    this.#fetch = fetchIt;
  }

  /** Resolves to `undefined` if the resource does not exist. */
  async read(name: string, signal: AbortSignal): Promise<TemplateManagedView | undefined> {
    const answer = await this.#ask("GET", name, { signal });
    // The service promises this shape.
    return answer.status === 404 ? undefined : ((await answer.json()) as TemplateManagedView);
  }

  /** Creates the resource, or changes it if it exists. */
  async write(name: string, values: Partial<TemplateManagedView>, signal: AbortSignal): Promise<void> {
    await this.#ask("PUT", name, { body: JSON.stringify(values), signal });
  }

  /** Resolves as well if the resource does not exist. */
  async delete(name: string, signal: AbortSignal): Promise<void> {
    await this.#ask("DELETE", name, { signal });
  }

  async #ask(method: string, name: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    const answer = await this.#fetch(`${this.#url}/resources/${encodeURIComponent(name)}`, { ...init, method, headers });
    if (!answer.ok && answer.status !== 404) throw new TemplateManagedError(`${method} ${name}: ${answer.status}`, answer.status);
    return answer;
  }
}
