/** MutatingAdmissionPolicies: apply configurations, JSON patches, their errors, and how they run one after the other. */
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
  POLICY_GROUP,
  type PolicySort,
  untilPolicy,
} from "./policy-cases.ts";

const applies = (...list: readonly string[]): Json => ({
  mutations: list.map((expression) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } })),
});
const patches = (...list: readonly string[]): Json => ({
  mutations: list.map((expression) => ({ patchType: "JSONPatch", jsonPatch: { expression } })),
});

const MUTATING: PolicySort = {
  kind: "MutatingAdmissionPolicy",
  policy: { reinvocationPolicy: "Never", failurePolicy: "Fail" },
  sentinel: patches("[JSONPatch{op: 'remove', path: '/data/none'}]"),
};

const CASES: readonly PolicyCase[] = [
  { name: "apply", policy: applies("Object{data: {'added': object.data.a + '!'}}") },
  {
    name: "apply-labels",
    policy: applies(
      "Object{metadata: Object.metadata{labels: {'set': 'yes'}, annotations: {'a/b': request.operation}, finalizers: ['x.io/one']}}",
    ),
  },
  { name: "apply-optional", policy: applies("Object{?data: oldObject == null ? optional.of({'new': 'yes'}) : optional.none()}") },
  { name: "apply-nothing", policy: applies("Object{}") },
  { name: "apply-two", policy: applies("Object{data: {'one': '1'}}", "Object{data: {'two': object.data.one + '2'}}") },
  { name: "apply-wrong-name", policy: applies("Object{metadata: Object.spec{labels: {'a': 'b'}}}") },
  { name: "apply-unknown-field", policy: applies("Object{spec: Object.spec{a: 1}}") },
  { name: "apply-wrong-type", policy: applies("Object{data: {'a': 1}}") },
  {
    name: "apply-owner",
    policy: applies(
      "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'a', name: 'b', kind: 'C', apiVersion: 'v1'}]}}",
    ),
  },
  { name: "apply-immutable", policy: applies("Object{metadata: Object.metadata{name: 'other'}}") },
  { name: "apply-fails", policy: applies("Object{data: {'x': object.data.none}}") },
  { name: "apply-fails-ignored", policy: { ...applies("Object{data: {'x': object.data.none}}"), failurePolicy: "Ignore" } },
  { name: "apply-null", policy: applies("Object{data: null}") },
  { name: "apply-null-text", policy: applies("Object{metadata: Object.metadata{generateName: null}}") },
  { name: "apply-null-flag", policy: applies("Object{immutable: null}") },
  { name: "apply-null-number", policy: applies("Object{metadata: Object.metadata{generation: null}}") },
  { name: "apply-null-time", policy: applies("Object{metadata: Object.metadata{creationTimestamp: null}}") },
  { name: "apply-null-list", policy: applies("Object{metadata: Object.metadata{finalizers: null}}") },
  { name: "apply-null-in-map", policy: applies("Object{data: {'a': null}}") },
  { name: "patch-null", policy: patches("[JSONPatch{op: 'add', path: '/data/a', value: null}]") },
  {
    name: "patch",
    policy: patches("[JSONPatch{op: 'add', path: '/data/added', value: object.data.a}, JSONPatch{op: 'remove', path: '/data/a'}]"),
  },
  { name: "patch-object", policy: patches("[JSONPatch{op: 'add', path: '/data', value: Object.data{a: 'x', b: 'y'}}]") },
  {
    name: "patch-escaped",
    policy: patches(
      "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}, JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}]",
    ),
  },
  {
    name: "patch-test",
    policy: patches("[JSONPatch{op: 'test', path: '/data/a', value: 'good'}, JSONPatch{op: 'replace', path: '/data/a', value: 'better'}]"),
  },
  {
    name: "patch-move",
    policy: patches("[JSONPatch{op: 'move', from: '/data/a', path: '/data/b'}, JSONPatch{op: 'copy', from: '/data/b', path: '/data/c'}]"),
  },
  { name: "patch-none", policy: patches("object.data.a == 'good' ? [] : [JSONPatch{op: 'add', path: '/data/bad', value: 'yes'}]") },
  { name: "patch-removes-none", policy: patches("[JSONPatch{op: 'remove', path: '/data/none'}]") },
  { name: "patch-replaces-none", policy: patches("[JSONPatch{op: 'replace', path: '/data/none', value: 'x'}]") },
  { name: "patch-below-none", policy: patches("[JSONPatch{op: 'add', path: '/none/none', value: 'x'}]") },
  { name: "patch-moves-none", policy: patches("[JSONPatch{op: 'move', from: '/data/none', path: '/data/x'}]") },
  { name: "patch-bad-op", policy: patches("[JSONPatch{op: 'bad', path: '/data/x', value: 'x'}]") },
  { name: "patch-unknown-field", policy: patches("[JSONPatch{op: 'add', path: '/spec', value: 'x'}]") },
  { name: "patch-wrong-type", policy: patches("[JSONPatch{op: 'add', path: '/data/x', value: 1}]") },
  { name: "patch-wrong-name", policy: patches("[JSONPatch{op: 'add', path: '/data', value: Object.data{a: Object.other{}}}]") },
  { name: "patch-fails", policy: patches("[JSONPatch{op: 'add', path: '/data/x', value: object.data.none}]") },
  {
    name: "both",
    policy: {
      mutations: [
        ...applies("Object{data: {'one': '1'}}")["mutations"],
        ...patches("[JSONPatch{op: 'copy', from: '/data/one', path: '/data/two'}]")["mutations"],
      ],
    },
  },
  {
    name: "fails-then-works",
    policy: { ...applies("Object{data: {'x': object.data.none}}", "Object{data: {'y': 'yes'}}"), failurePolicy: "Ignore" },
  },
  { name: "fails-twice", policy: applies("Object{data: {'x': object.data.none}}", "Object{data: {'y': object.data.nothing}}") },
  {
    name: "conditions",
    policy: { ...IF_BAD, ...applies("Object{data: {'seen': 'yes'}}") },
  },
  {
    name: "condition-fails",
    policy: { ...IF_ABSENT, ...applies("Object{data: {'seen': 'yes'}}") },
  },
  {
    name: "condition-ignored",
    policy: {
      failurePolicy: "Ignore",
      ...IF_ABSENT,
      ...applies("Object{data: {'seen': 'yes'}}"),
    },
  },
  {
    name: "variables",
    policy: {
      variables: [
        { name: "a", expression: "object.data.a" },
        { name: "text", expression: "variables.a + '-' + variables.a" },
        { name: "unused", expression: "object.data.none" },
      ],
      ...applies("Object{data: {'text': variables.text}}"),
    },
  },
  {
    name: "variable-fails",
    policy: { variables: [{ name: "none", expression: "object.data.none" }], ...applies("Object{data: {'text': variables.none}}") },
  },
  {
    name: "params",
    policy: { ...PARAMS, ...applies("Object{data: {'wanted': params.data.wanted}}") },
    binding: paramRef("wanted"),
  },
  {
    name: "params-denied",
    policy: { ...PARAMS, ...applies("Object{}") },
    binding: paramRef("absent"),
  },
  {
    name: "params-allowed",
    policy: { ...PARAMS, ...applies("Object{data: {'wanted': 'x'}}") },
    binding: paramRef("absent", "Allow"),
  },
  {
    name: "params-of-no-kind",
    policy: { ...NO_PARAMS, ...applies("Object{}") },
    rule: { resourceNames: ["params-of-no-kind-bad"] },
  },
  {
    name: "rights",
    policy: applies(
      "Object{data: {'own': string(authorizer.requestResource.check('create').allowed()), 'path': string(authorizer.path('/none').check('get').allowed())}}",
    ),
  },
  {
    name: "rights-of-account",
    policy: applies(
      "Object{data: {'other': string(authorizer.serviceAccount('default', 'nobody').group('').resource('secrets').namespace('default').check('get').allowed())}}",
    ),
  },
  {
    name: "rights-too-often",
    policy: applies(
      "Object{data: {'own': string(['get', 'list', 'watch'].map(verb, authorizer.requestResource.check(verb).allowed()).size())}}",
    ),
  },
  {
    name: "rights-without-path",
    policy: applies("Object{data: {'path': string(authorizer.path(' ').check('get').allowed())}}"),
  },
  {
    name: "namespace-object",
    policy: applies("Object{data: {'phase': namespaceObject.status.phase, 'dry': string(request.dryRun), 'kind': request.kind.kind}}"),
  },
  { name: "updates", policy: applies("Object{data: {'old': oldObject.data.a}}"), rule: { operations: ["UPDATE"] } },
  {
    name: "reinvoked",
    policy: {
      ...applies("Object{data: {'count': (has(object.data.count) ? object.data.count : '') + 'i'}}"),
      reinvocationPolicy: "IfNeeded",
    },
  },
  { name: "counted-once", policy: applies("Object{data: {'count': (has(object.data.count) ? object.data.count : '') + 'i'}}") },
];

/** Pod templates have lists that are merged by key, and lists that have one owner. */
const POD_CASES: readonly PolicyCase[] = [
  {
    name: "container",
    policy: applies(
      "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'extra', image: 'extra:1'}]}}}}",
    ),
  },
  {
    name: "environment",
    policy: applies(
      "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, env: [Object.spec.template.spec.containers.env{name: 'A', value: 'b'}]})}}}}",
    ),
  },
  {
    name: "atomic",
    policy: applies(
      "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}, template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'main', args: ['a']}]}}}}",
    ),
  },
  { name: "replicas", policy: applies("Object{spec: Object.spec{replicas: object.spec.replicas + 2}}") },
  { name: "replicas-text", policy: applies("Object{spec: Object.spec{replicas: 'many'}}") },
  {
    name: "no-key",
    policy: applies(
      "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{image: 'x'}]}}}}",
    ),
  },
  { name: "invalid", policy: patches("[JSONPatch{op: 'replace', path: '/spec/replicas', value: -1}]") },
  { name: "patched-text", policy: patches("[JSONPatch{op: 'replace', path: '/spec/replicas', value: 'many'}]") },
  {
    name: "patched-container",
    policy: patches(
      "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/-', value: Object.spec.template.spec.containers{name: 'extra', image: 'extra', ports: [Object.spec.template.spec.containers.ports{containerPort: 80}]}}]",
    ),
  },
];

function deployment(of: string): Json {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: of, labels: { case: of } },
    spec: {
      selector: { matchLabels: { app: of } },
      template: { metadata: { labels: { app: of } }, spec: { containers: [{ name: "main", image: "main:1" }] } },
    },
  };
}

const MERGE = { "content-type": "application/merge-patch+json" };
const APPLY = { "content-type": "application/apply-patch+yaml" };

export const mutatingPolicies: readonly Scenario[] = [
  {
    name: "mutating admission policies",
    async run(session) {
      const { send, quietly, namespace } = session;
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await quietly("POST", path, {
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "wanted" }, data: { wanted: "good" } },
      });
      await installPolicies(session, MUTATING, CASES);
      // Parameters are known later than policies.
      await untilPolicy(session, "params", "ConfigMap");
      for (const { name } of CASES) {
        for (const a of ["good", "bad"]) {
          const at = `${path}/${name}-${a}`;
          await send(`${name}: create ${a}`, "POST", path, { body: labelledConfigMap(name, `${name}-${a}`, a) });
          await quietly("POST", path, { body: { ...labelledConfigMap(name, `${name}-${a}`, a), metadata: { name: `${name}-${a}` } } });
          await quietly("PATCH", at, { body: { metadata: { labels: { case: name } } }, headers: MERGE });
          await send(`${name}: change ${a}`, "PATCH", at, { body: { data: { b: "x" } }, headers: MERGE });
          await send(`${name}: apply ${a}`, "PATCH", at, {
            query: "fieldManager=applier&force=true",
            body: { ...labelledConfigMap(name, `${name}-${a}`, a), data: { a, applied: "yes" } },
            headers: APPLY,
          });
          await send(`${name}: read ${a}`, "GET", at);
          await send(`${name}: delete ${a}`, "DELETE", at);
        }
      }
      // Without its binding this policy does not fail the requests of other scenarios.
      await quietly("DELETE", `${POLICY_GROUP}/mutatingadmissionpolicybindings/params-of-no-kind.${namespace}`);
      await send("apply: dry run", "POST", path, { query: "dryRun=All", body: labelledConfigMap("apply", "dry", "x") });
    },
  },
  {
    name: "mutating admission policies on pod templates",
    async run(session) {
      const { send, namespace } = session;
      const rule = { apiGroups: ["apps"], resources: ["deployments"] };
      await installPolicies(
        session,
        MUTATING,
        POD_CASES.map((one) => ({ ...one, rule })),
      );
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      for (const { name } of POD_CASES) {
        await send(`${name}: create`, "POST", path, { body: deployment(name) });
        await send(`${name}: apply`, "PATCH", `${path}/${name}`, {
          query: "fieldManager=a&force=true",
          body: deployment(name),
          headers: APPLY,
        });
      }
    },
  },
  {
    name: "mutating admission policies on custom kinds",
    async run(session) {
      const { send, gadgets } = session;
      const rule = { apiGroups: ["conformance.treadle.dev"], apiVersions: ["v1"], resources: ["gadgets", "gadgets/status"] };
      const cases: readonly PolicyCase[] = [
        { name: "size", policy: applies("Object{spec: Object.spec{size: object.spec.size + 1}}"), rule },
        { name: "text", policy: applies("Object{spec: Object.spec{size: 'x'}}"), rule },
        { name: "unknown", policy: patches("[JSONPatch{op: 'add', path: '/spec/unknown', value: {'a': 1}}]"), rule },
        { name: "not-a-number", policy: patches("[JSONPatch{op: 'add', path: '/spec/unknown', value: 0.0/0.0}]"), rule },
        { name: "infinite", policy: patches("[JSONPatch{op: 'replace', path: '/spec/size', value: [1.0/0.0]}]"), rule },
        { name: "not-a-number-applied", policy: applies("Object{spec: Object.spec{size: 0.0/0.0}}"), rule },
        { name: "infinite-applied", policy: applies("Object{spec: Object.spec{size: -1.0/0.0}}"), rule },
        { name: "big-number", policy: patches("[JSONPatch{op: 'replace', path: '/spec/size', value: 9007199254740993}]"), rule },
        { name: "unknown-applied", policy: applies("Object{spec: Object.spec{unknown: 'x'}}"), rule },
        {
          name: "status",
          policy: applies("Object{metadata: Object.metadata{labels: {'sub': has(request.subResource) ? request.subResource : 'none'}}}"),
          rule,
        },
      ];
      await installPolicies(session, MUTATING, cases);
      // The real server needs up to five seconds until it knows the type of a new kind.
      await session.quietly("GET", gadgets);
      await new Promise((resolve) => setTimeout(resolve, 6000));
      for (const { name } of cases) {
        const body = gadget(name, { size: 1 }, { metadata: { labels: { case: name } } });
        await send(`${name}: create`, "POST", gadgets, { body });
        await send(`${name}: status`, "PATCH", `${gadgets}/${name}/status`, { body: { status: { phase: "x" } }, headers: MERGE });
        await send(`${name}: apply`, "PATCH", `${gadgets}/${name}`, { query: "fieldManager=a", body, headers: APPLY });
      }
    },
  },
];
