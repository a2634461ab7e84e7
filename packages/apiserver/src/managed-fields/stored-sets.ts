/**
 * Between field sets and their stored form (FieldsV1). Objects that one program writes own the same fields, so each form is
 * made once and shared: it is frozen, takes the memory of one, and is read without being walked.
 * What is remembered follows from the forms alone, and is bounded.
 */
import { freezeJson, isObject } from "../internal/json.ts";
import { type FieldSet, type FieldsV1, fromFieldsV1, toFieldsV1 } from "./field-set.ts";

/** How many forms are remembered; then they are forgotten together. Enough for the kinds and writers of one server. */
const MAX_FORMS = 1000;

/** Longer ones belong to objects with many items, which seldom own the same. */
const MAX_LENGTH = 8192;

const formsByText = new Map<string, FieldsV1>();
const sets = new Map<unknown, FieldSet>();
const forms = new Map<FieldSet, FieldsV1>();

/** The stored form of a set; must not be changed. */
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

/** Reads a stored form; `undefined` when it is not one. */
export function readForm(form: unknown): FieldSet | undefined {
  return sets.get(form) ?? fromFieldsV1(isObject(form) ? form : {});
}
