/**
 * The object store that this example manages: buckets and users, in memory. It knows nothing of Kubernetes. Its API has what makes real
 * ones hard: a create that is not idempotent, creates that take their time, reads that lag behind, and faults that a test switches on.
 */
import { Faults, type StoreAnswer, type StoreRequest } from "./store-faults.ts";
import { type Body, bucketValues, parsed, parsedPath, Refusal, text, userValues } from "./store-input.ts";

/** A bucket as the API returns it. */
export interface BucketView {
  readonly name: string;
  readonly region: string;
  readonly versioning: boolean;
  readonly quotaGb: number;
  readonly endpoint: string;
  readonly state: "creating" | "available";
}

/** A user as the API returns it. The password is not part of it. */
export interface UserView {
  readonly id: string;
  readonly bucket: string;
  readonly readOnly: boolean;
  readonly tag: string;
  readonly state: "creating" | "available";
}

/** A stored thing, with the times at which it becomes visible and available. */
export type Stored<View> = Omit<View, "state" | "endpoint"> & { readonly visibleAtMs: number; readonly availableAtMs: number };

/** A stored user. */
export type StoredUser = Stored<UserView> & { readonly password: string };

/** The options of the store. All times are in milliseconds. */
export interface StoreOptions {
  /** What each bearer token may do. Without it, `secret` may write and `guest` may read. */
  readonly tokens?: Readonly<Record<string, "write" | "read">>;
  readonly now?: () => number;
  /** The time during which a new bucket or user is `creating`. Without it, 0. */
  readonly createMs?: number;
  /** The time until reads find a new bucket or user. Without it, 0. */
  readonly visibleAfterMs?: number;
  /** Called before each change. If it throws, the change does not happen. */
  readonly onChange?: (what: string) => void;
}

/** A fetch that asks the store without a socket. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The store in memory. Tests may change `buckets`, `users`, `tokens` and `faults` at any time. */
export class Store {
  readonly buckets: Map<string, Stored<BucketView>> = new Map();
  readonly users: Map<string, StoredUser> = new Map();
  readonly tokens: Map<string, "write" | "read">;
  readonly faults: Faults = new Faults();
  /** The requests so far, oldest first: `PUT /buckets/a`. */
  readonly calls: string[] = [];
  readonly #options: StoreOptions;
  #lastId = 0;

  constructor(options: StoreOptions = {}) {
    this.#options = options;
    this.tokens = new Map(Object.entries(options.tokens ?? { secret: "write", guest: "read" }));
  }

  /** Answers a request, with the fault that fits it. */
  answer(request: StoreRequest): StoreAnswer {
    this.calls.push(`${request.method} ${request.path}`);
    const fault = this.faults.take(request);
    switch (fault?.what) {
      case undefined:
        return this.#handled(request);
      case "lost":
        this.#handled(request);
        return { type: "broken" };
      case "refused":
        return { type: "broken" };
      case "hang":
        return { type: "hang" };
      case "garbage":
        return { type: "answer", status: 200, body: "<html>Bad gateway</html>" };
      case 429:
        return { ...failed(429, "too many requests"), retryAfterSeconds: fault?.retryAfterSeconds ?? 1 };
      case 500:
        return failed(500, "internal error");
    }
  }

  /** A {@link Fetch} for clients in this process. It ignores the host of the address. */
  readonly fetch: Fetch = async (url, { method = "GET", headers, body, signal } = {}) => {
    signal?.throwIfAborted();
    const { pathname, search } = new URL(url);
    const token = tokenOf(new Headers(headers).get("authorization") ?? undefined);
    const answer = this.answer({ method, path: `${pathname}${search}`, token, body: typeof body === "string" ? body : "" });
    if (answer.type === "hang")
      return await new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    if (answer.type === "broken") throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") });
    const noBody = answer.status === 204 ? null : answer.body;
    return new Response(noBody, { status: answer.status, headers: headersOf(answer) });
  };

  #handled(request: StoreRequest): StoreAnswer {
    try {
      const allowed = request.token === undefined ? undefined : this.tokens.get(request.token);
      if (allowed === undefined) throw new Refusal(401, "the token is not valid");
      if (request.method !== "GET" && allowed !== "write") throw new Refusal(403, "the token may only read");
      const { status, body } = this.#route(request);
      return { type: "answer", status, body: body === undefined ? "" : JSON.stringify(body) };
    } catch (error) {
      if (error instanceof Refusal) return failed(error.status, error.message);
      throw error;
    }
  }

  #route({ method, path, body }: StoreRequest): { readonly status: number; readonly body?: unknown } {
    const { pathname, searchParams, parts } = parsedPath(path);
    const [, collection = "", name, ...more] = parts;
    if (more.length > 0 || (collection !== "buckets" && collection !== "users")) throw new Refusal(404, `no such path: ${pathname}`);
    switch (`${method} ${collection}${name === undefined ? "" : "/"}`) {
      case "GET buckets/":
        return { status: 200, body: this.#bucketView(this.#visible(this.buckets, name)) };
      case "PUT buckets/":
        return this.#putBucket(name ?? "", parsed(body));
      case "PATCH buckets/":
        return { status: 200, body: this.#patchBucket(name ?? "", parsed(body)) };
      case "DELETE buckets/":
        return this.#delete(this.buckets, name ?? "", "bucket");
      case "GET users":
        return { status: 200, body: { users: this.#usersByTag(searchParams.get("tag") ?? undefined) } };
      case "POST users":
        return { status: 201, body: this.#addUser(parsed(body)) };
      case "GET users/":
        return { status: 200, body: this.#userView(this.#visible(this.users, name)) };
      case "PATCH users/":
        return { status: 200, body: this.#patchUser(name ?? "", parsed(body)) };
      case "DELETE users/":
        return this.#delete(this.users, name ?? "", "user");
      default:
        throw new Refusal(405, `${method} is not allowed here`);
    }
  }

  #putBucket(name: string, body: Body): { readonly status: number; readonly body: BucketView } {
    const existing = this.buckets.get(name);
    const region = text(body, "region");
    if (existing !== undefined && existing.region !== region) throw new Refusal(409, `bucket "${name}" is in region "${existing.region}"`);
    if (!/^[a-z0-9-]{3,63}$/.test(name)) throw new Refusal(422, `"${name}" is not a name of 3 to 63 of a-z, 0-9 and -`);
    const { versioning = false, quotaGb = 100 } = bucketValues(body);
    const times = existing ?? this.#times();
    this.#change(`put bucket ${name}`);
    const bucket = { ...times, name, region, versioning, quotaGb };
    this.buckets.set(name, bucket);
    return { status: existing === undefined ? 201 : 200, body: this.#bucketView(bucket) };
  }

  #patchBucket(name: string, body: Body): BucketView {
    const bucket = found(this.buckets, name);
    if (body["region"] !== undefined && body["region"] !== bucket.region) throw new Refusal(422, "the region cannot be changed");
    const values = bucketValues(body);
    this.#change(`patch bucket ${name}`);
    const changed = { ...bucket, ...values };
    this.buckets.set(name, changed);
    return this.#bucketView(changed);
  }

  /** Makes another user each time. It returns a password only if it chose one. */
  #addUser(body: Body): UserView & { readonly password?: string } {
    const bucket = text(body, "bucket");
    if (!this.buckets.has(bucket)) throw new Refusal(422, `bucket "${bucket}" does not exist`);
    const given = body["password"] === undefined ? undefined : text(body, "password");
    const { readOnly = false } = userValues(body);
    const tag = body["tag"] === undefined ? "" : text(body, "tag");
    this.#change(`add user ${tag}`);
    const id = `u-${++this.#lastId}`;
    const password = given ?? `chosen-for-${id}`;
    const user = { ...this.#times(), id, bucket, password, readOnly, tag };
    this.users.set(id, user);
    return { ...this.#userView(user), ...(given === undefined ? { password } : {}) };
  }

  #patchUser(id: string, body: Body): UserView {
    const user = found(this.users, id);
    const bucket = body["bucket"] === undefined ? user.bucket : text(body, "bucket");
    if (!this.buckets.has(bucket)) throw new Refusal(422, `bucket "${bucket}" does not exist`);
    const changed = { ...user, ...userValues(body), bucket };
    this.#change(`patch user ${id}`);
    this.users.set(id, changed);
    return this.#userView(changed);
  }

  #usersByTag(tag: string | undefined): readonly UserView[] {
    const visible = [...this.users.values()].filter((user) => user.visibleAtMs <= this.#now());
    return visible.filter((user) => tag === undefined || user.tag === tag).map((user) => this.#userView(user));
  }

  #delete(things: Map<string, unknown>, name: string, what: string): { readonly status: number } {
    if (!things.has(name)) throw new Refusal(404, `${what} "${name}" does not exist`);
    this.#change(`delete ${what} ${name}`);
    things.delete(name);
    return { status: 204 };
  }

  #visible<T extends { readonly visibleAtMs: number }>(things: Map<string, T>, name: string | undefined): T {
    const thing = found(things, name ?? "");
    if (thing.visibleAtMs > this.#now()) throw new Refusal(404, `"${name}" does not exist`);
    return thing;
  }

  #bucketView({ name, region, versioning, quotaGb, availableAtMs }: Stored<BucketView>): BucketView {
    return {
      name,
      region,
      versioning,
      quotaGb,
      endpoint: `https://${name}.${region}.store.example.com`,
      state: this.#state(availableAtMs),
    };
  }

  #userView({ id, bucket, readOnly, tag, availableAtMs }: StoredUser): UserView {
    return { id, bucket, readOnly, tag, state: this.#state(availableAtMs) };
  }

  #state(availableAtMs: number): "creating" | "available" {
    return availableAtMs > this.#now() ? "creating" : "available";
  }

  #times(): { readonly visibleAtMs: number; readonly availableAtMs: number } {
    const { createMs = 0, visibleAfterMs = 0 } = this.#options;
    return { visibleAtMs: this.#now() + visibleAfterMs, availableAtMs: this.#now() + createMs };
  }

  #change(what: string): void {
    this.#options.onChange?.(what);
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

/** Returns the token of an `Authorization` header. */
export function tokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer (\S+)$/.exec(authorization ?? "")?.[1];
}

/** Returns the headers of an answer. */
export function headersOf({ retryAfterSeconds }: StoreAnswer & { readonly type: "answer" }): Record<string, string> {
  const retryAfter: Record<string, string> = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return { "content-type": "application/json", ...retryAfter };
}

function failed(status: number, message: string): StoreAnswer & { readonly type: "answer" } {
  return { type: "answer", status, body: JSON.stringify({ message }) };
}

function found<T>(things: Map<string, T>, name: string): T {
  const thing = things.get(name);
  if (thing === undefined) throw new Refusal(404, `"${name}" does not exist`);
  return thing;
}
