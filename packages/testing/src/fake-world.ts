/**
 * `fakeWorld`: a handler, the objects around it, and time that moves only when the test moves it. The API server, the informers,
 * the queue and the reconciler are the real ones. There are no workers: the test decides when passes run.
 */
import {
  type FakeClock,
  fakeClock,
  groupKindOf,
  isKindNotServed,
  type Kind,
  keyOf,
  type KubernetesObject,
  metadataOnly,
  type ObjectOf,
  refOf,
} from "@treadle/apimachinery";
import { FeedRegistry, HandlerDriver } from "@treadle/controller/unstable/driver";
import type { Informer, Informers } from "@treadle/informer";
import type { AnyHandler, Handler, UndeclaredUse } from "@treadle/reconcile";
import { Fetches, Shared } from "@treadle/reconcile/unstable/engine";
import { Backend } from "./internal/backend.ts";
import { hasCaughtUp } from "./internal/caught-up.ts";
import { freed, queuedKeys } from "./internal/held-keys.ts";
import { fullKey, kindsOf } from "./internal/handler-kinds.ts";
import { recordingLogger } from "./internal/log-recorder.ts";
import { DEFAULT_NAMESPACE, type Manifest, manifestsOf } from "./internal/manifests.ts";
import { KnownKinds } from "./internal/known-kinds.ts";
import { outcomeOf, type PassOutcome } from "./internal/pass-outcome.ts";
import { PassCounter } from "./internal/pass-counter.ts";
import { unsettledText } from "./internal/unsettled-text.ts";
import { until } from "./internal/turns.ts";
import { collectUndeclared } from "./internal/undeclared.ts";
import { User, type UserActions } from "./internal/user.ts";
import { worldInformers } from "./internal/world-informers.ts";
import type { RequestLog, RequestObserver } from "./requests.ts";
import { checkStatus } from "./status-invariants.ts";
import type { LogLine, RecordedEvent, RecordedPass } from "./test-environment.ts";
import { kindsOfWebhooks } from "./webhooks/test-webhooks.ts";
import type { FakeWorld, FakeWorldOptions } from "./world.ts";

/**
 * Creates a world for one handler; it needs no stop. The API server, the informers and the reconciler are the real ones.
 * There are no workers: the test decides when passes run.
 *
 * @throws TypeError for a manifest that is not an object
 */
export function fakeWorld<T extends KubernetesObject>(handler: Handler<T>, options: FakeWorldOptions<T> = {}): FakeWorld {
  return new World(handler, options as FakeWorldOptions); // The predicate gets objects of the handler's kind only.
}

/** More passes of one object at the same time are a loop. */
const MAX_PASSES = 1_000;

class World implements FakeWorld {
  readonly clock: FakeClock;
  readonly passes: RecordedPass[] = [];
  readonly events: RecordedEvent[] = [];
  readonly logs: LogLine[] = [];
  readonly undeclared: UndeclaredUse[] = [];
  readonly #handler: AnyHandler;
  readonly #options: FakeWorldOptions;
  readonly #backend: Backend;
  readonly #user: User;
  readonly #manifests: readonly Manifest[];
  readonly #informers: Informers;
  readonly #driver: HandlerDriver;
  #started: Promise<void> | undefined;

  constructor(handler: AnyHandler, options: FakeWorldOptions) {
    this.#handler = handler;
    this.#options = options;
    this.clock = options.clock ?? fakeClock();
    const webhooks = options.webhooks ?? [];
    const declared = [...kindsOf(handler), ...(options.kinds ?? []), ...kindsOfWebhooks(webhooks)].filter((kind) => !this.#isMissing(kind));
    this.#manifests = manifestsOf(options.objects ?? [], new KnownKinds(declared), {
      where: "fakeWorld objects",
      namespace: DEFAULT_NAMESPACE,
    });
    const server = { garbageCollection: options.garbageCollection === true };
    this.#backend = new Backend({
      clock: this.clock,
      kinds: declared,
      manifests: this.#manifests,
      server,
      webhooks,
      webhookLogs: this.logs,
    });
    this.#user = new User(this.#backend, "fakeWorld");
    const { client, random } = this.#backend;
    const { informers, scope } = worldInformers(handler, { client, clock: this.clock, random }, (kind) => this.#driver.kindChanged(kind));
    this.#informers = informers;
    this.#driver = new HandlerDriver(handler, options.controller ?? {}, {
      client,
      cache: this.#informers.cache,
      clock: this.clock,
      log: recordingLogger(this.logs),
      fetches: new Fetches(),
      shared: new Shared(),
      feeds: new FeedRegistry({ informers: this.#informers, scopeOf: () => scope }),
      isServed: (kind) => this.#isServed(kind),
      undeclared: collectUndeclared(this.undeclared),
      recordEvent: ({ metadata }, event) => void this.events.push({ ...event, object: keyOf(metadata) }),
    });
  }

  get requests(): RequestLog {
    return this.#backend.requests;
  }

  onRequest(observe: RequestObserver): () => void {
    return this.#backend.requests.observe(observe);
  }

  async pass(key: string): Promise<PassOutcome> {
    await this.#caughtUp();
    const full = fullKey(this.#handler.kind, key, DEFAULT_NAMESPACE);
    await freed(this.#driver, "pass", () => [full]);
    this.#driver.queue.drop(full);
    const pass = await this.#run(full);
    await this.#caughtUp();
    if (pass === undefined)
      throw new Error(`fakeWorld.pass: cannot run a pass for ${full}: the server does not serve ${this.#handler.kind.kind}`);
    return pass.outcome;
  }

  async settled(): Promise<void> {
    await this.#caughtUp();
    let last: RecordedPass | undefined;
    const counter = new PassCounter(this.clock);
    const { queue } = this.#driver;
    while (queue.status().queued > 0) {
      if (queue.status().running > 0) await freed(this.#driver, "settled", () => queuedKeys(queue));
      const key = await queue.get();
      if (key === undefined) break;
      if (counter.count(key) > MAX_PASSES) throw new Error(unsettledText(`fakeWorld: ${last?.key ?? "the handler"}`, last, MAX_PASSES));
      await freed(this.#driver, "settled", () => [key]);
      last = (await this.#run(key)) ?? last;
      await this.#caughtUp();
    }
    if (this.#options.checkStatus !== false) await this.checkStatus();
  }

  async advance(ms: number): Promise<void> {
    await this.#start();
    await this.clock.advance(ms);
    await this.#backend.refresh();
  }

  dueIn(key: string): number | undefined {
    const full = fullKey(this.#handler.kind, key, DEFAULT_NAMESPACE);
    const { queued, delayed } = this.#driver.queue.keys(Number.POSITIVE_INFINITY);
    return queued.some((each) => each.key === full) ? 0 : delayed.find((each) => each.key === full)?.inMs;
  }

  async get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined> {
    await this.#start();
    await this.#backend.refresh();
    return this.#backend.get(kind, refOf(fullKey(kind, key, DEFAULT_NAMESPACE)));
  }

  async list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]> {
    await this.#start();
    await this.#backend.refresh();
    return this.#backend.list(kind, namespace === undefined ? {} : { namespace });
  }

  create: UserActions["create"] = (kind, object) => this.#acting(() => this.#user.create(kind, object));
  apply: UserActions["apply"] = (manifest) => this.#acting(() => this.#user.apply(manifest));
  update: UserActions["update"] = (kind, key, change) => this.#acting(() => this.#user.update(kind, key, change));
  updateStatus: UserActions["updateStatus"] = (kind, key, change) => this.#acting(() => this.#user.updateStatus(kind, key, change));
  makeReady: UserActions["makeReady"] = (kind, key) => this.#acting(() => this.#user.makeReady(kind, key));
  delete: UserActions["delete"] = (kind, key) => this.#acting(() => this.#user.delete(kind, key));

  async #acting<R>(act: () => Promise<R>): Promise<R> {
    await this.#start();
    const result = await act();
    await this.#caughtUp();
    return result;
  }

  #start(): Promise<void> {
    this.#started ??= (async () => {
      await this.#backend.begin();
      await this.#backend.put(this.#manifests);
      this.#informers.startAll();
      const served = this.#informers.all().filter(({ kind }) => !this.#isMissing(kind));
      // A built-in kind with a wrong plural is never served: its steps report it.
      await until(
        () => served.every((informer) => informer.hasSynced || isKindNotServed(informer.progress().lastError)),
        () => `fakeWorld: the informers did not start: ${served.map(({ kind }) => kind.kind).join(", ")}`,
      );
      this.#driver.begin();
      this.#backend.requests.clear(); // The lists and watches of the start are the same in every world.
    })();
    return this.#started;
  }

  /** Waits until the informers and the picture have all objects of the server. */
  async #caughtUp(): Promise<void> {
    await this.#start();
    await until(
      async () => {
        await this.#backend.server.settled();
        await this.#backend.observe(this.#informers.all().map(({ kind }) => kind));
        await this.#backend.refresh();
        const { primary, isListing } = this.#driver;
        if (isListing) return false;
        // While a write of the operator has no answer, the informer shows no other change of that object.
        return this.#informers
          .all()
          .every((informer) =>
            hasCaughtUp(informer, this.#backend, (ref) => informer === primary.informer && primary.isExpectingWrite(ref)),
          );
      },
      () =>
        `fakeWorld: the informers did not catch up with the server: ${this.#informers
          .all()
          .map(({ kind }) => kind.kind)
          .join(", ")}`,
    );
  }

  async #run(key: string): Promise<RecordedPass | undefined> {
    const result = await this.#driver.pass(key, { reconcileID: `pass-${this.passes.length + 1}` });
    this.#driver.done(key, result);
    if (result === undefined) return undefined;
    const pass = { ...result, outcome: outcomeOf(result), handler: this.#handler.name, key, atMs: this.clock.now() };
    this.passes.push(pass);
    return pass;
  }

  async install(kind: Kind): Promise<void> {
    await this.#start();
    await this.#backend.use(kind);
    this.#informerOf(kind)?.retry();
    this.#driver.lookUpKinds();
    await this.#caughtUp();
    this.#driver.enqueueAll("the server began or ceased to serve a kind");
  }

  /** The informer of a kind, of whole objects or of metadata. */
  #informerOf(kind: Kind): Informer | undefined {
    return this.#informers.get(metadataOnly(kind)) as Informer | undefined;
  }

  #isMissing(kind: Kind): boolean {
    return this.#options.missing?.some((missing) => groupKindOf(missing) === groupKindOf(kind)) ?? false;
  }

  #isServed(kind: Kind): boolean {
    const informer = this.#informerOf(kind);
    return informer === undefined ? !this.#isMissing(kind) : informer.hasSynced && !isKindNotServed(informer.progress().lastError);
  }

  async checkStatus(): Promise<void> {
    await this.#start();
    await this.#backend.refresh();
    for (const object of this.#backend.list(this.#handler.kind) as readonly KubernetesObject[])
      checkStatus(object, { handler: this.#handler, nowMs: this.clock.now() });
  }
}
