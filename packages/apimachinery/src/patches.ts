/**
 * Merge patch (RFC 7386) and JSON patch (RFC 6902) on plain JSON. Arguments never change, so they may be frozen. The result
 * of a merge patch shares its unchanged parts with the target; the result of a JSON patch shares nothing.
 *
 * Merge patch has its own implementation here: published packages change their target, and the most used one stops at a key
 * named `constructor` and drops the rest of the patch.
 */
import { applyPatch } from "rfc6902";
import { isObject } from "./internal/is-object.ts";

/** One operation of a JSON patch. */
export interface JsonPatchOperation {
  /** What the operation does. */
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  /** JSON pointer to the value that changes. */
  readonly path: string;
  /** JSON pointer to the source of `move` and `copy`. */
  readonly from?: string;
  /** The value of `add`, `replace` and `test`. */
  readonly value?: unknown;
}

const BRAND: symbol = Symbol.for("treadle.apimachinery.PatchError");

/** A patch that cannot be applied. */
export class PatchError extends Error {
  /** The name of the class. */
  override readonly name = "PatchError";
  /** The reason: a `test` failed, a path does not exist, or the patch is malformed. */
  readonly code: "ERR_PATCH_TEST" | "ERR_PATCH_PATH" | "ERR_PATCH_INVALID";

  /** @param message names the operation that failed */
  constructor(code: PatchError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tells whether `error` is a {@link PatchError}, of this copy of the package or another. */
export function isPatchError(error: unknown): error is PatchError {
  return error instanceof Error && BRAND in error;
}

/**
 * Applies a merge patch and returns the result. Objects are merged, `null` removes a member, and everything else (also a list)
 * replaces the old value.
 *
 * @throws PatchError when the patch has a key `__proto__`
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === "__proto__") throw new PatchError("ERR_PATCH_INVALID", "the merge patch has a key __proto__, which no object may have");
    if (value === null) delete merged[key];
    else if (value !== undefined) merged[key] = applyMergePatch(own(merged, key), value);
  }
  return merged;
}

/**
 * Returns the smallest merge patch that turns `before` into `after`, or `undefined` when they are equal. Members that are
 * `undefined` count as absent.
 *
 * Assumption: no new or changed object in `after` has a member that is `null`, because a merge patch cannot express it.
 */
export function createMergePatch(before: unknown, after: unknown): unknown {
  if (before === after) return undefined;
  if (!isObject(before) || !isObject(after)) return jsonEqual(before, after) ? undefined : after;
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    const change = value === undefined ? undefined : isDefined(before, key) ? createMergePatch(before[key], value) : value;
    // An assignment to __proto__ would set the prototype and lose the member.
    if (change !== undefined) Object.defineProperty(patch, key, { value: change, enumerable: true, writable: true, configurable: true });
  }
  for (const key of Object.keys(before)) if (isDefined(before, key) && !isDefined(after, key)) patch[key] = null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * Applies a JSON patch and returns the result. Either all operations are applied or none.
 *
 * All `copy` operations together may copy 3 MiB of JSON, as in an API server (`JSONPatchMaxCopyBytes`): each of them could
 * double the document.
 *
 * @throws PatchError naming the operation that failed
 */
export function applyJsonPatch(target: unknown, patch: readonly JsonPatchOperation[]): unknown {
  patch.forEach((operation, i) => checkOperation(operation, i));
  const holder = { root: structuredClone(target) };
  let copiedBytes = 0;
  for (const [i, operation] of patch.entries()) {
    const what = `JSON patch operation ${i} (${operation.op} ${operation.path})`;
    const missing = missingPath(holder.root, operation);
    if (missing !== undefined) throw new PatchError("ERR_PATCH_PATH", `${what}: there is nothing at ${JSON.stringify(missing)}`);
    if (operation.op === "copy") copiedBytes += Buffer.byteLength(JSON.stringify(valueAt(holder.root, segmentsOf(operation.from ?? ""))));
    if (copiedBytes > MAX_COPIED_BYTES)
      throw new PatchError("ERR_PATCH_INVALID", `${what}: the patch copies more than ${MAX_COPIED_BYTES} bytes of JSON`);
    // Held under `root`, an operation on the whole document (path "") is an ordinary one.
    const isWrite = operation.op === "add" || operation.op === "replace";
    const prefixed = {
      ...operation,
      ...(isWrite ? { value: null } : {}), // put there below: the library's copy of a value loses fields named __proto__
      path: `/root${operation.path}`,
      ...(operation.from === undefined ? {} : { from: `/root${operation.from}` }),
    };
    // The library's operation type is a union by `op`; checkOperation made sure that this is one of them.
    const failure = attempt(holder, prefixed as Parameters<typeof applyPatch>[1][number]);
    if (failure === undefined) {
      if (isWrite) put(holder, segmentsOf(prefixed.path), structuredClone(operation.value));
      continue;
    }
    if (operation.op === "test") throw new PatchError("ERR_PATCH_TEST", `${what}: the value there is another one`, failure);
    throw new PatchError("ERR_PATCH_PATH", `${what}: there is nothing at this path`, failure);
  }
  return holder.root;
}

/** Tells whether two JSON values are equal. Members that are `undefined` count as absent; the order of members does not matter. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, i) => jsonEqual(value, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  let count = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    if (!isDefined(b, key) || !jsonEqual(a[key], b[key])) return false;
    count++;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) count--;
  return count === 0;
}

/** k8s.io/apiserver `JSONPatchMaxCopyBytes`. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

const OPERATIONS: readonly string[] = ["add", "remove", "replace", "move", "copy", "test"];

function checkOperation(operation: JsonPatchOperation, i: number): void {
  const refuse = (why: string): PatchError => new PatchError("ERR_PATCH_INVALID", `JSON patch operation ${i}: ${why}`);
  if (!isObject(operation) || !OPERATIONS.includes(operation.op)) throw refuse(`op must be one of ${OPERATIONS.join(", ")}`);
  const { op, path, from } = operation;
  const needsFrom = op === "move" || op === "copy";
  for (const [name, pointer] of Object.entries(needsFrom ? { path, from } : { path })) {
    if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/")))
      throw refuse(`${name} must be a JSON pointer: empty, or beginning with /`);
    // The library skips these segments instead of following them, so it would write elsewhere in the document.
    const unsafe = pointer.split("/").find((segment) => segment === "__proto__" || segment === "constructor" || segment === "prototype");
    if (unsafe !== undefined) throw refuse(`${name} has a segment ${unsafe}, which is not followed: use a merge patch`);
    if (/~(?![01])/.test(pointer)) throw refuse(`${name} has a "~" that is neither ~0 nor ~1`);
  }
  if ((op === "add" || op === "replace" || op === "test") && !("value" in operation)) throw refuse(`${op} needs a value`);
  if (op === "move" && path.startsWith(`${from}/`)) throw refuse("a value cannot be moved into itself");
}

/** The pointer of `operation` that does not exist. The library would follow members that every object inherits (`/toString`). */
function missingPath(root: unknown, { op, path, from }: JsonPatchOperation): string | undefined {
  if ((op === "move" || op === "copy") && !isThere(root, segmentsOf(from ?? ""))) return from;
  const segments = segmentsOf(path);
  if (!isPlace(root, { op, path, ...(from === undefined ? {} : { from }) })) return path;
  const target = op === "remove" || op === "replace" || op === "test" ? segments : segments.slice(0, -1);
  return isThere(root, target) && isContainer(root, segments.slice(0, -1)) ? undefined : path;
}

/** Whether a value can be added to a list at `path`. The library reads an index of `copy` and `move` as parseInt does. */
function isPlace(root: unknown, { op, path, from = "" }: JsonPatchOperation): boolean {
  const list = valueAt(root, segmentsOf(path).slice(0, -1));
  if (path === "" || !Array.isArray(list) || (op !== "add" && op !== "copy" && op !== "move")) return true;
  const segment = path.slice(path.lastIndexOf("/") + 1);
  // The value is removed before it is added.
  const isWithin = op === "move" && from.slice(0, from.lastIndexOf("/")) === path.slice(0, path.lastIndexOf("/"));
  return segment === "-" || (INDEX.test(segment) && Number(segment) <= list.length - (isWithin ? 1 : 0));
}

const INDEX = /^(0|[1-9]\d*)$/;

function segmentsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(root: unknown, segments: readonly string[]): unknown {
  let at = root;
  for (const segment of segments) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, segment)) return undefined;
    if (Array.isArray(at) && !INDEX.test(segment)) return undefined; // `length` is a member too
    at = (at as Readonly<Record<string, unknown>>)[segment]; // an object by the check above
  }
  return at;
}

/** Replaces the value that an operation has written. */
function put(holder: object, segments: readonly string[], value: unknown): void {
  const parent = valueAt(holder, segments.slice(0, -1)) as Record<string, unknown> | unknown[]; // the operation has written into it
  const last = segments.at(-1) ?? "";
  if (Array.isArray(parent)) parent[last === "-" ? parent.length - 1 : Number(last)] = value;
  else parent[last] = value;
}

function isThere(root: unknown, segments: readonly string[]): boolean {
  return valueAt(root, segments) !== undefined;
}

function isContainer(root: unknown, segments: readonly string[]): boolean {
  const value = valueAt(root, segments);
  return segments.length === 0 || (typeof value === "object" && value !== null);
}

function attempt(holder: { root: unknown }, operation: Parameters<typeof applyPatch>[1][number]): unknown {
  try {
    return applyPatch(holder, [operation])[0] ?? undefined;
  } catch (error) {
    return error;
  }
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isDefined(object: Readonly<Record<string, unknown>>, key: string): boolean {
  return own(object, key) !== undefined;
}
