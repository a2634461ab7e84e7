/** `fakeReq`: one phase of one step at a time, in the environment of the engine and over an API server in memory. */
import {
  type Condition,
  type FakeClock,
  fakeClock,
  groupKindOf,
  type Kind,
  type KubernetesObject,
  type ObjectMeta,
  type ObjectOf,
  refOf,
  keyOf,
  type WriteOf,
} from "@treadle/apimachinery";
import { reconcilerEnv } from "@treadle/controller/unstable/driver";
import type { AnyStep, Outcome, Step, StepResult, UndeclaredUse } from "@treadle/reconcile";
import { factsOf, Fetches, type ReconcilerEnv, runStep, Shared, stateAnnotation, type StepFacts } from "@treadle/reconcile/unstable/engine";
import { Backend } from "./internal/backend.ts";
import { recordingLogger } from "./internal/log-recorder.ts";
import { fakeWatches } from "./internal/fake-watches.ts";
import { collectUndeclared } from "./internal/undeclared.ts";
import { DEFAULT_NAMESPACE, type Manifest, manifestOf, manifestsOf } from "./internal/manifests.ts";
import { KnownKinds } from "./internal/known-kinds.ts";
import { pictureCache } from "./internal/picture-cache.ts";
import type { RequestLog, RequestObserver } from "./requests.ts";
import type { LogLine, OperatorOutput, RecordedEvent, TestEnvironment } from "./test-environment.ts";

/** The phases of a step. */
export type PhaseName = "gate" | "do" | "cleanup" | "post";

/** The primary as a test gives it to {@link fakeReq}: any part of the object and of its metadata. */
export type FakeReqObject<K extends Kind> = Omit<Partial<WriteOf<K>>, "metadata"> & { readonly metadata?: Partial<ObjectMeta> };

/** Options of {@link fakeReq}. */
export interface FakeReqOptions {
  /** Manifests of other objects. A missing name is the kind in lower case, a missing namespace that of the primary. */
  readonly objects?: readonly object[];
  /** State of steps from earlier passes, by step name. */
  readonly state?: Readonly<Record<string, object>>;
  /** Kinds that neither a step nor a manifest names. */
  readonly kinds?: readonly Kind[];
  /** Name of the handler that contains the step. @defaultValue `<plural>.<group>` */
  readonly handlerName?: string;
  /** Kinds that the server does not serve. */
  readonly missing?: readonly Kind[];
  /** Virtual time. @defaultValue a fake clock that starts at 2026-01-01T00:00:00Z */
  readonly clock?: FakeClock;
}

/** Options of {@link FakeReq.run}. */
export type RunOptions<N> =
  | { readonly phase?: "do"; readonly vars: N }
  /** These phases have no vars: no `do` runs in a deletion pass. */
  | { readonly phase: "gate" | "cleanup"; readonly vars?: never }
  /** `outcome` is `req.outcome`. @defaultValue done */
  | { readonly phase: "post"; readonly vars?: Partial<N>; readonly outcome?: Outcome };

/** The last arguments of {@link FakeReq.run}: `vars` is required if the step needs vars. */
export type RunArgs<N> = {} extends N ? [options?: RunOptions<N> | { readonly phase?: "do"; readonly vars?: N }] : [options: RunOptions<N>];

interface AnyRunOptions {
  readonly phase?: PhaseName;
  readonly vars?: object;
  readonly outcome?: Outcome;
}

/** A primary and its surroundings, for tests of single steps. */
export interface FakeReq<T extends KubernetesObject> extends TestEnvironment, OperatorOutput {
  /**
   * Runs one phase of one step and saves its changes. Returns the result of the step, or `continue` if it returns nothing.
   * Deletes the object before a `cleanup`, held by its finalizer. Overlapping runs run one after another.
   * @throws what the step throws, and the errors of the engine: a deadline, an invalid result, a failed save
   */
  run<N extends object, P extends object>(step: Step<T, N, P>, ...options: RunArgs<N>): Promise<StepResult<P>>;
  /** The primary on the server after the last run; before the first run as it was given, after its deletion as it was last. */
  readonly object: T;
  /** Whether the server has removed the primary. */
  readonly isGone: boolean;
  /** The vars that the step handed over in the last run, also if it waited; empty before the first run. */
  readonly vars: object;
  /** `object.status`, never undefined. */
  readonly status: NonNullable<T extends { readonly status?: infer S } ? S : never>;
  /** `object.status.conditions`, never undefined. */
  readonly conditions: readonly Condition[];
  /** Virtual time. */
  readonly clock: FakeClock;
}

/**
 * Creates the environment of a step that is tested alone. Nothing is mocked: reads come from a cache, writes go to an
 * in-memory API server, and the engine saves what the step sets.
 *
 * @param given the primary, usually its `spec`; the name defaults to the kind in lower case, the namespace to `default`
 * @throws TypeError for a manifest that is not an object; errors of the server appear in the first `run`
 */
export function fakeReq<K extends Kind>(
  kind: K,
  given: FakeReqObject<K> = {} as FakeReqObject<K>,
  options: FakeReqOptions = {},
): FakeReq<ObjectOf<K>> {
  return new FakeRequest(kind, given, options) as unknown as FakeReq<ObjectOf<K>>; // Its objects are of the kind `kind`.
}

class FakeRequest {
  readonly #kind: Kind;
  readonly #options: FakeReqOptions;
  readonly #backend: Backend;
  readonly clock: FakeClock;
  readonly #manifests: readonly Manifest[];
  vars: object = {};
  readonly events: RecordedEvent[] = [];
  readonly logs: LogLine[] = [];
  readonly undeclared: UndeclaredUse[] = [];
  readonly #noteUndeclared = collectUndeclared(this.undeclared);
  readonly #fetches = new Fetches();
  readonly #shared = new Shared();
  #object: KubernetesObject;
  /** The memories of steps: the primary keeps its uid in all runs. */
  readonly #memories = new Map<string, object>();
  #started: Promise<void> | undefined;
  #isGone = false;
  /** Resolves at the end of the last requested run. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(kind: Kind, given: object, options: FakeReqOptions) {
    this.#kind = kind;
    this.#options = options;
    this.clock = options.clock ?? fakeClock();
    const known = new KnownKinds([kind, ...(options.kinds ?? [])]);
    const primary = manifestOf(kind, given, { where: "fakeReq given", namespace: DEFAULT_NAMESPACE });
    const namespace = primary.object.metadata.namespace ?? DEFAULT_NAMESPACE;
    const others = manifestsOf(options.objects ?? [], known, { where: "fakeReq objects", namespace });
    this.#manifests = [...others, primary];
    this.#object = primary.status === undefined ? primary.object : ({ ...primary.object, status: primary.status } as KubernetesObject);
    this.#backend = new Backend({ clock: this.clock, kinds: [kind, ...(options.kinds ?? [])], manifests: others });
  }

  get object(): KubernetesObject {
    return this.#object;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get status(): object {
    return (this.#object as { readonly status?: object }).status ?? {};
  }

  get conditions(): readonly Condition[] {
    return (this.status as { readonly conditions?: readonly Condition[] }).conditions ?? [];
  }

  get requests(): RequestLog {
    return this.#backend.requests;
  }

  onRequest(observe: RequestObserver): () => void {
    return this.#backend.requests.observe(observe);
  }

  async run(step: AnyStep, options: AnyRunOptions = {}): Promise<StepResult<object>> {
    const run = this.#last.then(() => this.#run(step, options));
    this.#last = run.catch(() => undefined); // The caller of the run gets the error.
    return await run;
  }

  async get(kind: Kind, key: string): Promise<KubernetesObject | undefined> {
    await this.#start();
    return await this.#backend.user.get(kind, this.#refOf(kind, key));
  }

  async list(kind: Kind, namespace?: string): Promise<readonly KubernetesObject[]> {
    await this.#start();
    return (await this.#backend.user.list(kind, namespace === undefined ? {} : { namespace })).items;
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  async #run(step: AnyStep, options: AnyRunOptions): Promise<StepResult<object>> {
    const facts = factsOf(this.#kind, step, this.#options.handlerName);
    const { phase = "do", vars = {}, outcome } = options;
    if (!facts.phases.has(phase) && facts.phases.size > 0)
      throw new TypeError(
        `step "${step.name}" has no ${phase}: run it with { phase: ${[...facts.phases].map((name) => `"${name}"`).join(" | ")} }`,
      );
    await this.#start();
    for (const kind of facts.kinds) if (!this.#isMissing(kind)) await this.#backend.use(kind);
    if (phase === "cleanup") await this.#delete(facts);
    await this.#look();
    if (this.#isGone)
      throw new Error(`cannot run step "${step.name}": ${this.#kind.kind} ${keyOf(this.#object.metadata)} no longer exists`);
    if (phase === "do" && this.#object.metadata.deletionTimestamp !== undefined)
      throw new TypeError(`step "${step.name}": the object is being deleted, so no do runs: use { phase: "cleanup" }`);
    try {
      const { result, vars: given } = await runStep(this.#kind, step, this.#env(), {
        object: this.#object,
        phase,
        vars,
        memories: this.#memories,
        ...(outcome === undefined ? {} : { outcome }),
        ...(this.#options.handlerName === undefined ? {} : { handlerName: this.#options.handlerName }),
      });
      this.vars = given;
      return result;
    } finally {
      await this.#look();
    }
  }

  #start(): Promise<void> {
    this.#started ??= this.#prepare();
    return this.#started;
  }

  async #prepare(): Promise<void> {
    await this.#backend.put(this.#manifests);
    const { state, handlerName } = this.#options;
    const ref = this.#object.metadata;
    if (state !== undefined && this.#kind.resource !== undefined) {
      if (!this.#kind.resource.stepState)
        throw new TypeError(`fakeReq state: ${this.#kind.kind} stores no step state: add stepState: true to its defineResource()`);
      await this.#backend.user.patch(this.#kind, ref, { type: "merge", body: { status: { steps: state } } }, { subresource: "status" });
    } else if (state !== undefined) {
      const annotations = { [stateAnnotation(this.#kind, handlerName)]: JSON.stringify(state) };
      await this.#backend.user.patch(this.#kind, ref, { type: "merge", body: { metadata: { annotations } } });
    }
    await this.#look();
  }

  /** Reads the current state of the primary and of everything that the step may read. */
  async #look(): Promise<void> {
    await this.#backend.refresh();
    const object = this.#backend.get(this.#kind, this.#object.metadata) as KubernetesObject | undefined;
    this.#isGone = object === undefined;
    if (object !== undefined) this.#object = object;
  }

  /** Deletes the object as a user. The finalizer of the step holds it; adds the finalizer if the step did not do so yet. */
  async #delete({ finalizer }: StepFacts): Promise<void> {
    await this.#look();
    const { user } = this.#backend;
    const { metadata } = this.#object;
    if (finalizer !== undefined && metadata.deletionTimestamp === undefined && !(metadata.finalizers ?? []).includes(finalizer)) {
      const finalizers = [...(metadata.finalizers ?? []), finalizer];
      await user.patch(this.#kind, metadata, { type: "merge", body: { metadata: { finalizers } } });
    }
    if (metadata.deletionTimestamp === undefined) await user.delete(this.#kind, metadata);
  }

  #env(): ReconcilerEnv {
    const backend = this.#backend;
    return reconcilerEnv({
      client: backend.client,
      cache: pictureCache(backend),
      clock: this.clock,
      log: recordingLogger(this.logs),
      fetches: this.#fetches,
      shared: this.#shared,
      isServed: (kind) => !this.#isMissing(kind),
      undeclared: this.#noteUndeclared,
      watches: fakeWatches(this.#backend, (kind) => this.#isMissing(kind)),
      recordEvent: ({ metadata }, event) => void this.events.push({ ...event, object: keyOf(metadata) }),
    });
  }

  #isMissing(kind: Kind): boolean {
    return this.#options.missing?.some((missing) => groupKindOf(missing) === groupKindOf(kind)) ?? false;
  }

  #refOf(kind: Kind, key: string): ReturnType<typeof refOf> {
    const ref = refOf(key);
    if (kind.scope === "Cluster" || ref.namespace !== undefined) return ref;
    return { ...ref, namespace: this.#object.metadata.namespace ?? DEFAULT_NAMESPACE };
  }
}
