/** ValidatingAdmissionPolicies: the warnings of the type check, for built-in kinds and a CRD. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario } from "../scenario.ts";

interface Rule {
  readonly groups?: readonly string[];
  readonly versions?: readonly string[];
  readonly resources: readonly string[];
}

function policy(name: string, rules: readonly Rule[], spec: Json): Json {
  const resourceRules = rules.map(({ groups = ["apps"], versions = ["v1"], resources }) => ({
    operations: ["CREATE"],
    apiGroups: groups,
    apiVersions: versions,
    resources,
  }));
  return { metadata: { name }, spec: { matchConstraints: { resourceRules }, ...spec } };
}

const validations = (...list: readonly string[]): Json => ({ validations: list.map((expression) => ({ expression })) });

function isChecked({ validatingadmissionpolicies: all }: Objects): boolean {
  return all.every(({ metadata, status }) => status?.observedGeneration === metadata.generation);
}

/** Fields of Deployments and other kinds whose types a comparison with a map shows. */
const SHOWN = [
  "object.spec",
  "object.spec.replicas",
  "object.spec.selector.matchLabels",
  "object.spec.strategy.rollingUpdate.maxSurge",
  "object.spec.template.spec.containers",
  "object.spec.template.spec.containers[0].resources",
  "object.spec.template.spec.containers[0].resources.limits",
  "object.spec.template.spec.volumes[0].emptyDir.sizeLimit",
  "object.spec.template.spec.containers[0].ports[0].containerPort",
  "object.spec.template.spec.containers[0].livenessProbe.httpGet.port",
  "object.metadata.creationTimestamp",
  "object.metadata.labels",
  "object.metadata.managedFields[0].fieldsV1",
  "object.metadata.namespace",
  "object.status.conditions[0].lastTransitionTime",
  "object.none",
  "object.apiVersion",
  "request.options",
].map((field) => `${field} == {1: true}`);

export const policies: readonly Scenario[] = [
  {
    name: "policy types of built-in kinds",
    async run({ create, settle, remove, merge, namespace }) {
      const made: string[] = [];
      const make = async (name: string, rules: readonly Rule[], spec: Json): Promise<void> => {
        await create("validatingadmissionpolicies", policy(`${name}.${namespace}`, rules, spec));
        made.push(`${name}.${namespace}`);
      };
      const deployments = [{ resources: ["deployments"] }];
      try {
        await make("right", deployments, validations("object.spec.replicas > 1", "object.metadata.name.startsWith('a')"));
        await make("shown", deployments, validations(...SHOWN));
        await make("message", deployments, {
          validations: [{ expression: "object.spec.replicas > '1'", messageExpression: "'got ' + object.spec.replicas" }],
        });
        await make("lines", deployments, validations("object.spec.replicas > 1 &&\n  object.spec.paused > 1 &&\n  object.x == 1"));
        await make("several", [{ resources: ["statefulsets", "deployments"] }, { groups: ["batch"], resources: ["jobs"] }], {
          ...validations("object.spec.replicas > 1", "object.spec.serviceName == ''"),
        });
        await make("core", [{ groups: [""], resources: ["pods", "configmaps", "secrets"] }], {
          ...validations("object.data.x == 1", "object.spec.nodeName == ''", "object.immutable == true"),
        });
        await make(
          "wildcards",
          [{ resources: ["*"] }, { groups: ["*"], resources: ["deployments"] }, { versions: ["*"], resources: ["deployments"] }],
          validations("object.x == 1"),
        );
        await make("subresource", [{ resources: ["deployments/scale", "deployments/status"] }], validations("object.x == 1"));
        await make("unknown", [{ groups: ["none.example.com"], resources: ["nothings"] }], validations("object.x == 1"));
        await make("variables", deployments, {
          variables: [
            { name: "count", expression: "object.spec.replicas" },
            { name: "spec", expression: "object.spec" },
            { name: "names", expression: "object.spec.template.spec.containers.map(c, c.name)" },
            { name: "wrong", expression: "object.none" },
          ],
          ...validations("variables.count > '1'", "variables.spec.anything == 1", "variables.names[0] == 1", "variables.wrong == 1"),
        });
        await make("rights", deployments, validations("authorizer.requestResource.check('get').allowed()"));
        await make("params", deployments, {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          ...validations("params.data.x == 1", "params.none == 1", "object.spec.replicas > params.data.x"),
        });
        await make("params-of-no-kind", deployments, {
          paramKind: { apiVersion: "x/v1", kind: "None" },
          ...validations("params.none == 1"),
        });
        await make("definitions", [{ groups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] }], {
          ...validations(
            "object.spec.versions[0].schema.openAPIV3Schema.properties['a'].items == {1: true}",
            "object.spec.versions[0].schema.openAPIV3Schema.not.none == 1",
            "object.spec.versions[0].schema.openAPIV3Schema.type == 1",
          ),
        });
        await make("singular", [{ resources: ["deployment", "Deployments"] }], validations("object.x == 1"));
        await settle("checked", isChecked);
        await merge("validatingadmissionpolicies", `right.${namespace}`, { spec: validations("object.spec.none > 1") });
        await settle("checked again", isChecked);
      } finally {
        for (const name of made) await remove("validatingadmissionpolicies", name);
      }
    },
  },
  {
    name: "policy types of a CRD",
    async run({ create, settle, remove, namespace }) {
      const group = `${namespace}.example.com`;
      const properties = {
        size: { type: "integer" },
        ratio: { type: "number" },
        port: { "x-kubernetes-int-or-string": true },
        labels: { type: "object", additionalProperties: { type: "string" } },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        items: { type: "array", items: { type: "object", properties: { "a-b": { type: "string", format: "date-time" } } } },
        inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      };
      const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
      await create("customresourcedefinitions", {
        metadata: { name: `engines.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "engines", kind: "Engine" },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
        },
      });
      await settle("published", ({ customresourcedefinitions: [one] }) => ((one?.["status"]?.conditions ?? []) as Json[]).length > 1);
      try {
        const fields = ["size", "ratio", "port", "labels", "any", "any.x", "items", "items[0].a__dash__b", "inner.metadata", "inner.none"];
        await create(
          "validatingadmissionpolicies",
          policy(`engines.${namespace}`, [{ groups: [group], resources: ["engines"] }], {
            ...validations(
              ...fields.map((field) => `object.spec.${field} == {1: true}`),
              "object.metadata.labels == {1: true}",
              "object.none == 1",
              "object.kind == 1",
            ),
          }),
        );
        await settle("checked", isChecked);
      } finally {
        await remove("validatingadmissionpolicies", `engines.${namespace}`);
        await remove("customresourcedefinitions", `engines.${group}`);
      }
    },
  },
];
