/**
 * The informer against a model of a server with a history. Own and foreign writes, late responses, late and repeated events,
 * ended watches, and lists older than the shown state are interleaved at random.
 *
 * Invariants, after every step (within the three minutes in which unconfirmed states are shown):
 * 1. After the response of an own write, no read returns an older state of that name, nor an object that we removed. An
 *    object is missing only if it was removed on the server.
 * 2. The shown state of a name never goes back to an older version: no object is lost, invented or restored.
 * 3. Handlers can keep a copy: all events in order, together with the own writes, give the state of the store.
 * 4. No event reports an own write that was announced by expectWrite. Without the announcement, an event that overtakes its
 *    response cannot be recognised; the other invariants hold anyway.
 * At the end, when everything is delivered: 5. the store shows the objects of the server. (With 3: no final state is lost.)
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { added, bookmark, deleted, errorLine, id, type Line, modified, type Rig, rig, type Stream, widget } from "./scripted.ts";

type Widget = ReturnType<typeof widget>;
const NAMES = ["a", "b", "c"] as const;

/** `finalize` is a deletion in two writes: first the mark, then the removal of the last finalizer, whose response is the last state. */
type Verb = "put" | "recreate" | "delete" | "finalize";

type Step =
  | { readonly type: "foreign" | "own"; readonly name: (typeof NAMES)[number]; readonly verb: Verb }
  /** The responses of `count` own writes arrive, from the one at `from` on: responses may overtake each other. */
  | { readonly type: "answer"; readonly count: number; readonly from: number }
  | { readonly type: "deliver"; readonly count: number; readonly repeat: boolean }
  | { readonly type: "bookmark" }
  /** The watch ends, and the next one resumes it. */
  | { readonly type: "end" }
  /** The watch expires. The following list is `lag` changes behind the server. */
  | { readonly type: "relist"; readonly lag: number };

const name = fc.constantFrom(...NAMES);
const verb = fc.constantFrom<Verb[]>("put", "put", "recreate", "delete", "finalize");
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("foreign" as const), name, verb }) },
    { weight: 5, arbitrary: fc.record({ type: fc.constant("own" as const), name, verb }) },
    { weight: 5, arbitrary: fc.record({ type: fc.constant("answer" as const), count: fc.integer({ min: 1, max: 4 }), from: fc.nat(2) }) },
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant("deliver" as const), count: fc.integer({ min: 1, max: 6 }), repeat: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constant({ type: "bookmark" as const }) },
    { weight: 1, arbitrary: fc.constant({ type: "end" as const }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("relist" as const), lag: fc.nat(8) }) },
  ),
  { maxLength: 40 },
);

/** A server. Versions count from 1; `log[i]` made version `i + 1`. */
class Server {
  readonly log: { readonly line: Line & { type: "ADDED" | "MODIFIED" | "DELETED" }; readonly state: ReadonlyMap<string, Widget> }[] = [];
  #uids = 0;

  get version(): number {
    return this.log.length;
  }

  stateAt(version: number): ReadonlyMap<string, Widget> {
    return this.log[version - 1]?.state ?? new Map();
  }

  put(name: string, metadata: object = {}): Widget {
    const existing = this.stateAt(this.version).get(name);
    const object = widget(name, this.version + 1, { uid: existing?.metadata.uid ?? `uid-${++this.#uids}`, metadata });
    this.#append(existing === undefined ? added(object) : modified(object), object.metadata.name, object);
    return object;
  }

  delete(name: string, metadata: object = {}): Widget | undefined {
    const existing = this.stateAt(this.version).get(name);
    if (existing === undefined) return undefined;
    const last = widget(name, this.version + 1, { uid: existing.metadata.uid ?? "", metadata });
    this.#append(deleted(last), name, undefined);
    return last;
  }

  #append(line: Line, name: string, object: Widget | undefined): void {
    const state = new Map(this.stateAt(this.version));
    if (object === undefined) state.delete(name);
    else state.set(name, object);
    this.log.push({ line: line as Server["log"][number]["line"], state });
  }
}

/** One run: the informer, the server, the messages between them, and the expected state. */
class Run {
  readonly server = new Server();
  readonly rig: Rig = rig();
  /** The copy that a handler keeps, from events and own writes. */
  readonly copy = new Map<string, Widget>();
  readonly #answers: (() => void)[] = [];
  readonly #ownVersions = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #floor = new Map<string, number>();
  readonly #newest = new Map<string, number>();
  readonly #problems: string[] = [];
  readonly #isAnnouncing: boolean;
  #stream: Stream | undefined;
  #delivered = 0;

  constructor(isAnnouncing: boolean) {
    this.#isAnnouncing = isAnnouncing;
  }

  async start(): Promise<void> {
    const { informer } = this.rig;
    informer.onEvent((event) => {
      const { object } = event;
      const { name } = object.metadata;
      const had = this.copy.get(name);
      if ((event.type === "added") !== (had === undefined))
        this.#problems.push(`${event.type} ${id(object)}, but handlers knew ${id(had)}`);
      if (event.type === "deleted") {
        this.copy.delete(name);
        if (this.#removed.has(object.metadata.uid ?? "")) this.#problems.push(`our removal came back as an event: ${id(object)}`);
        return;
      }
      this.copy.set(name, object);
      if (this.#isAnnouncing && this.#ownVersions.has(object.metadata.resourceVersion ?? ""))
        this.#problems.push(`our write came back as an event: ${id(object)}`);
    });
    informer.start();
    await this.#connect(0);
  }

  async do(step: Step): Promise<void> {
    switch (step.type) {
      case "foreign":
        this.#write(step.verb, step.name);
        break;
      case "own":
        this.#ownWrite(step.verb, step.name);
        break;
      case "answer":
        for (const answer of this.#answers.splice(step.from, step.count)) answer();
        break;
      case "deliver":
        this.#deliver(step.count, step.repeat);
        break;
      case "bookmark":
        if (this.#delivered > 0) this.#stream?.send(bookmark(this.#delivered));
        break;
      case "end":
        this.#stream?.end();
        await this.#connect(0);
        break;
      case "relist":
        this.#stream?.send(errorLine(410));
        await this.#connect(step.lag);
        break;
    }
    await this.rig.settle();
    this.check();
  }

  /** Delivers everything. */
  async finish(): Promise<void> {
    for (const answer of this.#answers.splice(0)) answer();
    this.#deliver(Number.POSITIVE_INFINITY, false);
    await this.rig.settle();
    this.check();
    const has = [...this.server.stateAt(this.server.version).values()];
    expect(new Set(this.rig.informer.list().map(id)), "5: the store shows what the server has").toEqual(new Set(has.map(id)));
    await this.rig.informer.stop();
  }

  check(): void {
    expect(this.#problems).toEqual([]);
    for (const name of NAMES) {
      const object = this.rig.informer.get({ name, namespace: "ns" });
      expect(id(this.copy.get(name)), "3: the copy of the handlers").toBe(id(object));
      if (object === undefined) {
        const floor = this.#floor.get(name) ?? 0;
        const wasAbsent = this.server.log.slice(Math.max(0, floor - 1)).some(({ state }) => !state.has(name)) || floor === 0;
        expect(wasAbsent, `1: ${name} is missing, but was always there after our write ${floor}`).toBe(true);
        continue;
      }
      const version = Number(object.metadata.resourceVersion);
      expect(version, `1: ${name} is older than our write`).toBeGreaterThanOrEqual(this.#floor.get(name) ?? 0);
      expect(this.#removed.has(object.metadata.uid ?? ""), `1: ${id(object)} was removed by us`).toBe(false);
      expect(version, `2: ${name} goes back`).toBeGreaterThanOrEqual(this.#newest.get(name) ?? 0);
      this.#newest.set(name, version);
    }
  }

  /** The written and the removed object; a deletion in two writes has both. */
  #write(verb: Verb, name: string): { readonly object?: Widget | undefined; readonly gone?: Widget | undefined } {
    if (verb === "put") return { object: this.server.put(name) };
    if (verb === "delete") return { gone: this.server.delete(name) };
    if (verb === "recreate") return { gone: this.server.delete(name), object: this.server.put(name) };
    if (!this.server.stateAt(this.server.version).has(name)) return {};
    return { object: this.server.put(name, MARKED), gone: this.server.delete(name, { ...MARKED, finalizers: [] }) };
  }

  #ownWrite(verb: Verb, name: string): void {
    const { informer } = this.rig;
    const ref = { name, namespace: "ns" };
    const done = this.#isAnnouncing ? informer.expectWrite(ref) : () => undefined;
    const { object, gone } = this.#write(verb, name);
    if (object !== undefined) this.#ownVersions.add(object.metadata.resourceVersion ?? "");
    const wrote = (): void => {
      if (object === undefined) return;
      informer.observeWrite(object);
      const version = Number(object.metadata.resourceVersion);
      this.#floor.set(name, Math.max(version, this.#floor.get(name) ?? 0));
      if (id(informer.get(ref)) === id(object)) this.copy.set(name, object);
    };
    const removed = (): void => {
      const uid = gone?.metadata.uid;
      if (gone === undefined || uid === undefined) return;
      if (verb === "finalize") informer.observeWrite(gone);
      else informer.observeDelete(ref, uid);
      this.#removed.add(uid);
      if (this.copy.get(name)?.metadata.uid === uid) this.copy.delete(name);
    };
    this.#answers.push(() => {
      for (const answer of verb === "finalize" ? [wrote, removed] : [removed, wrote]) answer();
      done();
    });
  }

  #deliver(count: number, repeat: boolean): void {
    const last = Math.min(this.server.version, this.#delivered + count);
    const first = repeat ? Math.max(0, this.#delivered - 3) : this.#delivered;
    this.#stream?.send(...this.server.log.slice(first, last).map(({ line }) => line));
    this.#delivered = last;
  }

  /** Responds to the next request of the informer. A list is `lag` changes behind. */
  async #connect(lag: number): Promise<void> {
    for (let i = 0; this.rig.waiting.length === 0 && i < 100; i++) await this.rig.clock.advance(i === 0 ? 0 : 500);
    const call = this.rig.watch();
    const version = call.options.resourceVersion;
    if (version !== undefined) {
      this.#delivered = Number(version);
      this.#stream = call.open();
      return;
    }
    // Versions begin with 1, so the list of an empty server also has 1; no event is missed by that.
    const at = Math.max(0, this.server.version - lag);
    this.#stream = call.open(...[...this.server.stateAt(at).values()].map(added), bookmark(Math.max(at, 0), true));
    this.#delivered = at;
  }
}

/** Metadata of a deleted object that a finalizer keeps. */
const MARKED = { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0, finalizers: ["example.dev/a"] };

test("an informer holds the five invariants in every interleaving", { tags: ["part"] }, async ({ part }) => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (given, isAnnouncing) => {
      const run = new Run(isAnnouncing);
      // Each further relist waits longer; more of them would take longer than three minutes.
      let relists = 0;
      await run.start();
      for (const step of given) {
        if (step.type === "relist" && ++relists > 5) continue;
        await run.do(step);
      }
      await run.finish();
    }),
    part.runs(300),
  );
});
