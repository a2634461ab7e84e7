/** The label and field selectors of a list or a watch, parsed once and tested with each object. */
import {
  type FieldRequirements,
  type LabelRequirements,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
} from "@treadle/apimachinery";
import type { Call } from "./context.ts";
import type { JsonObject } from "../internal/json.ts";
import { badRequest } from "../errors/status-errors.ts";
import { representationOf } from "../storage/served-form.ts";
import type { Entry } from "../storage/store.ts";

export interface Selection {
  readonly isEverything: boolean;
  matches(entry: Entry): boolean;
}

/** Parsed selectors. Whether the kind has the fields is checked later. */
export interface Selectors {
  readonly labels: LabelRequirements;
  readonly fields: FieldRequirements;
}

/** Parses the selectors of a query. @throws StatusError 400 */
export function parseSelectors(query: URLSearchParams): Selectors {
  return {
    labels: parse(() => parseLabelSelector(query.get("labelSelector") ?? "")),
    fields: parse(() => parseFieldSelector(query.get("fieldSelector") ?? "")),
  };
}

/** Returns the selection of a request: namespace, name, labels and fields. @throws StatusError 400 */
export function selectionOf(call: Call, { labels, fields: given }: Selectors): Selection {
  const { route, served } = call;
  const fields = knownFields(call, given);
  const { namespace, name } = route;
  if (name !== "") {
    const named = fields.find((field) => field.path === "metadata.name" && field.operator === "=");
    if (named !== undefined && named.value !== name) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const isEverything = labels.length === 0 && fields.length === 0;
  return {
    isEverything,
    matches(entry) {
      if (namespace !== "" && entry.namespace !== namespace) return false;
      if (name !== "" && entry.object.metadata.name !== name) return false;
      if (isEverything) return true;
      return matchesBoth(labels, fields, entry, served);
    },
  };
}

function matchesBoth(labels: LabelRequirements, fields: FieldRequirements, entry: Entry, served: Call["served"]): boolean {
  const { object } = entry;
  if (labels.length > 0 && !matchesLabels(labels, object.metadata.labels)) return false;
  if (fields.length === 0) return true;
  const seen = representationOf(entry, served.version, served.type).object;
  return matchesFields(fields, served.version.selectedAs?.(seen as unknown as JsonObject) ?? seen); // a stored object is JSON
}

function knownFields({ served }: Call, fields: FieldRequirements): FieldRequirements {
  for (const { path, value } of fields) {
    if (path === "" && value === "") continue;
    const isKnown =
      path === "metadata.name" ||
      (path === "metadata.namespace" && served.type.isNamespaced) ||
      served.version.selectableFields.includes(path);
    if (isKnown) continue;
    const isPlain = !served.type.isCustom && served.version.selectableFields.length === 0;
    throw badRequest(
      isPlain
        ? `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${path}`,
    );
  }
  return fields.filter(({ path }) => path !== "");
}

function parse<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}
