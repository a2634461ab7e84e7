/** Names: of external resources, and common ways to choose them; of the annotations and conditions of a managed step. */
import { createHash } from "node:crypto";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { NameArgs } from "./types.ts";

/** The annotation with the name of the external resource. A person sets it to import an existing resource. */
export const EXTERNAL_NAME_ANNOTATION: string = externalNameAnnotation(undefined);

/** The annotation that sets the time between two observations of one object, such as `30s` or `5m`; at least 10 s. */
export const POLL_INTERVAL_ANNOTATION = "treadle.dev/poll-interval";

/** The annotations, conditions and the status field of one managed step. */
export interface Names {
  /** The annotation with the external name. */
  readonly annotation: string;
  /** The annotation by which a person says that a create made nothing; its value is the token. */
  readonly createFailed: string;
  /** The types of the conditions. */
  readonly ready: string;
  readonly synced: string;
  readonly upToDate: string;
  /** The possible names of the status field with the external name, the preferred one first. */
  readonly statusFields: readonly string[];
}

/** Returns the names of a step with this prefix. */
export function namesOf(prefix: string | undefined): Names {
  const field = "ExternalName";
  return {
    annotation: externalNameAnnotation(prefix),
    createFailed: `treadle.dev/${prefix === undefined ? "" : `${kebabOf(prefix)}-`}external-create-failed`,
    ready: conditionTypeOf(prefix, "Ready"),
    synced: conditionTypeOf(prefix, "Synced"),
    upToDate: conditionTypeOf(prefix, "UpToDate"),
    statusFields:
      prefix === undefined ? ["externalName"] : [`${prefix.charAt(0).toLowerCase()}${prefix.slice(1)}${field}`, `${prefix}${field}`],
  };
}

/** Returns the annotation with the external name of an object. @param prefix the `prefix` of the managed step */
function externalNameAnnotation(prefix: string | undefined): string {
  return `treadle.dev/${prefix === undefined || prefix === "" ? "" : `${kebabOf(prefix)}-`}external-name`;
}

/** Returns the condition type of a managed step, such as `BucketReady`. @param prefix the `prefix` of the managed step */
function conditionTypeOf(prefix: string | undefined, type: "Ready" | "Synced" | "UpToDate"): string {
  return `${prefix ?? ""}${type}`;
}

/** Returns a CamelCase word in kebab case: `BackupBucket` is `backup-bucket`. */
function kebabOf(word: string): string {
  return word
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}

/** Returns why `name` cannot be the name of an external resource; `undefined`: it can. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== "string") return `it is a ${name === null ? "null" : typeof name}, not a text`;
  if (name === "") return "it is empty";
  if (name.length > MAX_NAME_LENGTH) return `it has ${name.length} characters, and at most ${MAX_NAME_LENGTH} are allowed`;
  if (name !== name.trim()) return "it begins or ends with a blank or a line break";
  if (!name.isWellFormed()) return "it contains a half of a character, which is no Unicode";
  return CONTROL.test(name) ? "it contains a line break or another control character" : undefined;
}

/** The longest names of cloud providers (Azure resource ids, AWS ARNs) are about 2,000 characters. */
const MAX_NAME_LENGTH = 2_048;

/** Control characters: no provider has them in names, and they forge lines of logs. */
const CONTROL = /\p{Cc}|\u2028|\u2029/u;

/** The name that an object has without `externalName`: `<singular>-<uid>`, unique over namespaces and clusters. */
function uidName({ singular, metadata }: Pick<NameArgs<KubernetesObject>, "singular" | "metadata">): string {
  return `${singular}-${metadata.uid ?? metadata.name}`;
}

/** The options of `externalNames.short`. */
export interface ShortNameOptions {
  /** The beginning of the name. @defaultValue "" */
  readonly prefix?: string;
  /** The maximum length of the name, in characters. @defaultValue 24 */
  readonly maxLength?: number;
  /** The characters of the part after the prefix. @defaultValue lower case letters and digits */
  readonly alphabet?: string;
}

/**
 * Makes a function that returns short names: the prefix and a hash of the uid.
 * @throws TypeError when so few characters are left for the hash that two objects could get the same name
 */
function short(options: ShortNameOptions = {}): (args: Pick<NameArgs<KubernetesObject>, "metadata">) => string {
  const { prefix = "", maxLength = 24, alphabet = "abcdefghijklmnopqrstuvwxyz0123456789" } = options;
  const characters = [...new Set(alphabet)];
  const length = Math.min(maxLength - prefix.length, Math.floor(HASH_BITS / Math.log2(Math.max(2, characters.length))));
  if (!(characters.length >= 2 && length * Math.log2(characters.length) >= MIN_HASH_BITS)) {
    throw new TypeError(
      `externalNames.short: prefix "${prefix}", maxLength ${maxLength} and ${characters.length} characters leave too few names: ` +
        "two objects could get the same one. Shorten the prefix, or raise maxLength",
    );
  }
  return ({ metadata }) => {
    let rest = BigInt(
      `0x${createHash("sha256")
        .update(metadata.uid ?? metadata.name)
        .digest("hex")}`,
    );
    let name = prefix;
    for (let i = 0; i < length; i++) {
      name += characters[Number(rest % BigInt(characters.length))];
      rest /= BigInt(characters.length);
    }
    return name;
  };
}

const HASH_BITS = 256;
/** Among a million names, two are equal with a chance below one half. */
const MIN_HASH_BITS = 40;

/** Common functions for `externalName`. */
export const externalNames: ExternalNames = {
  uid: uidName,
  metadataName: ({ metadata }) => metadata.name,
  short,
};

/** This is the type of {@link externalNames}. */
export interface ExternalNames {
  /** Returns `<singular>-<uid>`, which is unique over namespaces and clusters. */
  readonly uid: (args: Pick<NameArgs<KubernetesObject>, "singular" | "metadata">) => string;
  /** Returns the name of the object. Objects of the same name in two namespaces or clusters collide: the second is refused. */
  readonly metadataName: (args: Pick<NameArgs<KubernetesObject>, "metadata">) => string;
  /** Makes a function that returns the prefix and a hash of the uid, for providers with short names. */
  readonly short: (options?: ShortNameOptions) => (args: Pick<NameArgs<KubernetesObject>, "metadata">) => string;
}
