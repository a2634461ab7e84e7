/**
 * The inputs of a set as one digest, for the step state. Objects of the server count by uid and resourceVersion, all other values by
 * value. Values that have no JSON, such as functions and instances of classes, do not count.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { digestOf } from "../../core/body.ts";
import { type Asker, type Inputs, isSameInput, isSameQuestion, type SeenInputs, seenInputs, versionsIn } from "../../core/inputs.ts";
import { isPlain } from "../../core/json.ts";
import type { SetPolicies } from "../policies/policies.ts";
import type { Placement } from "../types.ts";

/** Prefixes of annotations that tools change while the desired state stays: those of `kubectl` and Flux. */
export const IGNORED_ANNOTATIONS: readonly string[] = Object.freeze([
  "kubectl.kubernetes.io/",
  "fluxcd.io/",
  "reconcile.fluxcd.io/",
  "source.toolkit.fluxcd.io/",
  "kustomize.toolkit.fluxcd.io/",
  "helm.toolkit.fluxcd.io/",
  "notification.toolkit.fluxcd.io/",
  "image.toolkit.fluxcd.io/",
  "event.toolkit.fluxcd.io/",
]);

/** The annotations by which users control the engine. */
const CONTROLS = "treadle.dev/";
/** Step state of kinds whose status has no room for it, and the switch of events. Neither is part of the desired state. */
const OF_HANDLER = ["/step-state", "/disable-events"];

/** What the objects of a set follow from, without what the renderer reads of the cluster. */
export interface SetInputs {
  /** The owner. Its metadata counts by labels and annotations, and its status does not count. */
  readonly object: KubernetesObject;
  /** Prefixes of annotations that do not count. */
  readonly ignored: readonly string[];
  readonly placement: Placement;
  readonly policies: SetPolicies;
  readonly reads: Readonly<Record<string, unknown>>;
  readonly vars: Readonly<Record<string, unknown>>;
}

/** Returns 16 hexadecimal characters: the same for the same inputs, whatever the order of their members. */
export function inputDigest({ object, ignored, placement, policies, reads, vars }: SetInputs): string {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata,
    status: _status,
    ...fields
  } = object as KubernetesObject & { readonly status?: unknown };
  const { labels = {}, annotations = {} } = metadata;
  const counted = Object.entries(annotations).filter(([name]) => isCounted(name, ignored));
  return digestOf({
    fields,
    labels,
    annotations: Object.fromEntries(counted),
    placement: jsonOf(placement),
    policies: jsonOf(policies),
    reads: versionsIn(reads),
    vars: jsonOf(vars),
  }).slice(0, 16);
}

function isCounted(annotation: string, ignored: readonly string[]): boolean {
  if (annotation.startsWith(CONTROLS)) return false;
  return !OF_HANDLER.some((suffix) => annotation.endsWith(suffix)) && !ignored.some((prefix) => annotation.startsWith(prefix));
}

/** Notes the inputs of a pass for a later {@link isSameInputs}. */
export function seenSetInputs(asker: Asker, inputs: Pick<Inputs, "vars" | "reads">): SeenInputs {
  return seenInputs(asker, { vars: inputs.vars, reads: inputs.reads, dependents: NO_DEPENDENTS });
}

/**
 * Decides without a digest whether the inputs are those of an earlier pass. `false` means that they may differ, for instance in an
 * annotation that does not count: compare the digests then. What the renderer read of the cluster is compared by `isSameCluster()`.
 */
export function isSameInputs(seen: SeenInputs, asker: Asker, inputs: Pick<Inputs, "vars" | "reads">): boolean {
  const given = { vars: inputs.vars, reads: inputs.reads, dependents: NO_DEPENDENTS };
  // Objects without a generation, such as ConfigMaps, can change while generation, labels and annotations stay.
  return asker.owner.metadata.generation === undefined ? isSameInput(seen, asker, given) : isSameQuestion(seen, asker, given);
}

const NO_DEPENDENTS: Inputs["dependents"] = Object.freeze({});

/** Deeper values are taken for circles. */
const MAX_DEPTH = 100;

/** Returns the value as JSON, with `null` for a part that has no JSON. */
function jsonOf(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "bigint":
      return `${value}n`;
    case "function":
    case "symbol":
      return null;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "object":
      break;
    default:
      return value;
  }
  if (value === null || depth === MAX_DEPTH) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((each) => jsonOf(each, depth + 1));
  if (!isPlain(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, jsonOf(member, depth + 1)]));
}
