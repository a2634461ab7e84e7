/** What is wrong with a CustomResourceDefinition. */
import type { FieldError } from "../field-errors.ts";
import type { JsonObject } from "../internal/json.ts";
import type { Draft } from "../storage.ts";

export function definitionErrors(_draft: Draft, _previous: JsonObject | undefined): readonly FieldError[] {
  return [];
}
