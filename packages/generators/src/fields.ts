/** Changes of single fields of plain JSON, without changing what was given: the unchanged parts are shared. */

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether `value` is an object, and no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field of an object of JSON; `undefined` for anything else. */
export function fieldOf(value: unknown, field: string): unknown {
  return isFields(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}

/** Returns the value at a path of fields. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(fieldOf, value);
}

/** Returns a copy with another value of a field; `undefined` removes it. The same object, if nothing changes. */
export function withField(fields: Fields, field: string, value: unknown): Fields {
  if ((Object.hasOwn(fields, field) ? fields[field] : undefined) === value) return fields;
  const copy: Record<string, unknown> = { ...fields };
  if (value === undefined) delete copy[field];
  // An assignment to __proto__ would set the prototype.
  else Object.defineProperty(copy, field, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}

/**
 * Returns a copy in which `change` was called for each value at a path. Lists on the path are walked entry by entry. A missing field ends
 * the walk, unless `create` is set: then missing objects are made, and `change` gets `undefined`.
 */
export function changedAt(value: unknown, path: readonly string[], change: (value: unknown) => unknown, create = false): unknown {
  const [field, ...rest] = path;
  if (field === undefined) return change(value);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const changed = list.map((entry) => changedAt(entry, path, change, create));
    return changed.some((entry, i) => entry !== list[i]) ? changed : value;
  }
  if ((value === undefined || value === null) && create) return withField({}, field, changedAt(undefined, rest, change, true));
  if (!isFields(value)) return value;
  const present = fieldOf(value, field);
  if ((present === undefined || present === null) && !create) return value;
  return withField(value, field, changedAt(present, rest, change, create));
}

/** Parses a path such as `spec/containers[]/image`. Brackets are optional: lists are walked in any case. */
export function parsedPath(path: string): readonly string[] {
  return path.split("/").map((segment) => segment.replace(/\[\]$/, ""));
}
