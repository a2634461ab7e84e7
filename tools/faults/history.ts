/**
 * What happened on a server, and what an operator saw of it: the two are compared here. Nothing of Treadle is used, so that
 * one mistake cannot hide another.
 *
 * All objects of a server share one sequence of versions, which no clock disturbs. Times are milliseconds of this process.
 */
import type { Dump, KindName, Seen, State } from "./messages.ts";

export interface Change extends State {
  readonly kind: KindName;
  readonly isDeleted: boolean;
  /** What its writers say in it: an operator that changes its status changes nothing here. */
  readonly content: string;
  /** The change may have come at any version after this, and what is seen here something later. @defaultValue it came just now */
  readonly since?: string | undefined;
  readonly at: number;
}

export interface Recovery {
  readonly ms: number;
  readonly what: string;
}

interface Timed {
  readonly version: bigint;
  readonly uid: string;
  readonly isDeleted: boolean;
  readonly at: number;
}

/** One object name: its states on the server, and what was seen of it. */
interface Track {
  readonly kind: KindName;
  readonly key: string;
  changes: (Timed & { readonly content: string; readonly isDue: boolean; readonly since: bigint })[];
  events: Timed[];
  /** Of a Widget its passes, of others what passes read of it. */
  passes: Timed[];
  /** The newest version that an informer held. */
  held: bigint;
}

export class History {
  readonly #tracks = new Map<string, Track>();
  readonly #known = new Set<string>();
  /** Versions of which this process cannot know, because it was cut off. */
  #gaps: { readonly from: bigint; readonly to: bigint }[] = [];
  #unknown: { readonly id: string; readonly version: bigint; readonly what: string }[] = [];
  #problems: string[] = [];
  #overAt = Number.NEGATIVE_INFINITY;
  #changeCount = 0;
  #passCount = 0;

  get changeCount(): number {
    return this.#changeCount;
  }

  get passCount(): number {
    return this.#passCount;
  }

  /** The operator has to recover from now on. */
  faultOver(at: number): void {
    this.#overAt = at;
  }

  /** What the server told. Each state counts once, whoever told it first. */
  changed({ kind, key, uid, version, isDeleted, content, since, at }: Change): void {
    this.#known.add(id(kind, uid, version));
    const track = this.#track(kind, key);
    const last = track.changes.at(-1);
    const number = BigInt(version);
    if (last !== undefined && number <= last.version) return;
    const isDue = isDeleted || last === undefined || last.isDeleted || last.uid !== uid || last.content !== content;
    // Only a Widget is changed by its operator, too, who has neither an event nor a pass of that.
    const from = since === undefined || kind !== "Widget" ? number : BigInt(since) + 1n;
    track.changes.push({ version: number, uid, isDeleted, content, isDue, since: from, at });
    if (isDue) this.#changeCount++;
  }

  /** A state that the answer to a write showed: it existed. */
  wrote(kind: KindName, { uid, version }: State): void {
    this.#known.add(id(kind, uid, version));
  }

  /** This process missed what was between. */
  gap(from: string, to: string): void {
    this.#gaps.push({ from: BigInt(from), to: BigInt(to) });
  }

  /** The newest state of a name that the server told; undefined: there is none. */
  present(kind: KindName): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const track of this.#tracks.values()) {
      const last = track.changes.at(-1);
      if (track.kind === kind && last !== undefined && !last.isDeleted) found.set(track.key, `${last.uid}@${last.version}`);
    }
    return found;
  }

  saw(seen: Seen, at: number): void {
    if (seen.type === "event") {
      const isDeleted = seen.event === "deleted";
      this.#observe(this.#track(seen.kind, seen.key), "events", { ...seen, isDeleted, at });
      return;
    }
    this.#passCount++;
    this.#observe(this.#track("Widget", seen.key), "passes", { ...seen, isDeleted: false, at });
    for (const kind of ["ConfigMap", "Secret"] as const) {
      const input = seen[kind];
      const track = this.#track(kind, seen.key);
      if (input !== null) this.#observe(track, "passes", { ...input, isDeleted: false, at });
      // That it is gone is seen, too: what a pass does not find was deleted by the last event that said so.
      else track.passes.push({ version: 0n, uid: "", ...track.events.findLast(({ isDeleted }) => isDeleted), isDeleted: true, at });
    }
  }

  /** What informers hold in the middle of everything: each state existed, and none is older than one before. */
  held(dump: Dump): void {
    for (const kind of Object.keys(dump) as KindName[])
      for (const { key, uid, version } of dump[kind]) {
        const track = this.#track(kind, key);
        const [number, before] = [BigInt(version), track.held];
        if (number === before) continue;
        track.held = number;
        const what = `an informer held ${kind} ${key} ${uid}@${version}`;
        this.#unknown.push({ id: id(kind, uid, version), version: number, what });
        if (number < before) this.#problems.push(`backwards: ${what} after version ${before}`);
      }
  }

  /** What is wrong whatever comes. Called when nothing is on its way any more. */
  problems(): readonly string[] {
    const invented = this.#unknown.filter(({ id: state, version }) => !this.#known.has(state) && !this.#isInGap(version));
    return [...this.#problems, ...invented.map(({ what }) => `invented: ${what}, which the server never had`)];
  }

  get unverified(): number {
    return this.#unknown.filter(({ id: state, version }) => !this.#known.has(state) && this.#isInGap(version)).length;
  }

  /** What is due and was not seen. */
  missing(): readonly string[] {
    return this.#judge().flatMap(({ what, ms }) => (ms === undefined ? [what] : []));
  }

  /** The longest that something which was seen took. */
  slowest(): Recovery {
    let slowest: Recovery = { ms: 0, what: "nothing" };
    for (const { what, ms = 0 } of this.#judge()) if (ms > slowest.ms) slowest = { ms, what };
    return slowest;
  }

  /** What informers hold, against what there is. */
  compare(dump: Dump): readonly string[] {
    return (Object.keys(dump) as KindName[]).flatMap((kind) => {
      const held = new Map(dump[kind].map(({ key, uid, version }) => [key, `${uid}@${version}`]));
      const there = this.present(kind);
      const keys = new Set([...held.keys(), ...there.keys()]);
      return [...keys]
        .filter((key) => held.get(key) !== there.get(key))
        .map((key) => `${kind} ${key}: the informer holds ${held.get(key) ?? "nothing"}, the server has ${there.get(key) ?? "nothing"}`);
    });
  }

  /** Forgets what was found in order, so that a run may take days. After a rest at which nothing was missing. */
  forget(): void {
    this.#known.clear();
    this.#gaps = [];
    this.#unknown = [];
    for (const [name, track] of this.#tracks) {
      const last = track.changes.at(-1);
      if (last === undefined || last.isDeleted) {
        this.#tracks.delete(name);
        continue;
      }
      this.#known.add(id(track.kind, last.uid, String(last.version)));
      track.changes = [{ ...last, isDue: false }];
      track.events = track.events.slice(-1);
      track.passes = track.passes.slice(-1);
    }
  }

  #track(kind: KindName, key: string): Track {
    const name = `${kind} ${key}`;
    const found = this.#tracks.get(name);
    if (found !== undefined) return found;
    const track: Track = { kind, key, changes: [], events: [], passes: [], held: 0n };
    this.#tracks.set(name, track);
    return track;
  }

  #observe(
    track: Track,
    source: "events" | "passes",
    { uid, version, isDeleted, at }: State & { readonly isDeleted: boolean; readonly at: number },
  ): void {
    const number = BigInt(version);
    const what = `${source === "events" ? "an event" : "a pass"} saw ${track.kind} ${track.key} ${uid}@${version}`;
    this.#unknown.push({ id: id(track.kind, uid, version), version: number, what });
    const newest = track[source].findLast((seen) => seen.uid !== "")?.version;
    if (newest !== undefined && number < newest) this.#problems.push(`backwards: ${what} after version ${newest}`);
    track[source].push({ version: number, uid, isDeleted, at });
  }

  #isInGap(version: bigint): boolean {
    return this.#gaps.some(({ from, to }) => version > from && version <= to);
  }

  #judge(): { readonly what: string; readonly ms: number | undefined }[] {
    const judged: { readonly what: string; readonly ms: number | undefined }[] = [];
    for (const track of this.#tracks.values())
      for (const [index, change] of track.changes.entries()) {
        if (!change.isDue) continue;
        const later = track.changes.slice(index + 1);
        // Of what went again meanwhile the deletion has to be seen, or nothing.
        const isSuperseded = !change.isDeleted && later.some(({ isDeleted }) => isDeleted);
        const isUnheardOf = change.isDeleted && !track.events.some(({ uid }) => uid === change.uid);
        if (isSuperseded || isUnheardOf) continue;
        const what = `${track.kind} ${track.key} ${change.uid}@${change.version}${change.isDeleted ? " (deleted)" : ""}`;
        judged.push({ what: `an event of ${what}`, ms: this.#after(change, eventsOf(track)) });
        if (this.#isForPass(track, change)) judged.push({ what: `a pass that sees ${what}`, ms: this.#after(change, track.passes) });
      }
    return judged;
  }

  /** Passes see Widgets, and what a Widget that is there all the time reads. */
  #isForPass({ kind, key }: Track, { version, isDeleted }: Timed): boolean {
    if (kind === "Widget") return !isDeleted;
    const widget = this.#tracks.get(`Widget ${key}`)?.changes ?? [];
    const before = widget.findLast((change) => change.version < version);
    if (before === undefined || before.isDeleted) return false;
    return widget.every((change) => change.version < version || !change.isDeleted);
  }

  #after(change: Timed & { readonly since: bigint }, observed: readonly Timed[]): number | undefined {
    const first = observed.find(({ version, uid, isDeleted }) =>
      change.isDeleted
        ? version > change.version || (isDeleted && (uid === change.uid || version >= change.version))
        : version >= change.since,
    );
    return first === undefined ? undefined : Math.max(0, first.at - Math.max(change.at, this.#overAt));
  }
}

/**
 * An operator that writes into an object, and learns from the answer that somebody else changed it, has no event of that
 * (`Informer.observeWrite`): it has to have another pass.
 */
function eventsOf({ kind, events, passes }: Track): readonly Timed[] {
  return kind === "Widget" ? [...events, ...passes].toSorted((a, b) => a.at - b.at) : events;
}

function id(kind: KindName, uid: string, version: string): string {
  return `${kind}/${uid}/${version}`;
}
