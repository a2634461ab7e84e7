/** Installs admission policies, each on the objects whose label `case` is its name, and waits until they count. */
import type { Json, Session } from "../session.ts";

export const POLICY_GROUP = "/apis/admissionregistration.k8s.io/v1";
const API_VERSION = "admissionregistration.k8s.io/v1";

/** A policy on the objects whose label `case` is its name. */
export interface PolicyCase {
  readonly name: string;
  readonly policy: Json;
  /** Fields of the binding beside its match constraints. */
  readonly binding?: Json;
  readonly rule?: Json;
}

/** Conditions of policies: one for objects with bad data, and one that fails. */
export const IF_BAD: Json = { matchConditions: [{ name: "bad", expression: "object.data.a == 'bad'" }] };
export const IF_ABSENT: Json = { matchConditions: [{ name: "none", expression: "object.data.none == 'x'" }] };
export const PARAMS: Json = { paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
export const NO_PARAMS: Json = { paramKind: { apiVersion: "x/v1", kind: "None" } };

/** Returns a reference to a parameter object. */
export function paramRef(name: string, parameterNotFoundAction: "Allow" | "Deny" = "Deny"): Json {
  return { paramRef: { name, parameterNotFoundAction } };
}

export interface PolicySort {
  readonly kind: "MutatingAdmissionPolicy" | "ValidatingAdmissionPolicy";
  /** Fields of each policy, unless a case has its own. */
  readonly policy?: Json;
  readonly binding?: Json;
  /** A policy that refuses each object. When it does, the policies count. */
  readonly sentinel: Json;
}

/**
 * Creates all policies, and waits until the last one is effective. They are not deleted: a real server that loses the last
 * policy with parameters of a kind no longer learns of new ones.
 */
export async function installPolicies(session: Session, sort: PolicySort, cases: readonly PolicyCase[]): Promise<void> {
  const { namespace } = session;
  const here = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const sentinel: PolicyCase = { name: "zz-sentinel", policy: sort.sentinel };
  const plural = sort.kind === "MutatingAdmissionPolicy" ? "mutatingadmissionpolic" : "validatingadmissionpolic";
  for (const { name, policy, binding = {}, rule = {} } of [...cases, sentinel]) {
    const operations = sort.kind === "MutatingAdmissionPolicy" ? ["CREATE", "UPDATE"] : ["*"];
    const rules = [{ operations, apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], ...rule }];
    await create(session, `${plural}ies`, {
      kind: sort.kind,
      metadata: { name: `${name}.${namespace}` },
      spec: { matchConstraints: { resourceRules: rules }, ...sort.policy, ...policy },
    });
    await create(session, `${plural}ybindings`, {
      kind: `${sort.kind}Binding`,
      metadata: { name: `${name}.${namespace}` },
      spec: {
        policyName: `${name}.${namespace}`,
        ...sort.binding,
        ...binding,
        matchResources: { namespaceSelector: here, objectSelector: { matchLabels: { case: name } }, ...binding["matchResources"] },
      },
    });
  }
  await untilPolicy(session, sentinel.name, "Status");
}

/** Waits until an object of a case gets this answer. */
export async function untilPolicy({ quietly, namespace }: Session, name: string, kind: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await quietly("POST", `/api/v1/namespaces/${namespace}/configmaps`, {
      query: "dryRun=All",
      body: labelledConfigMap(name, "probe", "good"),
    });
    if (answer["kind"] === kind) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the policy ${name} is stored, but does not count after half a minute`);
}

async function create({ quietly }: Session, plural: string, object: Json): Promise<void> {
  const answer = await quietly("POST", `${POLICY_GROUP}/${plural}`, { body: { apiVersion: API_VERSION, ...object } });
  if (answer["kind"] !== object["kind"])
    throw new Error(`${object["kind"]} ${object["metadata"].name} is refused: ${JSON.stringify(answer)}`);
}

/** Returns a ConfigMap that the policy of a case sees. */
export function labelledConfigMap(of: string, name: string, a: string): Json {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { case: of } }, data: { a } };
}
