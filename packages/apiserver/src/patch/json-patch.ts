/**
 * Applies JSON patches as an API server does. It differs from RFC 6902: `replace` adds members, a missing value is null,
 * indexes may be negative or begin with zeros, and the whole document can only be replaced.
 */
import { jsonEqual, PatchError } from "@treadle/apimachinery";
import { cloneJson, goQuote, isObject, type JsonObject } from "../internal/json.ts";

/** An operation: an object whose members are not checked yet. */
export type Operation = JsonObject;

/** k8s.io/apiserver `JSONPatchMaxCopyBytes`: limit for all copies of a patch together, in bytes. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** Returns `target` after all operations, without modifying it. @throws PatchError with the text of the real server */
export function applyPatch(target: unknown, operations: readonly Operation[]): unknown {
  let root = cloneJson(target);
  let copiedBytes = 0;
  for (const operation of operations) {
    const { op } = operation;
    const given = operation["value"] ?? null;
    const [path, from] = [operation["path"], operation["from"]];
    switch (op) {
      case "add":
        add(placeOf(root, path, ADD), cloneJson(given), inPath("add", path));
        break;
      case "remove":
        remove(placeOf(root, path, REMOVE), inPath("remove", path));
        break;
      case "replace":
        if (path === "" && isHolder(given)) root = cloneJson(given);
        else replace(placeOf(root, path, REPLACE), cloneJson(given), path);
        break;
      case "move": {
        const source = placeOf(root, from, MOVE_FROM);
        const refuse = inPath("move", source.key);
        const moved = read(source, refuse);
        remove(source, refuse);
        add(placeOf(root, path, MOVE_TO), moved ?? null, inPath("move", path));
        break;
      }
      case "copy": {
        const source = placeOf(root, from, COPY_FROM);
        const copied = read(source, (why) => refused(`error in copy for from: '${String(from)}': ${why}`)) ?? null;
        const destination = placeOf(root, path, COPY_TO);
        copiedBytes += Buffer.byteLength(JSON.stringify(copied));
        if (copiedBytes > MAX_COPIED_BYTES)
          throw refused(
            `Unable to complete the copy, the accumulated size increase of copy is ${copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`,
          );
        add(destination, cloneJson(copied), (why) => refused(`error while adding value during copy: ${why}`));
        break;
      }
      case "test":
        if (jsonEqual(path === "" ? root : (read(placeOf(root, path, TEST), inPath("test", path)) ?? null), given)) break;
        throw new PatchError("ERR_PATCH_TEST", `testing value ${String(path)} failed: test failed`);
      default:
        throw refused(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
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

function refused(message: string): PatchError {
  return new PatchError("ERR_PATCH_PATH", message);
}

function inPath(op: string, path: unknown): Refuse {
  return (why) => refused(`error in ${op} for path: '${String(path)}': ${why}`);
}

/** Texts for an operation whose pointer is absent, and for one that leads nowhere. */
interface Pointer {
  readonly absent: string;
  readonly missing: (pointer: string) => string;
}

function pointer(op: string, { absent, missing }: { readonly absent: string; readonly missing: string }): Pointer {
  return {
    absent: `${op} operation failed to decode ${absent}`,
    missing: (text) => `${op} operation does not apply: ${missing.replace("%", () => text)}: ${MISSING}`,
  };
}

const MISSING = "missing value";
const NO_PATH = `path: operation missing path field: ${MISSING}`;
const NO_FROM = `from: operation, missing from field: ${MISSING}`;
const ADD = pointer("add", { absent: `path: ${MISSING}`, missing: 'doc is missing path: "%"' });
const REMOVE = pointer("remove", { absent: `path: ${MISSING}`, missing: 'doc is missing path: "%"' });
const REPLACE = pointer("replace", { absent: NO_PATH, missing: "doc is missing path: %" });
const MOVE_FROM = pointer("move", { absent: NO_FROM, missing: "doc is missing from path: %" });
const MOVE_TO = pointer("move", { absent: NO_PATH, missing: "doc is missing destination path: %" });
const COPY_FROM = pointer("copy", { absent: NO_FROM, missing: "doc is missing from path: %" });
const COPY_TO = pointer("copy", { absent: `path: ${MISSING}`, missing: "doc is missing destination path: %" });
const TEST = pointer("test", { absent: NO_PATH, missing: "is missing path: %" });

/** Finds the place of a pointer. Text before the first slash is ignored. */
function placeOf(root: unknown, path: unknown, { absent, missing }: Pointer): Place {
  if (typeof path !== "string") throw refused(absent);
  const [, ...segments] = path.split("/").map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = segments.pop();
  const nowhere = (): PatchError => refused(missing(path));
  let holder = root;
  for (const segment of segments) holder = isHolder(holder) ? read({ holder, key: segment }, nowhere) : undefined;
  if (key === undefined || !isHolder(holder)) throw nowhere();
  // No stored object has such a member. An assignment would set a prototype.
  if (key === "__proto__") throw refused("a member may not be named __proto__");
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
  else {
    const improper: Refuse = (why) => refuse(why.startsWith("strconv") ? `value was not a proper array index: '${key}': ${why}` : why);
    holder.splice(indexIn(holder.length, key, improper), 0, value);
  }
}

function replace({ holder, key }: Place, value: unknown, path: unknown): void {
  const refuse: Refuse = () => refused(`replace operation does not apply: doc is missing key: ${String(path)}: ${MISSING}`);
  if (Array.isArray(holder)) holder[indexIn(holder.length - 1, key, refuse)] = value;
  else holder[key] = value;
}

function remove({ holder, key }: Place, refuse: Refuse): void {
  if (Array.isArray(holder)) holder.splice(indexIn(holder.length - 1, key, refuse), 1);
  else if (Object.hasOwn(holder, key)) delete holder[key];
  else throw refuse(`Unable to remove nonexistent key: ${key}: ${MISSING}`);
}

/** Returns an index. A negative one counts from the end, starting at the place after `last`. */
function indexIn(last: number, key: string, refuse: Refuse): number {
  if (!/^[-+]?\d{1,15}$/.test(key)) throw refuse(`strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`);
  const number = Number(key);
  const index = number < 0 ? number + last + 1 : number;
  if (index >= 0 && index <= last) return index;
  throw refuse(`Unable to access invalid index: ${number}: invalid index referenced`);
}

function isHolder(value: unknown): value is JsonObject | unknown[] {
  return Array.isArray(value) || isObject(value);
}
