/** Which objects an edit changes: by patterns and selectors as in a kustomization, or by a function. */
import {
  isSelectorError,
  type KubernetesObject,
  type LabelRequirements,
  matchesLabels,
  parseApiVersion,
  parseLabelSelector,
} from "@treadle/apimachinery";
import type { Manifest, RenderContext } from "@treadle/dependents";
import { isClusterScoped } from "./scope.ts";
import { type Refuse, requireKeys, whatIs } from "./mistake.ts";
import type { AnyContext } from "./types.ts";

/**
 * The objects that an edit changes: those that fit all given fields. `group`, `version`, `kind`, `name` and `namespace` are regular
 * expressions that must fit the whole text, as in a kustomization: `web` does not fit `web-1`. `{}` fits every object.
 */
export interface EditTarget {
  /** API group; the empty text of the core group fits only a pattern such as `|apps`. */
  readonly group?: string;
  /** Version in the group. */
  readonly version?: string;
  /** Name of the kind. */
  readonly kind?: string;
  /** Name of the object. */
  readonly name?: string;
  /** Namespace of the object; of one that names none, the namespace of the set. */
  readonly namespace?: string;
  /** Selector of labels, as for kubectl: `app=web,tier in (a, b)`. */
  readonly labels?: string;
  /** Selector of annotations, in the same form. */
  readonly annotations?: string;
}

/** Chooses objects by a function. */
export type EditPredicate<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> = (
  each: Manifest,
  owner: T,
  context: RenderContext<R, V>,
) => boolean;

/** Chooses the objects that an edit changes. */
export type EditSelect<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext> = EditTarget | EditPredicate<T, R, V>;

const PATTERNS = ["group", "version", "kind", "name", "namespace"] as const;
const SELECTORS = ["labels", "annotations"] as const;

/** Returns a function that decides about an object. @throws TypeError for a pattern or a selector that is not valid */
export function predicateOf<T extends KubernetesObject, R, V>(select: EditSelect<T, R, V>, refuse: Refuse): EditPredicate<T, R, V> {
  if (typeof select === "function") return checkedPredicate(select, refuse);
  const given: unknown = select; // Untyped code may pass anything.
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refuse(`its target is ${whatIs(given)}: give an object such as { kind: "Deployment" }, or a function`);
  requireKeys(select, [...PATTERNS, ...SELECTORS], refuse, {
    labelSelector: "labels",
    annotationSelector: "annotations",
    apiVersion: "group and version",
  });
  const patterns = PATTERNS.flatMap((field) => {
    const pattern = textOf(select, field, refuse);
    return pattern === undefined ? [] : [{ field, pattern: anchored(field, pattern, refuse) }];
  });
  const selectors = SELECTORS.flatMap((field) => {
    const text = textOf(select, field, refuse);
    return text === undefined ? [] : [{ field, requirements: requirementsOf(field, text, refuse) }];
  });
  return (each, _owner, context) => {
    const texts = textsOf(each, context.namespace);
    return (
      patterns.every(({ field, pattern }) => pattern.test(texts[field])) &&
      selectors.every(({ field, requirements }) => matchesLabels(requirements, each.metadata[field] ?? {}))
    );
  };
}

function checkedPredicate<T extends KubernetesObject, R, V>(select: EditPredicate<T, R, V>, refuse: Refuse): EditPredicate<T, R, V> {
  return (each, owner, context) => {
    const answer: unknown = select(each, owner, context);
    if (typeof answer === "boolean") return answer;
    throw refuse(`the function that chooses objects returned ${whatIs(answer)}: return true or false`);
  };
}

function textOf(select: EditTarget, field: keyof EditTarget, refuse: Refuse): string | undefined {
  const text: unknown = select[field];
  if (text === undefined || text === "") return undefined;
  if (typeof text !== "string") throw refuse(`${field} of its target is ${whatIs(text)}: write a text`);
  return text;
}

function anchored(field: string, pattern: string, refuse: Refuse): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, "u");
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw refuse(`${field} of its target is not a regular expression of JavaScript: ${cause}`);
  }
}

function requirementsOf(field: string, text: string, refuse: Refuse): LabelRequirements {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!isSelectorError(error)) throw error;
    throw refuse(`${field} of its target is not a selector: ${error.message}`);
  }
}

function textsOf(each: Manifest, namespace: string | undefined): Readonly<Record<(typeof PATTERNS)[number], string>> {
  const { group, version } = parseApiVersion(each.apiVersion);
  const { name } = each.metadata;
  const present = each.metadata.namespace ?? "";
  const own = present !== "" ? present : isClusterScoped(each, []) ? "" : (namespace ?? "");
  return { group, version, kind: each.kind, name, namespace: own };
}
