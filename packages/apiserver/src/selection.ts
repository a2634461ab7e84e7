/** Which objects a list or watch wants: label and field selectors, read once and tested per object. */
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
import { badRequest } from "./status-errors.ts";
import { viewOf } from "./present.ts";
import type { Entry } from "./storage.ts";

export interface Selection {
  readonly isEverything: boolean;
  matches(entry: Entry): boolean;
}

/** The selection of a request: namespace, name, labels and fields. @throws StatusError 400 */
export function readSelection(call: Call): Selection {
  const { query, route, served } = call;
  const labels = parse(() => parseLabelSelector(query.get("labelSelector") ?? ""));
  const fields = readFields(call);
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
  return fields.length === 0 || matchesFields(fields, viewOf(entry, served.version, served.type.storage).object);
}

function readFields(call: Call): FieldRequirements {
  const { query, served } = call;
  const fields = parse(() => parseFieldSelector(query.get("fieldSelector") ?? ""));
  for (const { path } of fields) {
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
  return fields;
}

function parse<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}
