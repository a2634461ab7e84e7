/** A typed client of the object store's API. */
import type { BucketView, Fetch, UserView } from "./store.ts";

/** An answer of the store that is an error, or that cannot be read. */
class StoreError extends Error {
  override readonly name = "StoreError";
  readonly status: number;
  /** What the store asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, status: number, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The values of a bucket that can be changed. */
export type BucketValues = Partial<Pick<BucketView, "versioning" | "quotaGb">>;

/** The API of the store. Each method rejects with a {@link StoreError}, or with the error of a connection that failed. */
export class StoreApi {
  readonly #url: string;
  readonly #token: string;
  readonly #fetch: Fetch;

  /** @param fetchIt for tests: answers without a socket */
  constructor(url: string, token: string, fetchIt: Fetch = fetch) {
    this.#url = url;
    this.#token = token;
    this.#fetch = fetchIt;
  }

  async getBucket(name: string, signal?: AbortSignal): Promise<BucketView | undefined> {
    return await orAbsent(this.#ask("GET", bucketPath(name), { signal }));
  }

  /** Creates the bucket, or sets its values if it exists. */
  async putBucket(name: string, values: Pick<BucketView, "region"> & Unset<BucketValues>, signal?: AbortSignal): Promise<BucketView> {
    return await this.#ask("PUT", bucketPath(name), { body: values, signal });
  }

  async patchBucket(name: string, values: Unset<BucketValues>, signal?: AbortSignal): Promise<BucketView> {
    return await this.#ask("PATCH", bucketPath(name), { body: values, signal });
  }

  /** Resolves as well if the bucket does not exist. */
  async deleteBucket(name: string, signal?: AbortSignal): Promise<void> {
    await orAbsent(this.#ask("DELETE", bucketPath(name), { signal }));
  }

  async getUser(id: string, signal?: AbortSignal): Promise<UserView | undefined> {
    return await orAbsent(this.#ask("GET", userPath(id), { signal }));
  }

  async findUser(tag: string, signal?: AbortSignal): Promise<UserView | undefined> {
    const { users } = await this.#ask<{ readonly users: readonly UserView[] }>("GET", `/users?tag=${encodeURIComponent(tag)}`, { signal });
    return users[0];
  }

  /** Creates another user each time. Without a password, the answer has one. */
  async addUser(
    values: Pick<UserView, "bucket" | "readOnly" | "tag"> & { readonly password?: string },
    signal?: AbortSignal,
  ): Promise<UserView & { readonly password?: string }> {
    return await this.#ask("POST", "/users", { body: values, signal });
  }

  async patchUser(id: string, values: Unset<Pick<UserView, "bucket" | "readOnly">>, signal?: AbortSignal): Promise<UserView> {
    return await this.#ask("PATCH", userPath(id), { body: values, signal });
  }

  /** Resolves as well if the user does not exist. */
  async deleteUser(id: string, signal?: AbortSignal): Promise<void> {
    await orAbsent(this.#ask("DELETE", userPath(id), { signal }));
  }

  async #ask<T>(
    method: string,
    path: string,
    { body, signal }: { readonly body?: object; readonly signal: AbortSignal | undefined },
  ): Promise<T> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await this.#fetch(`${this.#url}${path}`, { method, headers, ...sent, ...(signal === undefined ? {} : { signal }) });
    const text = await answer.text();
    const read = readJson(text);
    if (!answer.ok) throw new StoreError(`${method} ${path}: ${answer.status} ${messageOf(read)}`, answer.status, retryAfterMsOf(answer));
    if (read === undefined && answer.status !== 204) throw new StoreError(`${method} ${path}: the answer is not JSON`, 502);
    return read as T; // The API promises it.
  }
}

/** Values that may be `undefined`: JSON leaves them out. */
type Unset<Values> = { readonly [Key in keyof Values]?: Values[Key] | undefined };

const bucketPath = (name: string): string => `/buckets/${encodeURIComponent(name)}`;
const userPath = (id: string): string => `/users/${encodeURIComponent(id)}`;

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof StoreError && error.status === 404) return undefined;
    throw error;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(body: unknown): string {
  const { message } = (body ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : "";
}

function retryAfterMsOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
