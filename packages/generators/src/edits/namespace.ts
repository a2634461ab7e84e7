/** An edit that moves all objects to a namespace, with the references between them. */
import { dns1123LabelProblems, isDns1123Label, type KubernetesObject, parseApiVersion } from "@treadle/apimachinery";
import type { Edit, Manifest } from "@treadle/dependents";
import { objectsOf } from "@treadle/dependents/unstable/render";
import { givenFor } from "./given.ts";
import { refusalsOf, type Refuse, whatIs } from "./mistake.ts";
import { changedAt, fieldOf, type Fields, isFields, parsedPath, valueAt, withField } from "../fields.ts";
import { isClusterScoped } from "./scope.ts";
import type { AnyContext, Given } from "./types.ts";

/**
 * Returns an edit that sets the namespace, as `namespace` of a kustomization:
 * - `metadata.namespace` of all objects that are not cluster-scoped, and the name of a Namespace,
 * - subjects of bindings: ServiceAccounts that are rendered, and the one with the name `default`,
 * - services of webhook configurations that are rendered, and services of APIServices and of conversion webhooks.
 *
 * The edit needs to know all objects. `manifests()`, `edited()` and the renderers of this package give them to it. In a call by hand it
 * treats references to the namespace of the object or of the set as references to rendered objects.
 *
 * @throws TypeError for a name that is not valid; from a function, when the edit runs
 */
export function namespace<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  name: Given<string, T, R, V>,
): Edit<T, R, V> {
  const refuse = refusalsOf("namespace");
  const nameFor = givenFor(name, (value) => requireName(value, refuse));
  return (each, owner, context) => {
    const given = nameFor(owner, context);
    const objects = objectsOf(context);
    const move: Move = { name: given, rendered: renderedIn(objects ?? [], each, context.namespace, objects !== undefined) };
    const moved = withReferences(each, move);
    if (each.kind === "Namespace" && each.apiVersion === "v1") return { ...moved, metadata: { ...moved.metadata, name: given } };
    return isClusterScoped(each, objects ?? []) ? moved : { ...moved, metadata: { ...moved.metadata, namespace: given } };
  };
}

interface Move {
  readonly name: string;
  /** Whether a reference by name and namespace is one to a rendered object. */
  rendered(kind: "Service" | "ServiceAccount", reference: Fields): boolean;
}

function renderedIn(objects: readonly unknown[], each: Manifest, home: string | undefined, isComplete: boolean): Move["rendered"] {
  return (kind, { name, namespace: given }) => {
    const at = textOr(given, "");
    if (!isComplete) return at === "" || at === home || at === each.metadata.namespace;
    return objects.some((object) => {
      if (fieldOf(object, "kind") !== kind || fieldOf(object, "apiVersion") !== "v1") return false;
      if (valueAt(object, ["metadata", "name"]) !== name) return false;
      const own = textOr(valueAt(object, ["metadata", "namespace"]), "");
      return at === "" || at === own || (own === "" && (at === home || at === "default"));
    });
  };
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}

/** Paths of services, from the objects that hold them. */
const WEBHOOK_SERVICE = parsedPath("webhooks[]/clientConfig/service");
const API_SERVICE = parsedPath("spec/service");
const CONVERSION_SERVICE = parsedPath("spec/conversion/webhook/clientConfig/service");

function withReferences(each: Manifest, move: Move): Manifest {
  const moved = (reference: unknown): unknown => (isFields(reference) ? withField(reference, "namespace", move.name) : reference);
  const ifRendered = (kind: "Service" | "ServiceAccount", reference: unknown): unknown =>
    isFields(reference) && move.rendered(kind, reference) ? moved(reference) : reference;
  const subject = (reference: unknown): unknown => {
    if (fieldOf(reference, "kind") !== "ServiceAccount") return reference;
    return fieldOf(reference, "name") === "default" ? moved(reference) : ifRendered("ServiceAccount", reference);
  };
  // Only references change.
  switch (`${parseApiVersion(each.apiVersion).group}/${each.kind}`) {
    case "rbac.authorization.k8s.io/RoleBinding":
    case "rbac.authorization.k8s.io/ClusterRoleBinding":
      return changedAt(each, ["subjects"], (list) => (Array.isArray(list) ? list.map(subject) : list)) as Manifest;
    case "admissionregistration.k8s.io/ValidatingWebhookConfiguration":
    case "admissionregistration.k8s.io/MutatingWebhookConfiguration":
      return changedAt(each, WEBHOOK_SERVICE, (service) => ifRendered("Service", service)) as Manifest;
    case "apiregistration.k8s.io/APIService":
      return changedAt(each, API_SERVICE, moved) as Manifest;
    case "apiextensions.k8s.io/CustomResourceDefinition":
      return changedAt(each, CONVERSION_SERVICE, moved) as Manifest;
    default:
      return each;
  }
}

function requireName(name: unknown, refuse: Refuse): void {
  if (typeof name !== "string" || name === "") throw refuse(`got ${whatIs(name)}: give the name of a namespace`);
  if (!isDns1123Label(name))
    throw refuse(`${JSON.stringify(name)} is not the name of a namespace: ${dns1123LabelProblems(name).join("; ")}`);
}
