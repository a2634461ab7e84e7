/**
 * The objects of a write, in the versions that webhooks and policies want to see
 * (k8s.io/apiserver `admission.VersionedAttributes`).
 */
import type { Conversions } from "../crd/conversion-webhooks.ts";
import type { JsonObject } from "../internal/json.ts";
import type { ServedVersion } from "../storage/registry.ts";
import type { Wanted } from "./matching.ts";

export type Converter = Pick<Conversions, "between">;

/** The objects for mutating webhooks, which are called one after the other and change the object. */
export class ChangingObjects {
  readonly #converter: Converter;
  readonly #given: Wanted;
  /** Object in the version of the request. */
  #base: JsonObject | undefined;
  /** What the last webhook saw. */
  #shown: Wanted;
  /** Whether the last webhook changed what it saw. */
  #isChanged = false;

  constructor(converter: Converter, given: Wanted) {
    this.#converter = converter;
    this.#given = given;
    this.#base = given.object;
    this.#shown = given;
  }

  /** The objects in the version of the last webhook. */
  get latest(): Wanted {
    return this.#shown;
  }

  /** Returns the objects in a version. @throws StatusError 500 */
  async in(version: ServedVersion): Promise<Wanted> {
    const last = this.#shown.object ?? this.#shown.oldObject;
    if (last?.["apiVersion"] === version.apiVersion) return this.#shown;
    const oldObject = await converted(this.#converter, this.#given, version, this.#given.oldObject);
    // On the real server a changed object takes the way through the version of the request.
    const object = await converted(this.#converter, this.#given, version, await this.settle());
    this.#shown = { ...this.#given, object, oldObject };
    return this.#shown;
  }

  /** Returns the objects in the version of the request. @throws StatusError 500 */
  async base(): Promise<Wanted> {
    return { ...this.#given, object: await this.settle() };
  }

  /** Replaces the object by one in the version of a policy. @throws StatusError 500 */
  async replace({ object }: Wanted): Promise<void> {
    this.#base = await converted(this.#converter, this.#given, this.#given.served.version, object);
    this.#shown = { ...this.#given, object: this.#base };
  }

  /** Replaces the object of the last webhook. */
  change(object: JsonObject): void {
    this.#shown = { ...this.#shown, object };
    this.#isChanged = true;
  }

  /** Returns the object in the version of the request. Later webhooks see what became of it there. @throws StatusError 500 */
  async settle(): Promise<JsonObject | undefined> {
    if (!this.#isChanged) return this.#base;
    this.#base = await converted(this.#converter, this.#given, this.#given.served.version, this.#shown.object);
    this.#shown = { ...this.#given, object: this.#base };
    this.#isChanged = false;
    return this.#base;
  }
}

/** The objects for validating webhooks: those of each version are converted once. */
export class FixedObjects {
  readonly #converter: Converter;
  readonly #given: Wanted;
  readonly #known = new Map<ServedVersion, Wanted>();

  constructor(converter: Converter, given: Wanted) {
    this.#converter = converter;
    this.#given = given;
  }

  /** Returns the objects in a version. @throws StatusError 500 */
  async in(version: ServedVersion): Promise<Wanted> {
    const known = this.#known.get(version);
    if (known !== undefined) return known;
    const oldObject = await converted(this.#converter, this.#given, version, this.#given.oldObject);
    const object = await converted(this.#converter, this.#given, version, this.#given.object);
    const shown = { ...this.#given, object, oldObject };
    this.#known.set(version, shown);
    return shown;
  }
}

async function converted(
  converter: Converter,
  { served }: Wanted,
  version: ServedVersion,
  object: JsonObject | undefined,
): Promise<JsonObject | undefined> {
  return object === undefined ? undefined : converter.between(served.type, object, version);
}
