/**
 * Applies JSON patches as an API server does. It differs from RFC 6902: `replace` adds members, a missing value is null,
 * indexes may be negative or begin with zeros, and the whole document can only be replaced.
 */
import { jsonEqual, PatchError } from "@treadle/apimachinery";
import { cloneJson, isObject, type JsonObject } from "../internal/json.ts";

/** An operation: an object whose members are not checked yet. */
export type Operation = JsonObject;

/** k8s.io/apiserver `JSONPatchMaxCopyBytes`: limit for all copies of a patch together, in bytes. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** Returns `target` after all operations, without modifying it. @throws PatchError when an operation fails */
export function applyPatch(target: unknown, operations: readonly Operation[]): unknown {
  let root = cloneJson(target);
  let copiedBytes = 0;
  for (const [i, operation] of operations.entries()) {
    const { op } = operation;
    const refuse = (why: string): PatchError => new PatchError("ERR_PATCH_PATH", `JSON patch operation ${i} (${String(op)}): ${why}`);
    const given = operation["value"] ?? null;
    const place = (pointer: unknown): Place => placeOf(root, pointer, refuse);
    switch (op) {
      case "add":
        add(place(operation["path"]), cloneJson(given), refuse);
        break;
      case "remove":
        remove(place(operation["path"]), refuse);
        break;
      case "replace":
        if (operation["path"] === "" && isHolder(given)) root = cloneJson(given);
        else replace(place(operation["path"]), cloneJson(given), refuse);
        break;
      case "move": {
        const from = place(operation["from"]);
        const moved = read(from, refuse);
        remove(from, refuse);
        add(place(operation["path"]), moved ?? null, refuse);
        break;
      }
      case "copy": {
        const copied = read(place(operation["from"]), refuse) ?? null;
        copiedBytes += Buffer.byteLength(JSON.stringify(copied));
        if (copiedBytes > MAX_COPIED_BYTES) throw refuse(`the patch copies more than ${MAX_COPIED_BYTES} bytes of JSON`);
        add(place(operation["path"]), cloneJson(copied), refuse);
        break;
      }
      case "test":
        if (jsonEqual(read(place(operation["path"]), refuse) ?? null, given)) break;
        throw new PatchError("ERR_PATCH_TEST", `JSON patch operation ${i} (test): the value there is another one`);
      default:
        throw refuse("there is no such operation");
    }
  }
  return root;
}

/** A place for a member or an element, which need not exist. */
interface Place {
  readonly holder: JsonObject | unknown[];
  readonly key: string;
}

type Refuse = (why: string) => PatchError;

/** Finds the place of a pointer. Text before the first slash is ignored. */
function placeOf(root: unknown, pointer: unknown, refuse: Refuse): Place {
  if (typeof pointer !== "string") throw refuse("a path is missing");
  const [, ...segments] = pointer.split("/").map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = segments.pop();
  let holder = root;
  for (const segment of segments) holder = isHolder(holder) ? read({ holder, key: segment }, refuse) : undefined;
  if (key === undefined || !isHolder(holder)) throw refuse(`there is nothing at ${JSON.stringify(pointer)}`);
  // No stored object has such a member. An assignment would set a prototype.
  if (key === "__proto__") throw refuse("a member may not be named __proto__");
  return { holder, key };
}

/** Returns the value, or `undefined` for a missing member. @throws the error of `refuse` for an invalid index */
function read({ holder, key }: Place, refuse: Refuse): unknown {
  if (Array.isArray(holder)) return holder[indexIn(holder.length - 1, key, refuse)];
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function add({ holder, key }: Place, value: unknown, refuse: Refuse): void {
  if (!Array.isArray(holder)) holder[key] = value;
  else if (key === "-") holder.push(value);
  else holder.splice(indexIn(holder.length, key, refuse), 0, value);
}

function replace({ holder, key }: Place, value: unknown, refuse: Refuse): void {
  if (Array.isArray(holder)) holder[indexIn(holder.length - 1, key, refuse)] = value;
  else holder[key] = value;
}

function remove({ holder, key }: Place, refuse: Refuse): void {
  if (Array.isArray(holder)) holder.splice(indexIn(holder.length - 1, key, refuse), 1);
  else if (Object.hasOwn(holder, key)) delete holder[key];
  else throw refuse(`there is no ${JSON.stringify(key)}`);
}

/** Returns an index. A negative one counts from the end, starting at the place after `last`. */
function indexIn(last: number, key: string, refuse: Refuse): number {
  const number = /^[-+]?\d{1,15}$/.test(key) ? Number(key) : Number.NaN;
  const index = number < 0 ? number + last + 1 : number;
  if (index >= 0 && index <= last) return index;
  throw refuse(`${JSON.stringify(key)} is no index of the list`);
}

function isHolder(value: unknown): value is JsonObject | unknown[] {
  return Array.isArray(value) || isObject(value);
}
