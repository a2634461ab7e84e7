/** Causes that the API server, the kubelet and others write as text. The same texts are in conditions, events and entries of any operator. */
import { ApiError } from "@treadle/apimachinery";
import { missingRightOf } from "@treadle/client";
import { shown } from "../../cluster/object-name.ts";
import { clauseOf, type Finding } from "../finding.ts";

/** What a text says. */
export type Reading = Pick<Finding, "code" | "clause" | "advice">;

/** Returns the cause that a text names; `undefined` if it names none of the known ones. `namespace` is that of names without one. */
export function readingOf(text: string, namespace: string | undefined): Reading | undefined {
  for (const read of READERS) {
    const found = read(text, namespace);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Read = (text: string, namespace: string | undefined) => Reading | undefined;

/** k8s.io/apiserver resourcequota: `exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2`. */
const quota: Read = (text, namespace) => {
  const {
    name = "",
    requested,
    used,
    limited,
  } = /exceeded quota: (?<name>[^,\s]+), requested: (?<requested>\S+), used: (?<used>\S+), limited: (?<limited>\S+?)[.;]?(?:\s|$)/.exec(
    text,
  )?.groups ?? {};
  if (requested === undefined) return undefined;
  const place = namespace === undefined ? "" : ` of the namespace ${namespace}`;
  return {
    code: "QuotaExceeded",
    clause: `the quota ${name}${place} is used up: requested ${requested}, used ${used}, limited to ${limited}`,
    advice: [`raise the quota ${name}, or remove what is not needed: \`kubectl describe quota ${name}${flag(namespace)}\``],
  };
};

/** k8s.io/apiserver webhook errors: `failed calling webhook "x": failed to call webhook: Post "https://...": dial tcp ...`. */
const webhookDown: Read = (text) => {
  const { name, why = "" } = /failed calling webhook "(?<name>[^"]+)": (?<why>.*)/s.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  return {
    code: "WebhookDown",
    clause: `the webhook ${name} does not answer: ${clauseOf(why.replace(/^failed to call webhook: /, ""))}`,
    advice: [
      "start the program behind the webhook, or correct its Service and certificate",
      `find its configuration: \`kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o wide | grep ${name.split(".")[0]}\``,
    ],
  };
};

const conversionDown: Read = (text) => {
  const { kind, why = "" } = /conversion webhook for (?<kind>.+?) failed: (?<why>.*)/s.exec(text)?.groups ?? {};
  if (kind === undefined) return undefined;
  return {
    code: "WebhookDown",
    clause: `the conversion webhook for ${kind} does not answer: ${clauseOf(why)}`,
    advice: ["start the program that converts the versions, or correct `spec.conversion` of the CRD"],
  };
};

const webhookDenied: Read = (text) => {
  const { name, why = "" } = /admission webhook "(?<name>[^"]+)" denied the request: (?<why>.*)/s.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  const advice = ["change what the webhook refuses, or its rules"];
  return { code: "WebhookDenied", clause: `the webhook ${name} refuses the object: ${clauseOf(why)}`, advice };
};

/** The text of the authorizer. Quotas and policies answer 403 too, and no right helps against them. */
const forbidden: Read = (text) => {
  const right = missingRightOf(new ApiError({ status: 403, reason: "Forbidden", message: text }));
  if (right?.type !== "resource") return undefined;
  const user = /User "(?<user>[^"]*)"/.exec(text)?.groups?.["user"] ?? "the operator";
  const { verb, group, resource, namespace } = right;
  const place = namespace === undefined ? "in the whole cluster" : `in the namespace ${namespace}`;
  const rule = `{ apiGroups: [${JSON.stringify(group)}], resources: [${JSON.stringify(resource)}], verbs: [${JSON.stringify(verb)}] }`;
  return {
    code: "Forbidden",
    clause: `${user} may not ${verb} ${resource}${group === "" ? "" : `.${group}`} ${place}`,
    advice: [`add the rule ${rule} to a ${namespace === undefined ? "ClusterRole" : `Role of the namespace ${namespace}`} of ${user}`],
  };
};

/** The kubelet: `couldn't find key color in ConfigMap default/app`. */
const missingKey: Read = (text) => {
  const {
    key,
    kind = "",
    name = "",
  } = /couldn't find key (?<key>\S+) in (?<kind>ConfigMap|Secret) (?<name>\S+?)[.;,]?(?:\s|$)/.exec(text)?.groups ?? {};
  if (key === undefined) return undefined;
  const advice = [`add the key ${key} to the ${kind}, or correct the name of the key where it is used`];
  return { code: "MissingKey", clause: `${kind} ${name} has no key ${key}`, advice };
};

/** The RESTMapper of Go operators, and the client of Treadle. */
const missingKind: Read = (text) => {
  const { kind = "", version } = /no matches for kind "(?<kind>[^"]+)" in version "(?<version>[^"]+)"/.exec(text)?.groups ?? {};
  const own = /cannot find the kind (?<kind>\S+)(?: \((?<version>[^)]+)\))?: the server does not serve it/.exec(text)?.groups;
  const name = version === undefined ? own?.["kind"] : kind;
  if (name === undefined) return undefined;
  const where = version ?? own?.["version"];
  return {
    code: "MissingKind",
    clause: `the server does not serve the kind ${name}${where === undefined ? "" : ` (${where})`}`,
    advice: ["install the CRD of the kind, or correct the version"],
  };
};

/** The API server and the kubelet: `secret "in" not found`, `storageclass.storage.k8s.io "fast" not found`. */
const missingObject: Read = (text, namespace) => {
  const { resource = "", name = "" } = /\b(?<resource>[a-z]+)(?:\.[a-z0-9.-]+)? "(?<name>[^"]+)" not found/.exec(text)?.groups ?? {};
  if (resource === "") return undefined;
  const known = [resource, resource.replace(/s$/, ""), resource.replace(/es$/, "")]
    .map((word) => KINDS[word])
    .find((each) => each !== undefined);
  const { kind, isInCluster = false, code = "MissingObject" } = known ?? { kind: resource };
  const object = shown({ kind, name, namespace: isInCluster ? undefined : namespace });
  return { code, clause: `${object} does not exist`, advice: [`create ${object}, or correct the name where it is used`] };
};

interface KnownKind {
  readonly kind: string;
  readonly isInCluster?: boolean;
  /** @defaultValue `MissingObject` */
  readonly code?: string;
}

/** By their singular names. */
const KINDS: Readonly<Record<string, KnownKind>> = {
  secret: { kind: "Secret", code: "MissingSecret" },
  configmap: { kind: "ConfigMap", code: "MissingConfigMap" },
  serviceaccount: { kind: "ServiceAccount", code: "MissingServiceAccount" },
  persistentvolumeclaim: { kind: "PersistentVolumeClaim", code: "MissingPersistentVolumeClaim" },
  service: { kind: "Service", code: "MissingService" },
  namespace: { kind: "Namespace", isInCluster: true },
  node: { kind: "Node", isInCluster: true },
  storageclass: { kind: "StorageClass", isInCluster: true },
  priorityclass: { kind: "PriorityClass", isInCluster: true },
};

const READERS: readonly Read[] = [quota, webhookDown, conversionDown, webhookDenied, forbidden, missingKey, missingKind, missingObject];

function flag(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` -n ${namespace}`;
}
