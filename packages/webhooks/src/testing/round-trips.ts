/** Checks that conversions lose nothing, with objects at random. It needs no server and no test runner: the promise rejects. */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import type * as FastCheck from "fast-check";
import { type Converter, converterOf } from "../conversion/converter.ts";
import { ConversionError } from "../conversion/errors.ts";
import { assembled, problemsOf, sectionsOf, settled, type View, viewsOf } from "../conversion/views.ts";
import { Way } from "../conversion/way.ts";
import type { Sections } from "../conversion/annotation.ts";
import { settledOf, type Webhooks } from "../webhooks.ts";
import { changedElsewhere, differences, editsOf } from "./edits.ts";
import { valuesOf } from "./objects.ts";
import { unordered } from "./unordered.ts";

/** An object of a kind in any of its versions. */
export type AnyVersionOf<K extends Kind> = K extends { readonly versions: infer V }
  ? { readonly [L in keyof V]: ObjectOf<V[L]> }[keyof V]
  : ObjectOf<K>;

/** How many objects are tried, and which. */
export interface RoundTripOptions<K extends Kind = Kind> {
  /** The number of objects for each version. @defaultValue 100 */
  readonly runs?: number;
  /** The number from which the objects follow. @defaultValue another one at each call; an error has it in its message */
  readonly seed?: number;
  /**
   * Returns whether an object keeps the rules that its schema does not have, such as those of CEL. It is called for objects of every version,
   * whose `apiVersion` has the version. Other objects are not tried. @defaultValue all are tried
   */
  valid?(object: AnyVersionOf<K>): boolean;
}

/** A conversion that loses or invents something, or that breaks a schema. The message has the versions, the object and the difference. */
export class RoundTripError extends Error {
  /** The name of the class. */
  override readonly name = "RoundTripError";
  /** The code. */
  readonly code = "ERR_ROUND_TRIP";
  /** The seed that repeats the failure. */
  readonly seed: number;

  constructor(message: string, seed: number, options?: ErrorOptions) {
    super(message, options);
    this.seed = seed;
  }
}

/**
 * Checks the conversions of a kind with objects that are made from its schemas. For each version besides the hub:
 * - hub, version, hub: the objects are equal; also by way of every other version;
 * - after one change in the version, the change is there and everything else is as before, in both versions;
 * - all results satisfy their schemas, and functions return the same for the same object.
 *
 * The order of sets and of lists with keys is not compared. Rules in CEL are not evaluated, so functions get objects that break them: `valid`
 * leaves these out. It loads `fast-check`, which must be installed.
 *
 * @throws RoundTripError with the smallest object that fails, and the seed that repeats it
 */
export async function roundTrips<K extends Kind>(webhooks: Webhooks<K>, options: RoundTripOptions<K> = {}): Promise<void> {
  const fc: typeof FastCheck = await loaded();
  const { kind, convert } = settledOf(webhooks);
  const [hub, ...lowers] = viewsOf(kind).values();
  if (hub === undefined || lowers.length === 0 || Object.keys(convert).length === 0)
    throw new TypeError(`roundTrips: the webhooks of ${kind.kind} convert nothing: give them convert`);
  const converter = converterOf({ kind, convert });
  const hubs = sectionValues(hub, fc);
  const { valid = () => true } = options;
  const isValid = (object: KubernetesObject): boolean => valid(structuredClone(object) as AnyVersionOf<K>); // made by a schema of the kind
  for (const lower of lowers) {
    const functions = convert[lower.kind.version];
    if (functions === undefined) throw new TypeError(`roundTrips: ${lower.kind.kind} ${lower.kind.version} has no functions up and down`);
    const trip: Trip = {
      converter,
      hub,
      lower,
      others: lowers.filter((each) => each !== lower),
      way: new Way(hub, lower, functions),
      isValid,
    };
    const property = fc.property(hubs, sectionValues(lower, fc), fc.nat(), (sections, other, pick) => {
      const object = assembled(hub, metadataOf(hub), settled(sections, hub));
      fc.pre(problemsOf(object, hub).length === 0 && isValid(object));
      const seen = checkWay(trip, object);
      checkChange(trip, { object, seen, other, pick });
    });
    const { seed, runs = 100 } = options;
    const details = fc.check(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
    if (details.failed) throw failureOf(trip, details);
  }
}

interface Trip {
  readonly converter: Converter;
  readonly hub: View;
  readonly lower: View;
  readonly others: readonly View[];
  readonly way: Way;
  readonly isValid: (object: KubernetesObject) => boolean;
}

async function loaded(): Promise<typeof FastCheck> {
  try {
    return await import("fast-check");
  } catch (cause) {
    throw new Error("roundTrips: fast-check cannot be loaded: add it to the devDependencies", { cause });
  }
}

function sectionValues({ schema }: View, fc: typeof FastCheck): FastCheck.Arbitrary<Sections> {
  return valuesOf({ ...schema, required: ["spec"] }, fc) as FastCheck.Arbitrary<Sections>; // the schema has both sections
}

function metadataOf({ kind }: View): KubernetesObject["metadata"] {
  const namespace = kind.scope === "Namespaced" ? { namespace: "default" } : {};
  return { name: "example", ...namespace, uid: "3f1d4c1e-0000-4000-8000-000000000000" } as KubernetesObject["metadata"]; // of a new object
}

/** What is wrong, and the objects that lead to it. */
class Broken extends Error {
  constructor(problem: string, objects: Readonly<Record<string, KubernetesObject>>, lines: readonly string[] = []) {
    const shown = Object.entries(objects).map(([name, object]) => `${name}: ${JSON.stringify(object)}`);
    super([problem, ...lines, ...shown].join("\n  "));
  }
}

/** Checks the way down and back. Returns the object of the lower version. */
function checkWay(trip: Trip, object: KubernetesObject): KubernetesObject {
  const { converter, hub, lower, others } = trip;
  const [h, l] = [hub.kind.version, lower.kind.version];
  const seen = converted(converter, object, lower);
  expectValid(seen, lower, { [h]: object, [l]: seen });
  const twice = `${h} -> ${l} twice gives two results: the functions are not pure`;
  expectEqual([converted(converter, object, lower), seen], lower, twice, { [h]: object });
  const back = converted(converter, seen, hub);
  expectEqual([object, back], hub, `${h} -> ${l} -> ${h} is another object`, { [h]: object, [l]: seen });
  for (const other of others) {
    const o = other.kind.version;
    const between = converted(converter, seen, other);
    const [up, down] = [converted(converter, between, hub), converted(converter, between, lower)];
    expectEqual([object, up], hub, `${h} -> ${l} -> ${o} -> ${h} is another object`, { [h]: object, [o]: between });
    expectEqual([seen, down], lower, `${l} -> ${o} -> ${l} is another object`, { [l]: seen, [o]: between });
  }
  return seen;
}

interface Change {
  readonly object: KubernetesObject;
  readonly seen: KubernetesObject;
  readonly other: Sections;
  readonly pick: number;
}

/** Changes one field of the object in the lower version, and checks that this is all that changes. */
function checkChange({ converter, hub, lower, way, isValid }: Trip, { object, seen, other, pick }: Change): void {
  const [h, l] = [hub.kind.version, lower.kind.version];
  const edits = editsOf(sectionsOf(seen), other);
  for (let i = 0; i < Math.min(edits.length, MAX_EDITS); i++) {
    const edit = edits[(pick + i) % edits.length];
    const sections = settled(edit?.value as Sections, lower); // an edit below the sections
    const changed = assembled(lower, seen.metadata, sections);
    if (edit === undefined || differences(seen, changed).length === 0 || problemsOf(changed, lower).length > 0 || !isValid(changed))
      continue;
    const after = converted(converter, changed, hub);
    const objects = { [h]: object, [`${l} with the change`]: changed, [`${h} after it`]: after };
    expectValid(after, hub, objects);
    const what = `a client changes ${edit.path} in ${l}`;
    const again = converted(converter, after, lower);
    const lost = changesOf([sections, sectionsOf(again)], lower);
    if (lost.length > 0)
      throw new Broken(`${what}, and ${l} -> ${h} -> ${l} is another object`, objects, [...lost, ...remedyOf(lost, hub)]);
    const [base, theirs] = [way.risen(seen), way.risen(changed)].map((each) => unordered(each, hub.schema));
    const [before, then] = [object, after].map((each) => unordered(sectionsOf(each), hub.schema));
    const elsewhere = changedElsewhere({ before, after: then, base, theirs }, hub.schema);
    if (elsewhere.length > 0) throw new Broken(`${what}, and other fields of ${h} change`, objects, elsewhere);
    return;
  }
}

/** Changes that break the schema are not tried; after so many no other is looked for. */
const MAX_EDITS = 20;

function converted(converter: Converter, object: KubernetesObject, { apiVersion, kind }: View): KubernetesObject {
  return converter.convert(object, apiVersion, (reason) => {
    throw new Broken(`the annotation of an object is ignored on the way to ${kind.version}: ${reason}`, { object });
  });
}

function expectValid(object: KubernetesObject, view: View, objects: Readonly<Record<string, KubernetesObject>>): void {
  const paths = problemsOf(object, view);
  if (paths.length > 0) throw new Broken(`the object of ${view.kind.version} breaks its schema at ${paths.join(", ")}`, objects);
}

type Pair = readonly [before: KubernetesObject | Sections, after: KubernetesObject | Sections];

function expectEqual(pair: Pair, view: View, problem: string, objects: Readonly<Record<string, KubernetesObject>>): void {
  const found = changesOf(pair, view);
  if (found.length > 0) throw new Broken(problem, objects, found);
}

/** How two objects of a version differ. */
function changesOf(pair: Pair, { schema }: View): readonly string[] {
  const [before, after] = pair.map((object) => unordered(object, schema));
  return differences(before, after);
}

/** What the author does about a field that did not come back. */
function remedyOf(lost: readonly string[], { kind: { version } }: View): readonly string[] {
  if (!lost.some((line) => line.endsWith(" became absent"))) return [];
  return [`The hub must hold every field of every version: ${version} needs a field for it, which up sets and down reads.`];
}

interface Failure {
  readonly seed: number;
  readonly numRuns: number;
  readonly errorInstance: unknown;
  /** The sections of the hub come first; `null` when too few objects satisfied the schema. */
  readonly counterexample: readonly unknown[] | null;
}

function failureOf({ hub, lower }: Trip, details: Failure): RoundTripError {
  const { seed, numRuns, errorInstance: error } = details;
  const where = `roundTrips of ${hub.kind.kind}, ${hub.kind.version} and ${lower.kind.version}`;
  if (details.counterexample === null) {
    const text = `${where}: too few objects that are made from the schema satisfy it (${numRuns} did): it has refinements that random values miss`;
    return new RoundTripError(text, seed);
  }
  const cause =
    error instanceof ConversionError ? `\n  it threw: ${error.cause instanceof Error ? error.cause.message : String(error.cause)}` : "";
  const input = error instanceof Broken ? "" : `\n  with: ${JSON.stringify(details.counterexample[0])}`;
  const message = error instanceof Error ? error.message : String(error);
  return new RoundTripError(`${where}: ${message}${cause}${input}\n  Repeat it with { seed: ${seed} }.`, seed, { cause: error });
}
