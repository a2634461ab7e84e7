/** ValidatingAdmissionPolicies: the requests that they match, the variables that they see, and the effect of their verdicts. */
import { gadget } from "../gadget.ts";
import type { Json, Scenario } from "../session.ts";
import {
  IF_ABSENT,
  IF_BAD,
  installPolicies,
  labelledConfigMap,
  NO_PARAMS,
  PARAMS,
  paramRef,
  type PolicyCase,
  type PolicySort,
  untilPolicy,
} from "./policy-cases.ts";

const expressions = (...list: readonly string[]): Json => ({ validations: list.map((expression) => ({ expression })) });

const CASES: readonly PolicyCase[] = [
  { name: "plain", policy: expressions("object.data.a == 'good'") },
  { name: "message", policy: { validations: [{ expression: "false", message: " not this way \n" }] } },
  {
    name: "message-expression",
    policy: {
      validations: [
        { expression: "object.data.a == 'good'", messageExpression: "'a is ' + object.data.a", message: "plain", reason: "Forbidden" },
      ],
    },
  },
  { name: "message-of-lines", policy: { validations: [{ expression: "false", messageExpression: "'a\\nb'", message: "plain" }] } },
  { name: "message-that-fails", policy: { validations: [{ expression: "false", messageExpression: "string(object.data.none)" }] } },
  { name: "empty-message", policy: { validations: [{ expression: " false ", messageExpression: "'  '" }] } },
  { name: "too-large", policy: { validations: [{ expression: "false", reason: "RequestEntityTooLarge" }] } },
  { name: "invalid", policy: { validations: [{ expression: "false", reason: "Invalid" }] } },
  { name: "several", policy: expressions("true", "object.data.a == 'good'", "false") },
  { name: "absent-field", policy: expressions("object.data.none == 'x'") },
  { name: "absent-field-ignored", policy: { failurePolicy: "Ignore", ...expressions("object.data.none == 'x'") } },
  { name: "ignored-and-false", policy: { failurePolicy: "Ignore", ...expressions("object.data.none == 'x'", "false") } },
  { name: "warned", policy: expressions("false", "object.data.a == 'x'"), binding: { validationActions: ["Warn"] } },
  { name: "audited", policy: expressions("false"), binding: { validationActions: ["Audit"] } },
  { name: "warned-and-audited", policy: expressions("false"), binding: { validationActions: ["Warn", "Audit"] } },
  { name: "error-warned", policy: expressions("object.data.none == 'x'"), binding: { validationActions: ["Warn"] } },
  {
    name: "variables",
    policy: {
      variables: [
        { name: "a", expression: "object.data.a" },
        { name: "long", expression: "variables.a.size() > 3" },
        { name: "unused", expression: "object.data.none" },
      ],
      validations: [{ expression: "!variables.long", messageExpression: "variables.a + ' is too long'" }],
    },
  },
  {
    name: "variable-that-fails",
    policy: { variables: [{ name: "none", expression: "object.data.none" }], ...expressions("variables.none == 'x'") },
  },
  {
    name: "conditions",
    policy: { ...IF_BAD, ...expressions("false") },
  },
  {
    name: "condition-that-fails",
    policy: { ...IF_ABSENT, ...expressions("false") },
  },
  {
    name: "condition-ignored",
    policy: {
      failurePolicy: "Ignore",
      ...IF_ABSENT,
      ...expressions("false"),
    },
  },
  {
    name: "request",
    policy: {
      validations: [
        {
          expression: "request.dryRun && false",
          messageExpression:
            "[request.operation, request.name, request.namespace == object.metadata.namespace ? 'same' : 'other', request.kind.kind, request.resource.resource, string(request.userInfo.groups.size() > 0), string(request.dryRun), string(has(request.subResource))].join(' ')",
        },
      ],
    },
  },
  {
    name: "namespace-object",
    policy: {
      validations: [
        {
          expression: "false",
          messageExpression:
            "namespaceObject.metadata.name == object.metadata.namespace ? namespaceObject.status.phase + ' ' + namespaceObject.spec.finalizers[0] : 'other'",
        },
      ],
    },
  },
  {
    name: "updates",
    policy: expressions("oldObject.data.a != 'bad' || object.data.a == 'good'"),
    rule: { operations: ["UPDATE"] },
  },
  {
    name: "creation-and-old",
    policy: { validations: [{ expression: "oldObject != null", messageExpression: "string(oldObject == null)" }] },
  },
  {
    name: "deletions",
    policy: { validations: [{ expression: "object != null", messageExpression: "string(oldObject.data.a)" }] },
    rule: { operations: ["DELETE"] },
  },
  { name: "named", policy: expressions("false"), rule: { resourceNames: ["named-good"] } },
  { name: "other-kind", policy: expressions("false"), rule: { resources: ["secrets"] } },
  { name: "cluster-scope", policy: expressions("false"), rule: { scope: "Cluster" } },
  {
    name: "params",
    policy: {
      ...PARAMS,
      validations: [{ expression: "object.data.a == params.data.wanted", messageExpression: "params.data.wanted + ' is wanted'" }],
    },
    binding: paramRef("wanted"),
  },
  {
    name: "params-by-label",
    policy: {
      ...PARAMS,
      validations: [{ expression: "object.data.a != params.data.unwanted", messageExpression: "string(params.metadata.name)" }],
    },
    binding: { paramRef: { selector: { matchLabels: { params: "yes" } }, parameterNotFoundAction: "Deny" } },
  },
  {
    name: "params-denied",
    policy: { ...PARAMS, ...expressions("true") },
    binding: paramRef("absent"),
  },
  {
    name: "params-denied-warned",
    policy: { ...PARAMS, ...expressions("true") },
    binding: { validationActions: ["Warn"], ...paramRef("absent") },
  },
  {
    name: "params-allowed",
    policy: { ...PARAMS, ...expressions("false") },
    binding: paramRef("absent", "Allow"),
  },
  {
    name: "params-of-no-kind",
    policy: { ...NO_PARAMS, ...expressions("true") },
    rule: { resourceNames: ["params-of-no-kind-bad"] },
  },
  { name: "params-without-reference", policy: { ...PARAMS, ...expressions("params == null", "params != null") } },
  {
    name: "excluded",
    policy: {
      matchConstraints: {
        resourceRules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["*"] }],
        excludeResourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      },
      ...expressions("false"),
    },
  },
  {
    name: "of-one-operation",
    policy: expressions("false"),
    binding: { matchResources: { resourceRules: [{ operations: ["DELETE"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }] } },
  },
];

const VALIDATING: PolicySort = {
  kind: "ValidatingAdmissionPolicy",
  binding: { validationActions: ["Deny"] },
  sentinel: expressions("false"),
};

export const policies: readonly Scenario[] = [
  {
    name: "admission policies",
    async run(session) {
      const { send, quietly, namespace } = session;
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const merge = { "content-type": "application/merge-patch+json" };
      for (const [name, data] of Object.entries({ wanted: { wanted: "good" }, p1: { unwanted: "bad" }, p2: { unwanted: "worse" } }))
        await quietly("POST", path, {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { params: "yes" } }, data: { unwanted: "none", ...data } },
        });
      await installPolicies(session, VALIDATING, CASES);
      // Parameters are known later than policies.
      await untilPolicy(session, "params", "ConfigMap");
      for (const { name } of CASES) {
        for (const a of ["good", "bad"]) {
          const at = `${path}/${name}-${a}`;
          await send(`${name}: create ${a}`, "POST", path, { body: labelledConfigMap(name, `${name}-${a}`, a) });
          await quietly("POST", path, { body: { ...labelledConfigMap(name, `${name}-${a}`, a), metadata: { name: `${name}-${a}` } } });
          await quietly("PATCH", at, { body: { metadata: { labels: { case: name } } }, headers: merge });
          await send(`${name}: change ${a}`, "PATCH", at, { body: { data: { a: "bad", b: "x" } }, headers: merge });
          await send(`${name}: delete ${a}`, "DELETE", at);
        }
      }
      await send("request: dry run", "POST", path, { query: "dryRun=All", body: labelledConfigMap("request", "dry", "x") });
      await send("plain: generated", "POST", path, {
        body: { ...labelledConfigMap("plain", "", "bad"), metadata: { generateName: "random-", labels: { case: "plain" } } },
      });
      await send("plain: many", "DELETE", path, { query: "labelSelector=case%3Ddeletions" });
    },
  },
  {
    name: "admission policies on custom kinds",
    async run(session) {
      const { send, quietly, gadgets } = session;
      const rule = { apiGroups: ["conformance.treadle.dev"], apiVersions: ["v1"], resources: ["gadgets", "gadgets/status"] };
      const cases: readonly PolicyCase[] = [
        { name: "size", policy: expressions("object.spec.size < 5"), rule },
        {
          name: "status",
          policy: {
            validations: [{ expression: "!has(request.subResource)", messageExpression: "request.subResource + ' of ' + object.kind" }],
          },
          rule,
        },
      ];
      await installPolicies(session, VALIDATING, cases);
      for (const { name } of cases) {
        for (const size of [1, 7]) {
          const body = gadget(`${name}-${size}`, { size }, { metadata: { labels: { case: name } } });
          await send(`${name}: create ${size}`, "POST", gadgets, { body });
          await send(`${name}: status ${size}`, "PATCH", `${gadgets}/${name}-${size}/status`, {
            body: { status: { phase: "x" } },
            headers: { "content-type": "application/merge-patch+json" },
          });
          await send(`${name}: apply ${size}`, "PATCH", `${gadgets}/${name}-${size}`, {
            query: "fieldManager=a",
            body: { ...body, spec: { size: size + 1 } },
            headers: { "content-type": "application/apply-patch+yaml" },
          });
          await quietly("DELETE", `${gadgets}/${name}-${size}`);
        }
      }
    },
  },
];
