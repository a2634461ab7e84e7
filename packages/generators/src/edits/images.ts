/** An edit that replaces the images of containers. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Edit, Manifest } from "@treadle/dependents";
import { givenFor } from "./given.ts";
import { refusalsOf, type Refuse, requireKeys, whatIs } from "./mistake.ts";
import { changedAt, type Fields, isFields, parsedPath, withField } from "../fields.ts";
import type { AnyContext, Given } from "./types.ts";

/** What an image becomes. At least one field is set. */
export interface ImageChange {
  /** Name without tag and digest. @defaultValue the former name */
  readonly name?: string;
  /** Tag. Without `digest` the former digest is removed. @defaultValue the former tag, unless `digest` is set */
  readonly tag?: string;
  /** Digest, such as `sha256:...`. Without `tag` the former tag is removed. @defaultValue the former digest, unless `tag` is set */
  readonly digest?: string;
}

/** Images by their name without tag and digest: `{ "ghcr.io/acme/web": { tag: "1.4.0" } }`. */
export type ImageChanges = Readonly<Record<string, ImageChange>>;

/** Options of {@link images}. */
export interface ImagesOptions {
  /** Further fields with an image, in all kinds, such as `spec/image` or `spec/shards[]/image`. @defaultValue none */
  readonly paths?: readonly string[];
}

/**
 * Returns an edit that replaces images, as `images` of a kustomization: in `containers`, `initContainers` and `ephemeralContainers` at
 * any depth, in image volumes, and in `paths`. CustomResourceDefinitions are not changed. The changes apply in order.
 *
 * @throws TypeError for changes that are not valid; from a function, when the edit runs
 * @example
 * ```ts
 * edit: images((shop: Shop) => ({ "ghcr.io/acme/web": { tag: shop.spec.version } }))
 * ```
 */
export function images<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  changes: Given<ImageChanges, T, R, V>,
  options: ImagesOptions = {},
): Edit<T, R, V> {
  const refuse = refusalsOf("images");
  const paths = pathsOf(options.paths ?? [], refuse);
  const changesFor = givenFor(changes, (value) => requireChanges(value, refuse));
  return (each, owner, context) => {
    const given = changesFor(owner, context);
    if (each.kind === "CustomResourceDefinition") return each;
    const change = (image: unknown): unknown => (typeof image === "string" ? changed(image, given) : image);
    const volumes = VOLUMES.reduce<unknown>((object, path) => changedAt(object, path, change), inContainers(each, change));
    return paths.reduce<unknown>((object, path) => changedAt(object, path, change), volumes) as Manifest; // Only images change.
  };
}

const LISTS: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"]);
const VOLUMES: readonly (readonly string[])[] = ["spec", "spec/template/spec", "spec/jobTemplate/spec/template/spec"].map((pod) =>
  parsedPath(`${pod}/volumes[]/image/reference`),
);

/** Walks the whole object: custom resources have containers at other places than pods. */
function inContainers(value: unknown, change: (image: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const entries = list.map((entry) => inContainers(entry, change));
    return entries.some((entry, i) => entry !== list[i]) ? entries : value;
  }
  if (!isFields(value)) return value;
  let result: Fields = value;
  for (const [field, below] of Object.entries(value)) {
    const walked = inContainers(below, change);
    result = withField(result, field, LISTS.has(field) && Array.isArray(walked) ? changedAt(walked, ["image"], change) : walked);
  }
  return result;
}

/** A tag, and a digest of any algorithm. Build tools write placeholders with braces. */
const REST = /^(?::[\w.{}-]*)?(?:@[A-Za-z0-9]+(?:[.+_-][A-Za-z0-9]+)*:[\w.{}-]*)?$/;

function changed(image: string, changes: ImageChanges): string {
  return Object.entries(changes).reduce((present, [name, change]) => {
    if (!present.startsWith(name) || !REST.test(present.slice(name.length))) return present;
    const [head = "", ...digests] = present.slice(name.length).split("@");
    const isReplaced = change.tag !== undefined || change.digest !== undefined;
    const tag = isReplaced ? change.tag : head.slice(1);
    const digest = isReplaced ? change.digest : digests.join("@");
    return [change.name ?? name, isSet(tag) ? `:${tag}` : "", isSet(digest) ? `@${digest}` : ""].join("");
  }, image);
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function requireChanges(changes: unknown, refuse: Refuse): void {
  if (!isFields(changes))
    throw refuse(`got ${whatIs(changes)}: give an object of images by their name, such as { nginx: { tag: "1.27" } }`);
  for (const [name, change] of Object.entries(changes)) {
    const here: Refuse = (problem) => refuse(`${JSON.stringify(name)}: ${problem}`);
    if (name === "" || /[@\s]/.test(name) || /:[^/]*$/.test(name))
      throw here("is not the name of an image without tag and digest: write such as registry:5000/web");
    if (!isFields(change)) throw here(`is ${whatIs(change)}: give an object with name, tag or digest`);
    requireKeys(change, ["name", "tag", "digest"], here, { newName: "name", newTag: "tag" });
    const fields = Object.entries(change).filter(([, text]) => text !== undefined);
    if (fields.length === 0) throw here("changes nothing: set name, tag or digest");
    for (const [field, text] of fields) {
      if (typeof text !== "string" || text === "") throw here(`${field} is ${whatIs(text)}: write a text, in YAML with quotes`);
      const pattern = PATTERNS[field as keyof ImageChange];
      if (!pattern.test(text)) throw here(`${field} is not valid: ${HINTS[field as keyof ImageChange]}`);
    }
  }
}

const PATTERNS: Readonly<Record<keyof ImageChange, RegExp>> = {
  name: /^[^\s@]+$/,
  tag: /^[\w.{}-]+$/,
  digest: /^[A-Za-z0-9]+(?:[.+_-][A-Za-z0-9]+)*:[\w.{}-]+$/,
};
const HINTS: Readonly<Record<keyof ImageChange, string>> = {
  name: "write a name without digest and white space",
  tag: "write a tag without : and @",
  digest: "write such as sha256:...",
};

function pathsOf(paths: unknown, refuse: Refuse): readonly (readonly string[])[] {
  if (!Array.isArray(paths)) throw refuse(`paths is ${whatIs(paths)}: give a list such as ["spec/image"]`);
  return paths.map((path: unknown) => {
    if (typeof path === "string" && path !== "" && !parsedPath(path).includes("")) return parsedPath(path);
    throw refuse(`paths has ${whatIs(path)} that is not a path of fields: write such as "spec/shards[]/image"`);
  });
}
