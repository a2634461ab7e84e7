/** What the server adds to Jobs and DaemonSets. */
import { jsonEqual } from "@treadle/apimachinery";
import { isObject, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import type { Draft } from "../storage/stored-object.ts";

/** Gives a Job a selector by its uid, unless it has its own. */
export function prepareJob(draft: Draft, previous: JsonObject | undefined): void {
  const { spec } = draft;
  if (previous !== undefined || !isObject(spec) || spec["manualSelector"] === true) return;
  const uid = String(draft.metadata["uid"]);
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": draft.metadata.name,
    "controller-uid": uid,
    "job-name": draft.metadata.name,
  };
  const [template, selector] = [objectAt(spec, "template"), objectAt(spec, "selector")];
  const metadata = objectAt(template, "metadata");
  // A Job without labels gets those of its template, including the added ones. Other labels are not modified.
  if (jsonEqual(draft.metadata["labels"] ?? {}, metadata["labels"] ?? {}))
    draft.metadata["labels"] = { ...objectAt(draft.metadata, "labels"), ...labels };
  draft["spec"] = {
    ...spec,
    selector: { ...selector, matchLabels: { ...objectAt(selector, "matchLabels"), "batch.kubernetes.io/controller-uid": uid } },
    template: { ...template, metadata: { ...metadata, labels: { ...objectAt(metadata, "labels"), ...labels } } },
  };
}

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** Counts the changes of a DaemonSet's template in an annotation, starting at 1. */
export function numberTemplate(draft: Draft, previous: JsonObject | undefined): void {
  if (previous === undefined) annotate(draft, "1");
}

export function renumberTemplate(draft: Draft, previous: JsonObject | undefined): void {
  if (previous === undefined) return;
  const before = Number(objectAt(previous, "metadata", "annotations")[TEMPLATE_GENERATION] ?? 1);
  const isChanged = !jsonEqual(objectAt(draft, "spec")["template"], objectAt(previous, "spec")["template"]);
  annotate(draft, String(isChanged ? before + 1 : before));
}

function annotate(draft: Draft, generation: string): void {
  const annotations = objectAt(draft.metadata, "annotations");
  if (annotations[TEMPLATE_GENERATION] !== generation)
    draft.metadata["annotations"] = { ...annotations, [TEMPLATE_GENERATION]: generation };
}
