/**
 * Converts between field sets and their stored form (FieldsV1). Objects of one program own the same fields, so equal forms
 * are shared. A shared form is frozen, saves memory, and is read without a walk. The cache depends only on the forms, and is
 * bounded.
 */
import { freezeJson, isObject } from "../internal/json.ts";
import { type FieldSet, type FieldsV1, fromFieldsV1, toFieldsV1 } from "./field-set.ts";

/** Maximum number of cached forms. Above it the cache is cleared. Enough for the kinds and managers of a server. */
const MAX_FORMS = 1000;

/** Maximum length of a cached form. Longer ones belong to objects with many items, which are seldom equal. */
const MAX_LENGTH = 8192;

const formsByText = new Map<string, FieldsV1>();
const sets = new Map<unknown, FieldSet>();
const forms = new Map<FieldSet, FieldsV1>();

/** Returns the stored form of a set, which must not be modified. */
export function storedForm(set: FieldSet): FieldsV1 {
  const known = forms.get(set);
  if (known !== undefined) return known;
  const made = toFieldsV1(set);
  const text = JSON.stringify(made);
  const shared = formsByText.get(text);
  if (shared !== undefined || text.length > MAX_LENGTH) return shared ?? made;
  if (formsByText.size >= MAX_FORMS) for (const cache of [formsByText, sets, forms]) cache.clear();
  formsByText.set(text, freezeJson(made));
  sets.set(made, set);
  forms.set(set, made);
  return made;
}

/** Reads a stored form, or returns `undefined` for an invalid one. */
export function readForm(form: unknown): FieldSet | undefined {
  return sets.get(form) ?? fromFieldsV1(isObject(form) ? form : {});
}
