/** Plain JSON: reading and setting members under any name, checks of what authors return, and freezing. */

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON: neither null nor a list. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the member of an object itself; `undefined` for inherited members such as `constructor`, and for what is not an object. */
export function own(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a member, also one with the name `__proto__`, to which an assignment would set the prototype. */
export function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** A value that JSON cannot hold. */
export interface Garbage {
  /** The path of the value, `spec.ports[0]`. */
  readonly path: string;
  /** What it is, `a function`. It has nothing of the value. */
  readonly what: string;
}

/** Returns the first part of `value` that JSON cannot hold. Members that are `undefined` count as absent. */
export function garbageIn(value: unknown, root: string): Garbage | undefined {
  const stack: Visit[] = [{ value, name: root, parent: undefined, depth: 0 }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const what = garbageOf(visit.value) ?? (visit.depth > MAX_DEPTH ? "nested too deeply, or contains itself" : undefined);
    if (what !== undefined) return { path: pathOf(visit), what };
    if (typeof visit.value !== "object" || visit.value === null) continue;
    for (const key of Object.keys(visit.value)) {
      const member = (visit.value as Json)[key]; // an object or a list
      if (member === undefined && !Array.isArray(visit.value)) continue;
      // Most members are scalars that need no visit.
      if (typeof member === "string" || typeof member === "boolean" || Number.isFinite(member)) continue;
      const name = Array.isArray(visit.value) ? `[${key}]` : `.${key}`;
      stack.push({ value: member, name, parent: visit, depth: visit.depth + 1 });
    }
  }
  return undefined;
}

/**
 * Marks the promises in a value as handled: a refused result is not waited for, and an unhandled rejection would stop the operator.
 * Never throws.
 */
export function ignoreRejections(value: unknown): void {
  const seen = new Set<object>();
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    try {
      if (next instanceof Promise) next.catch(() => undefined);
      else stack.push(...Object.values(next));
    } catch {
      // A getter threw, a Proxy has traps, or a list is too long for one push. The result is refused for another reason.
    }
  }
}

/** Whether a value of JSON has more levels than recursion supports. `JSON.parse` accepts any number of them, `JSON.stringify` does not. */
export function isTooDeep(value: unknown): boolean {
  const stack: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [at, depth] = next;
    if (typeof at !== "object" || at === null) continue;
    if (depth > MAX_KEPT_DEPTH) return true;
    for (const member of Object.values(at)) stack.push([member, depth + 1]);
  }
  return false;
}

/** Returns a value as JSON, with sorted members: equal values have the same text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** Freezes a value of JSON with all that is in it. Without recursion, because an API server accepts 10,000 levels. */
export function freeze<T>(value: T): T {
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) if (typeof member === "object" && member !== null) stack.push(member);
  }
  return value;
}

/** The depth of JSON that an API server accepts (sigs.k8s.io/json). A deeper value contains itself. */
const MAX_DEPTH = 10_000;

/** JSON.stringify overflows the stack of Node.js between 3,000 and 5,000 levels. */
const MAX_KEPT_DEPTH = 1000;

interface Visit {
  readonly value: unknown;
  readonly name: string;
  readonly parent: Visit | undefined;
  readonly depth: number;
}

function garbageOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : "a number that is not finite";
    case "object": {
      if (value === null || Array.isArray(value)) return undefined;
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype === null || prototype === Object.prototype) return undefined;
      return value instanceof Promise ? "a promise" : "an instance of a class";
    }
    default:
      return value === undefined ? "undefined" : `a ${typeof value}`;
  }
}

function pathOf(visit: Visit): string {
  const names: string[] = [];
  for (let at: Visit | undefined = visit; at !== undefined; at = at.parent) names.push(at.name);
  // A value that contains itself has an endless path.
  return names.length > 20 ? `${names.reverse().slice(0, 20).join("")}...` : names.reverse().join("");
}
