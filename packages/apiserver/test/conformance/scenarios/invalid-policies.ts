/** Admission policies and bindings that are refused: their fields, and expressions that do not compile. */
import type { Json, Scenario } from "../session.ts";
import { PARAMS, POLICY_GROUP } from "./policy-cases.ts";

const RULE: Json = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const CONSTRAINTS: Json = { resourceRules: [RULE] };
const TRUE = [{ expression: "true" }];

/** Specs of ValidatingAdmissionPolicies. */
const VALIDATING: Readonly<Record<string, Json>> = {
  empty: {},
  "without validations": { matchConstraints: CONSTRAINTS },
  "without rules": { matchConstraints: {}, validations: TRUE },
  "wrong words": {
    failurePolicy: "Other",
    matchConstraints: { ...CONSTRAINTS, matchPolicy: "Other" },
    validations: [{ expression: "true", reason: "Other" }],
  },
  "wrong rules": {
    matchConstraints: {
      resourceRules: [
        { operations: ["OTHER", "*"], apiGroups: [], apiVersions: [""], resources: [], scope: "Other", resourceNames: ["a/b", "c", "c"] },
      ],
      excludeResourceRules: [{}],
      namespaceSelector: { matchLabels: { "": "x y" } },
    },
    validations: TRUE,
  },
  "wrong kinds of params": { paramKind: { apiVersion: "A/b/c", kind: "" }, matchConstraints: CONSTRAINTS, validations: TRUE },
  "other wrong kinds of params": { paramKind: { apiVersion: "A_b/V 1", kind: "A b" }, matchConstraints: CONSTRAINTS, validations: TRUE },
  "blank texts": {
    matchConstraints: CONSTRAINTS,
    validations: [
      { expression: " ", message: " ", messageExpression: " " },
      { expression: "true", message: "a\nb" },
    ],
  },
  "expressions that do not compile": {
    matchConstraints: CONSTRAINTS,
    validations: [
      "object.data.(",
      "1 +",
      "object.x",
      "1",
      "'a'",
      "params == 1",
      "variables.a == 1",
      "request.none == 1",
      "namespaceObject.spec.none == 1",
      "none == 1",
    ].map((expression) => ({ expression })),
  },
  "messages that do not compile": {
    ...PARAMS,
    matchConstraints: CONSTRAINTS,
    validations: ["1", "object.x", "params.x + 1", "authorizer.path('/a').check('get').reason()", "'a' + 1", "string(params.x)"].map(
      (messageExpression) => ({
        expression: "true",
        messageExpression,
      }),
    ),
  },
  "deepest expressions": {
    matchConstraints: CONSTRAINTS,
    validations: [
      `${"(".repeat(249)}true${")".repeat(249)}`,
      `size(${"[".repeat(248)}${"]".repeat(248)}) == 1`,
      `${"true ? true : ".repeat(249)}true`,
      `${"{1: ".repeat(249)}1${"}".repeat(249)} != {}`,
    ].map((expression) => ({ expression })),
  },
  "expressions that are nested too deeply": {
    matchConstraints: CONSTRAINTS,
    validations: [
      `${"(".repeat(250)}true${")".repeat(250)}`,
      `size(${"[".repeat(249)}1${"]".repeat(249)}) == 1`,
      `${"true ? true : ".repeat(250)}true`,
      `${"{1: ".repeat(250)}1${"}".repeat(250)} != {}`,
    ].map((expression) => ({ expression })),
  },
  variables: {
    matchConstraints: CONSTRAINTS,
    variables: [
      { name: "", expression: "" },
      { name: "a-b", expression: "1" },
      { name: "namespace", expression: "1" },
      { name: "own", expression: "variables.own" },
      { name: "later", expression: "variables.last" },
      { name: "last", expression: "'a'" },
    ],
    validations: [{ expression: "variables.last == 1" }, { expression: "variables.none == 1" }, { expression: "variables.last == 'a'" }],
  },
  conditions: {
    matchConstraints: CONSTRAINTS,
    matchConditions: [
      { name: "a", expression: "variables.x == 1" },
      { name: "a", expression: "1" },
      { name: "a b", expression: " " },
      { name: "", expression: "params.x == 1" },
    ],
    variables: [{ name: "x", expression: "1" }],
    validations: TRUE,
  },
  annotations: {
    matchConstraints: CONSTRAINTS,
    auditAnnotations: [
      { key: "a", valueExpression: "1" },
      { key: "a", valueExpression: "'x'" },
      { key: "b c", valueExpression: "" },
      { key: "d", valueExpression: "object.x" },
      { key: "e", valueExpression: "null" },
    ],
  },
  right: {
    ...PARAMS,
    matchConstraints: CONSTRAINTS,
    validations: [{ expression: "params.x == 1 && authorizer.requestResource.check('get').allowed()" }],
  },
};

/** Specs of MutatingAdmissionPolicies. */
const MUTATING: Readonly<Record<string, Json>> = {
  empty: {},
  "without mutations": { matchConstraints: CONSTRAINTS, reinvocationPolicy: "Other" },
  "of deletions": {
    matchConstraints: { resourceRules: [{ ...RULE, operations: ["DELETE", "CREATE"] }] },
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }],
  },
  "wrong forms": {
    matchConstraints: CONSTRAINTS,
    reinvocationPolicy: "Never",
    mutations: [
      {},
      { patchType: "Other" },
      { patchType: "JSONPatch" },
      { patchType: "ApplyConfiguration" },
      { patchType: "JSONPatch", jsonPatch: { expression: " " } },
      { patchType: "ApplyConfiguration", jsonPatch: { expression: "[]" } },
      { patchType: "JSONPatch", jsonPatch: { expression: "[JSONPatch{}]" }, applyConfiguration: { expression: "Object{}" } },
    ],
  },
  "expressions that do not compile": {
    matchConstraints: CONSTRAINTS,
    reinvocationPolicy: "Never",
    mutations: [
      ...[
        "1",
        "object",
        "Object.spec{}",
        "Other{}",
        "Object{spec: 1 + 'a'}",
        "Object{",
        "[JSONPatch{}]",
        " Object{a: params.x}",
        "Object{?a: 1}",
      ].map((expression) => ({
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression },
      })),
      ...["1", "JSONPatch{}", "[Object{}]", "[JSONPatch{op: 1}]", "[JSONPatch{other: 1}]", "[]", "[1]"].map((expression) => ({
        patchType: "JSONPatch",
        jsonPatch: { expression },
      })),
    ],
  },
};

/** Specs of bindings. */
const BINDINGS: Readonly<Record<string, Json>> = {
  empty: {},
  "wrong name": { policyName: "A b", validationActions: ["Deny", "Warn", "Other", "Warn"] },
  "no way to params": { policyName: "a", validationActions: ["Deny"], paramRef: {} },
  "two ways to params": {
    policyName: "a",
    validationActions: ["Audit"],
    paramRef: { name: "a/b", selector: { matchLabels: { "": "" } }, parameterNotFoundAction: "Other" },
  },
  "wrong rules": {
    policyName: "a",
    validationActions: ["Warn"],
    matchResources: { resourceRules: [{ ...RULE, operations: ["DELETE", "Other"] }] },
  },
};

export const invalidPolicies: readonly Scenario[] = [
  {
    name: "invalid admission policies",
    async run({ send }) {
      const apiVersion = "admissionregistration.k8s.io/v1";
      const post = (what: string, [kind, plural]: readonly [kind: string, plural: string], spec: Json): Promise<unknown> =>
        send(`${kind}: ${what}`, "POST", `${POLICY_GROUP}/${plural}`, {
          query: "dryRun=All",
          body: { apiVersion, kind, metadata: { name: "invalid" }, spec },
        });
      for (const [what, spec] of Object.entries(VALIDATING))
        await post(what, ["ValidatingAdmissionPolicy", "validatingadmissionpolicies"], spec);
      for (const [what, spec] of Object.entries(MUTATING)) await post(what, ["MutatingAdmissionPolicy", "mutatingadmissionpolicies"], spec);
      for (const [what, spec] of Object.entries(BINDINGS)) {
        await post(what, ["ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"], spec);
        const { validationActions: _, ...rest } = spec;
        await post(what, ["MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings"], rest);
      }
    },
  },
];
