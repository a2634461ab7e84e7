/** CEL rules over the life of an object: on create and update, transitions, ratcheting, through the status and through apply. */
import type { Json, Scenario, Session } from "../session.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const text = { type: "string", maxLength: 20 };

const spec: Json = {
  type: "object",
  "x-kubernetes-validations": [
    { rule: "self.min <= self.max", message: "min is above max", fieldPath: ".min" },
    { rule: "!has(oldSelf.sealed) || has(self.sealed)", message: "sealed cannot be taken away" },
    {
      rule: "self.max < 100",
      messageExpression: "'max is %d, not below 100'.format([self.max])",
      reason: "FieldValueForbidden",
      fieldPath: ".max",
    },
    { rule: "!has(self.required) || self.required", reason: "FieldValueRequired" },
    { rule: "self.max != 13", reason: "FieldValueDuplicate", messageExpression: "string(1 / (self.max - 13))" },
  ],
  properties: {
    min: { type: "integer", default: 0 },
    max: { type: "integer", default: 10 },
    required: { type: "boolean" },
    sealed: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "sealed is immutable" }] },
    once: {
      ...text,
      "x-kubernetes-validations": [{ rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true, message: "once only" }],
    },
    name: { ...text, "x-kubernetes-validations": [{ rule: "self.startsWith('a')", message: "starts with a" }] },
    words: { type: "array", maxItems: 5, items: { ...text, "x-kubernetes-validations": [{ rule: "self != 'bad'" }] } },
    ports: {
      type: "array",
      maxItems: 5,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-validations": [{ rule: "self.all(p, p.port > 0)", message: "ports are positive" }],
      items: {
        type: "object",
        required: ["name"],
        "x-kubernetes-validations": [
          { rule: "self.port >= oldSelf.port", message: "ports only rise" },
          { rule: "self.port != 99", message: "not 99" },
        ],
        properties: { name: text, port: { type: "integer" } },
      },
    },
    settings: {
      type: "object",
      maxProperties: 5,
      additionalProperties: {
        type: "integer",
        "x-kubernetes-validations": [{ rule: "self >= 0" }, { rule: "self >= oldSelf", message: "grows" }],
      },
    },
    embedded: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [{ rule: "self.kind == 'ConfigMap' && self.metadata.name != 'no'", message: "a ConfigMap with a name" }],
    },
    open: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [{ rule: "has(self.known)", message: "knows known" }],
      properties: { known: { type: "boolean" } },
    },
    limited: { type: "string", maxLength: 3, "x-kubernetes-validations": [{ rule: "self != 'x'" }] },
  },
};

const definition: Json = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ruled.rules.treadle.dev" },
  spec: {
    group: "rules.treadle.dev",
    scope: "Namespaced",
    names: { plural: "ruled", kind: "Ruled" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            "x-kubernetes-validations": [
              { rule: "self.metadata.name.size() < 12", message: "the name is too long" },
              { rule: "!has(self.status) || !has(self.status.count) || self.status.count <= self.spec.max", message: "more than max" },
            ],
            properties: {
              spec,
              status: {
                type: "object",
                properties: {
                  count: {
                    type: "integer",
                    "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "counts up" }, { rule: "self != 7" }],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** By step: the created object. */
const created: Readonly<Record<string, Json>> = {
  "all is well": {},
  "min above max": { min: 11 },
  "a message that is computed": { max: 100 },
  "two rules of one object": { min: 200, max: 150 },
  "a reason of its own": { required: false },
  "a message that goes wrong": { max: 13 },
  "of a text": { name: "b" },
  "of items": { words: ["bad", "good", "bad"] },
  "of a list and its items": {
    ports: [
      { name: "a", port: -1 },
      { name: "b", port: 99 },
    ],
  },
  "a field that is not there": { ports: [{ name: "a" }] },
  "of values of a map": { settings: { a: -1 } },
  "of an embedded object": { embedded: { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } } },
  "an embedded object that is right": { embedded: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } } },
  "an embedded name": { embedded: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "no" } } },
  "an open object": { open: { other: 1 } },
  "an open object that is right": { open: { known: true, other: 1 } },
  "too long, so rules do not run": { limited: "xxxx", name: "b" },
  "the wrong type, so rules do not run": { name: 5, max: 100 },
  "optional without an old one": { once: "x" },
  "of transitions, without an old one": { sealed: "x", settings: { a: 1 } },
};

/** By step: the object before and after the update. */
const updated: Readonly<Record<string, readonly [Json, Json]>> = {
  "immutable, unchanged": [{ sealed: "x" }, { sealed: "x", max: 11 }],
  "immutable, changed": [{ sealed: "x" }, { sealed: "y" }],
  "immutable, taken away": [{ sealed: "x" }, {}],
  "immutable, added": [{}, { sealed: "y" }],
  "optional, added": [{}, { once: "x" }],
  "optional, changed": [{ once: "x" }, { once: "y" }],
  "items of a list-map move": [
    {
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 5 },
      ],
    },
    {
      ports: [
        { name: "b", port: 6 },
        { name: "a", port: 2 },
      ],
    },
  ],
  "an item of a list-map falls": [
    {
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 5 },
      ],
    },
    {
      ports: [
        { name: "b", port: 4 },
        { name: "c", port: 1 },
      ],
    },
  ],
  "a value of a map falls": [{ settings: { a: 5, b: 1 } }, { settings: { a: 4, c: 1 } }],
  "a value of a map rises": [{ settings: { a: 5 } }, { settings: { a: 6 } }],
};

/** By step: objects that were invalid before there were rules. */
const ratcheted: Readonly<Record<string, readonly [Json, Json]>> = {
  "nothing changed there": [
    { name: "b", max: 10 },
    { name: "b", max: 11 },
  ],
  "the value changed": [{ name: "b" }, { name: "c" }],
  "the value was put right": [{ name: "b" }, { name: "ab" }],
  "the object around it changed": [
    { min: 20, max: 10 },
    { min: 20, max: 10, required: true },
  ],
  "the object around it is the same": [
    { min: 20, max: 10 },
    { min: 20, max: 10 },
  ],
  "a list that is the same": [{ words: ["bad", "x"] }, { words: ["bad", "x"], max: 11 }],
  "a list that grew": [{ words: ["bad"] }, { words: ["bad", "x"] }],
  "a list-map of which another item changed": [
    {
      ports: [
        { name: "a", port: 99 },
        { name: "b", port: 1 },
      ],
    },
    {
      ports: [
        { name: "a", port: 99 },
        { name: "b", port: 2 },
      ],
    },
  ],
  "an item of a list-map that changed": [{ ports: [{ name: "a", port: -1 }] }, { ports: [{ name: "a", port: 99 }] }],
  "a map of which another value changed": [{ settings: { a: -1, b: 1 } }, { settings: { a: -1, b: 2 } }],
  "a field too long and a rule": [
    { limited: "xxxx", name: "b" },
    { limited: "xxxx", name: "b", max: 12 },
  ],
  "a field too long and a rule that is broken now": [{ limited: "xxxx" }, { limited: "xxxx", name: "b" }],
};

export const rules: readonly Scenario[] = [
  {
    name: "rules",
    async run(session) {
      const { send, quietly, namespace } = session;
      const path = `/apis/rules.treadle.dev/v1/namespaces/${namespace}/ruled`;
      await install(session, definition);
      for (const [i, [step, body]] of Object.entries(created).entries()) await send(step, "POST", path, { body: ruled(`c${i}`, body) });
      await send("the name is too long", "POST", path, { body: ruled("twelve-chars", {}) });
      for (const [i, [step, [before, after]]] of Object.entries(updated).entries()) {
        await quietly("POST", path, { body: ruled(`u${i}`, before) });
        await put(session, step, { path, name: `u${i}`, spec: after });
      }
      await quietly("POST", path, { body: ruled("s", { max: 5 }) });
      for (const [step, status] of Object.entries<Json>({
        first: { count: 3 },
        down: { count: 2 },
        "too many": { count: 6 },
        seven: { count: 7 },
      }))
        await send(`status: ${step}`, "PATCH", `${path}/s/status`, { body: { status }, headers: MERGE });
      await send("the spec below the status", "PATCH", `${path}/s`, { body: { spec: { max: 2 } }, headers: MERGE });
      await send("patched", "PATCH", `${path}/u0`, { body: { spec: { sealed: null } }, headers: MERGE });
      await send("applied", "PATCH", `${path}/u0`, {
        query: "fieldManager=m&force=true",
        body: JSON.stringify(ruled("u0", { sealed: "other" })),
        headers: { "content-type": "application/apply-patch+yaml" },
      });
    },
  },
  {
    name: "rules that come later",
    async run(session) {
      const { quietly, namespace } = session;
      const path = `/apis/rules.treadle.dev/v1/namespaces/${namespace}/ruled`;
      const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const [version] = definition["spec"].versions;
      const lax = { ...definition, spec: { ...definition["spec"], versions: [{ ...version, schema: { openAPIV3Schema: open } }] } };
      await install(session, lax);
      for (const [i, [before]] of Object.values(ratcheted).entries()) await quietly("POST", path, { body: ruled(`r${i}`, before) });
      const { metadata } = await quietly("GET", `${CRDS}/${definition["metadata"].name}`);
      await quietly("PUT", `${CRDS}/${definition["metadata"].name}`, {
        body: { ...definition, metadata: { ...definition["metadata"], resourceVersion: metadata.resourceVersion } },
      });
      await until(async () => (await quietly("POST", path, { query: "dryRun=All", body: ruled("x", { min: 50 }) }))["code"] === 422);
      for (const [i, [step, [, after]]] of Object.entries(ratcheted).entries())
        await put(session, step, { path, name: `r${i}`, spec: after });
    },
  },
];

const MERGE = { "content-type": "application/merge-patch+json" };

function ruled(name: string, given: Json): Json {
  return { apiVersion: "rules.treadle.dev/v1", kind: "Ruled", metadata: { name }, spec: given };
}

async function put(
  { send, quietly }: Session,
  step: string,
  to: { readonly path: string; readonly name: string; readonly spec: Json },
): Promise<void> {
  const { metadata } = await quietly("GET", `${to.path}/${to.name}`);
  const body = { ...ruled(to.name, to.spec), metadata: { name: to.name, resourceVersion: metadata?.resourceVersion } };
  await send(step, "PUT", `${to.path}/${to.name}`, { body });
}

/** Installs a CRD in place of the last one, whose definition may still exist. */
async function install(session: Session, crd: Json): Promise<void> {
  const { quietly } = session;
  const path = `${CRDS}/${crd["metadata"].name}`;
  await quietly("DELETE", path);
  await until(async () => (await quietly("GET", path))["code"] === 404);
  const made = await quietly("POST", CRDS, { body: crd });
  if (made["kind"] !== "CustomResourceDefinition") throw new Error(`cannot create the CRD: ${JSON.stringify(made)}`);
  const list = `/apis/rules.treadle.dev/v1/namespaces/${session.namespace}/ruled`;
  await until(async () => (await quietly("GET", list))["kind"] === "RuledList");
  await until(async () => (await quietly("POST", list, { query: "dryRun=All", body: ruled("ready", {}) }))["kind"] === "Ruled");
}

/** Waits, because a real server needs a moment for a CRD. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries > 400) throw new Error("the CRD does not come into force");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
