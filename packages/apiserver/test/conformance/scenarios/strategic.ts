/** Strategic merge patches: each directive, valid and invalid, and generated patches. */
import { type Random, seededRandom } from "@treadle/apimachinery";
import type { Json, Scenario, Session } from "../session.ts";

const headers = { "content-type": "application/strategic-merge-patch+json" };

const DEPLOYMENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    labels: { app: "web", tier: "front" },
    annotations: { note: "x" },
    finalizers: ["example.com/a", "example.com/b"],
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "a",
            image: "example.com/a:1",
            args: ["one", "two"],
            env: [
              { name: "X", value: "1" },
              { name: "Y", value: "2" },
              { name: "Z", value: "3" },
            ],
            ports: [{ containerPort: 9701 }, { containerPort: 9702, name: "other" }],
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          },
          { name: "b", image: "example.com/b:1" },
        ],
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "w", configMap: { name: "w" } },
        ],
        tolerations: [{ key: "k", operator: "Exists" }],
        nodeSelector: { disk: "ssd" },
        imagePullSecrets: [{ name: "one" }],
        hostAliases: [{ ip: "10.1.2.3", hostnames: ["h"] }],
      },
    },
  },
};

const SERVICE = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: {
    clusterIP: "None",
    selector: { app: "web" },
    ports: [
      { name: "http", port: 80 },
      { name: "https", port: 443 },
    ],
  },
};

const container = (...containers: readonly object[]): object => ({ spec: { template: { spec: { containers } } } });
const pod = (spec: object): object => ({ spec: { template: { spec } } });

/** Patches of the Deployment. All are dry runs, so each starts from the same object. */
const CASES: readonly (readonly [string, unknown])[] = [
  ["nothing", {}],
  ["null", "null"],
  ["an image", container({ name: "a", image: "example.com/a:2" })],
  ["a container more", container({ name: "c", image: "example.com/c:1" })],
  ["a container without its merge key", container({ image: "example.com/c:1" })],
  ["a container removed", container({ name: "b", $patch: "delete" })],
  ["a container removed that is not there", container({ name: "z", $patch: "delete" })],
  ["a removal without its merge key", container({ $patch: "delete" })],
  ["containers replaced", container({ name: "c", image: "example.com/c:1" }, { $patch: "replace" })],
  ["containers merged by a directive", container({ name: "a" }, { $patch: "merge" })],
  ["an unknown directive in a list", container({ name: "a", $patch: "frob" })],
  ["a directive that is a number", container({ name: "a", $patch: 5 })],
  [
    "environment merged",
    container({
      name: "a",
      env: [
        { name: "Y", value: "22" },
        { name: "N", value: "9" },
      ],
    }),
  ],
  [
    "environment from elsewhere",
    container({ name: "a", env: [{ name: "Y", value: null, valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
  ],
  [
    "environment in a new order",
    container({ name: "a", $setElementOrder: 1, "$setElementOrder/env": [{ name: "Z" }, { name: "X" }, { name: "Y" }] }),
  ],
  ["an order alone", container({ name: "a", "$setElementOrder/env": [{ name: "Z" }, { name: "X" }] })],
  [
    "an order and a change",
    container({
      name: "a",
      "$setElementOrder/env": [{ name: "N" }, { name: "Y" }, { name: "X" }],
      env: [
        { name: "N", value: "n" },
        { name: "X", value: "x" },
      ],
    }),
  ],
  [
    "an order against that of the list",
    container({
      name: "a",
      "$setElementOrder/env": [{ name: "X" }, { name: "Y" }],
      env: [
        { name: "Y", value: "n" },
        { name: "X", value: "x" },
      ],
    }),
  ],
  [
    "an order and a removal",
    container({ name: "a", "$setElementOrder/env": [{ name: "Z" }, { name: "X" }], env: [{ name: "Y", $patch: "delete" }] }),
  ],
  ["an order of containers", { spec: { template: { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } } } }],
  ["an order without a field", container({ name: "a", $setElementOrder: [] })],
  ["an order that is no list", container({ name: "a", "$setElementOrder/env": "x" })],
  ["an order of what is not there", container({ name: "a", "$setElementOrder/envFrom": [{ name: "x" }] })],
  ["an order of an unknown field", container({ name: "a", "$setElementOrder/colours": [{ name: "x" }] })],
  ["an order of a field that is no list", container({ name: "a", "$setElementOrder/image": [] })],
  ["an order of finalizers", { metadata: { "$setElementOrder/finalizers": ["example.com/b", "example.com/a"] } }],
  [
    "a new list with an order",
    container({
      name: "b",
      "$setElementOrder/env": [{ name: "B" }, { name: "A" }],
      env: [
        { name: "B", value: "b" },
        { name: "A", value: "a" },
      ],
    }),
  ],
  ["arguments are replaced", container({ name: "a", args: ["three"] })],
  ["arguments deleted from", container({ name: "a", "$deleteFromPrimitiveList/args": ["one"] })],
  ["deleted from a list that is not there", container({ name: "b", "$deleteFromPrimitiveList/args": ["one"] })],
  ["finalizers are merged", { metadata: { finalizers: ["example.com/c", "example.com/a"] } }],
  ["finalizers deleted", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }],
  [
    "finalizers deleted and added",
    {
      metadata: {
        "$deleteFromPrimitiveList/finalizers": ["example.com/a"],
        finalizers: ["example.com/c"],
        "$setElementOrder/finalizers": ["example.com/c", "example.com/b"],
      },
    },
  ],
  ["deleted from without a field", { metadata: { $deleteFromPrimitiveList: ["example.com/a"] } }],
  ["deleted from finalizers with maps", { metadata: { "$deleteFromPrimitiveList/finalizers": [{ a: 1 }] } }],
  ["finalizers that are maps", { metadata: { finalizers: [{ a: 1 }] } }],
  ["ports by their number", container({ name: "a", ports: [{ containerPort: 9702, name: "third" }, { containerPort: 82 }] })],
  [
    "mounts by their path",
    container({
      name: "a",
      volumeMounts: [
        { mountPath: "/v", readOnly: true },
        { mountPath: "/w", name: "w" },
      ],
    }),
  ],
  ["tolerations are replaced", pod({ tolerations: [{ key: "other", operator: "Exists" }] })],
  ["tolerations deleted from", pod({ "$deleteFromPrimitiveList/tolerations": [{ key: "k" }] })],
  ["a volume of another type", pod({ volumes: [{ name: "v", emptyDir: null, configMap: { name: "x" } }] })],
  ["keys of a volume that are kept", pod({ volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "x" } }] })],
  ["keys of a volume that are not kept", pod({ volumes: [{ name: "v", $retainKeys: ["name"], configMap: { name: "x" } }] })],
  ["keys that are no list", pod({ volumes: [{ name: "v", $retainKeys: "name" }] })],
  ["keys kept of a strategy", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }],
  ["another strategy without them", { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }],
  ["a map replaced", { metadata: { labels: { $patch: "replace", app: "other" } } }],
  ["a map deleted", { metadata: { annotations: { $patch: "delete" } } }],
  ["a map merged by a directive", { metadata: { labels: { $patch: "merge", app: "other" } } }],
  ["a map with an unknown directive", { metadata: { labels: { $patch: "frob", app: "other" } } }],
  ["the object replaced", { ...DEPLOYMENT, $patch: "replace", metadata: { name: "web" } }],
  ["the object deleted", { $patch: "delete" }],
  ["a directive in a new map", pod({ affinity: { $patch: "delete", nodeAffinity: {} } })],
  ["a directive in a new map below", pod({ affinity: { nodeAffinity: { $patch: "replace" } } })],
  [
    "directives in a new list",
    container({
      name: "b",
      env: [
        { name: "A", value: "a" },
        { name: "B", $patch: "delete" },
      ],
    }),
  ],
  [
    "a directive in a new element",
    container({ name: "c", image: "example.com/c:1", resources: { $patch: "replace", limits: { cpu: "1" } } }),
  ],
  ["labels", { metadata: { labels: { app: null, new: "label" } } }],
  ["nulls in a new map", pod({ securityContext: { runAsUser: null, fsGroup: 5 } })],
  ["a null in a list", container({ name: "b", args: [null, "x"] })],
  ["nulls in a new element", container({ name: "c", image: "example.com/c:1", args: null })],
  ["annotations removed", { metadata: { annotations: null } }],
  ["a list where a map is", { metadata: { labels: ["a"] } }],
  ["a map where a list is", pod({ containers: { name: "a" } })],
  ["a text where a list is", pod({ tolerations: "x" })],
  ["a text where a number is", { spec: { replicas: "3" } }],
  ["a fraction where a number is", { spec: { replicas: 1.5 } }],
  ["a number where a text is", container({ name: "a", image: 5 })],
  ["a truth where a text is", container({ name: "a", image: true })],
  ["a number where a policy is", container({ name: "a", imagePullPolicy: 5 })],
  ["a number where a truth is", { spec: { paused: 1 } }],
  ["a text where a truth is", { spec: { paused: "yes" } }],
  ["a text where a map is", { spec: "x" }],
  ["a number as a label", { metadata: { labels: { app: 5 } } }],
  ["no quantity", container({ name: "a", resources: { limits: { cpu: "many" } } })],
  ["a quantity as a number", container({ name: "a", resources: { limits: { cpu: 2 } } })],
  ["no time", { metadata: { creationTimestamp: "yesterday" } }],
  ["an unknown field", { spec: { colour: "red" } }],
  ["unknown fields", { colour: "red", spec: { template: { spec: { containers: [{ name: "a", shade: 1, colour: 2 }] } } } }],
  ["a repeated field", '{"spec":{"replicas":3,"replicas":4}}'],
  ["a repeated and an unknown field", '{"spec":{"replicas":3,"replicas":4,"colour":1}}'],
  ["another name", { metadata: { name: "other" } }],
  ["another namespace", { metadata: { namespace: "default" } }],
  ["another uid", { metadata: { uid: "11111111-2222-3333-4444-555555555555" } }],
  ["an old version", { metadata: { resourceVersion: "1" } }],
  ["another kind", { kind: "Gizmo" }],
  ["another apiVersion", { apiVersion: "apps/v2" }],
  ["a kind that is a number", { kind: 5 }],
  ["status is not taken", { status: { replicas: 5 } }],
  ["elements of two types", container({ name: "a" }, 5 as unknown as object)],
  ["elements that are texts", pod({ containers: ["a"] })],
  ["lists of lists", pod({ containers: [["a"]] })],
  ["an empty list", pod({ imagePullSecrets: [] })],
  ["an empty list where there is none", pod({ hostAliases: [], topologySpreadConstraints: [] })],
  [
    "host aliases",
    pod({
      hostAliases: [
        { ip: "10.1.2.4", hostnames: ["i"] },
        { ip: "10.1.2.3", hostnames: ["j"] },
      ],
    }),
  ],
  ["a list", []],
  ["a text", '"x"'],
  ["no JSON", "{"],
  ["no body", ""],
];

const patchAll: Scenario = {
  name: "strategic merge patch",
  async run({ send, quietly, namespace }) {
    const all = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await quietly("POST", all, { body: DEPLOYMENT });
    for (const [step, body] of CASES) await send(step, "PATCH", `${all}/web`, { query: "dryRun=All", body, headers });
    for (const [step, body] of CASES.filter(([name]) => name.includes("unknown field") || name.includes("repeated")))
      for (const validation of ["Strict", "Ignore"])
        await send(`${step}, ${validation}`, "PATCH", `${all}/web`, { query: `dryRun=All&fieldValidation=${validation}`, body, headers });
    await send("of an absent one", "PATCH", `${all}/absent`, { body: {}, headers });
    await send("of all", "PATCH", all, { body: {}, headers });
    await send("with a manager", "PATCH", `${all}/web`, {
      query: "fieldManager=tester",
      body: container({ name: "a", env: [{ name: "N", value: "1" }] }),
      headers,
    });
    await send("the same again", "PATCH", `${all}/web`, {
      query: "fieldManager=tester",
      body: container({ name: "a", env: [{ name: "N", value: "1" }] }),
      headers,
    });
    await send("force", "PATCH", `${all}/web`, { query: "force=true", body: {}, headers });
    await send("of another media type", "PATCH", `${all}/web`, { body: {}, headers: { "content-type": "application/frob+json" } });
  },
};

const patchOthers: Scenario = {
  name: "strategic merge patch of other kinds",
  async run({ send, quietly, namespace, gadgets }) {
    const core = `/api/v1/namespaces/${namespace}`;
    await quietly("POST", `${core}/services`, { body: SERVICE });
    const service = (step: string, body: object): Promise<Json> => send(step, "PATCH", `${core}/services/web`, { body, headers });
    await service("a port changed", { spec: { ports: [{ port: 80, targetPort: 8080 }] } });
    await service("a port more", { spec: { ports: [{ name: "more", port: 90 }] } });
    await service("a port removed", { spec: { ports: [{ port: 443, $patch: "delete" }] } });
    await service("a selector replaced", { spec: { selector: { $patch: "replace", app: "other" } } });
    await quietly("POST", `${core}/configmaps`, {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "1", b: "2" } },
    });
    const map = (step: string, body: object): Promise<Json> => send(step, "PATCH", `${core}/configmaps/a`, { body, headers });
    await map("data", { data: { a: null, c: "3" } });
    await map("data that is a number", { data: { a: 5 } });
    await map("binary data", { binaryData: { x: "aGk=" } });
    await map("bad binary data", { binaryData: { x: "?" } });
    await map("all data deleted", { data: { $patch: "delete" } });
    await map("an owner", { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u-1" }] } });
    await map("another owner", { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "q", uid: "u-2" }] } });
    await map("an owner changed", { metadata: { ownerReferences: [{ uid: "u-1", name: "r" }] } });
    await map("an owner removed", { metadata: { ownerReferences: [{ uid: "u-1", $patch: "delete" }] } });
    await map("managers forgotten", { metadata: { managedFields: [] } });
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await quietly("POST", deployments, { body: DEPLOYMENT });
    const status = (step: string, body: object): Promise<Json> => send(step, "PATCH", `${deployments}/web/status`, { body, headers });
    await status("a condition", { status: { conditions: [{ type: "Available", status: "True" }] } });
    await status("a second one", { status: { conditions: [{ type: "Progressing", status: "True", reason: "R" }] }, spec: { replicas: 9 } });
    await status("the first changed", { status: { conditions: [{ type: "Available", status: "False", message: "m" }] } });
    await status("their order", { status: { "$setElementOrder/conditions": [{ type: "Progressing" }, { type: "Available" }] } });
    await send("scale", "PATCH", `${deployments}/web/scale`, { body: { spec: { replicas: 4 } }, headers });
    await send("of a custom resource", "PATCH", `${gadgets}/absent`, { body: {}, headers });
  },
};

/** Returns a patch that follows from a seed and leaves a valid Deployment. */
function randomPatch(random: Random): object {
  const below = (limit: number): number => Math.floor(random.next() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T; // never empty
  const some = <T>(list: readonly T[]): readonly T[] => shuffled(list).slice(0, below(list.length + 1));
  const shuffled = <T>(list: readonly T[]): readonly T[] => {
    const left = [...list];
    return list.map(() => left.splice(below(left.length), 1)[0] as T); // as many as there are
  };
  const maybe = (chance: number, part: () => object): object => (random.next() < chance ? part() : {});
  const listOf = (key: string, keys: readonly unknown[], value: (key: unknown) => object, rightly: number): object => {
    const field = some(keys);
    const items = field.map((name) => (random.next() < 0.25 ? { [key]: name, $patch: "delete" } : { [key]: name, ...value(name) }));
    const kept = items.filter((item) => !("$patch" in item)).map((item) => (item as Json)[key]);
    // Of two errors the real server reports a random one, so only one list may have errors. Sometimes the order omits an element of the
    // list, which is refused.
    const order = random.next() < rightly ? woven(kept, shuffled(keys.filter((one) => !field.includes(one)))) : some(keys);
    return { items, order: order.map((name) => ({ [key]: name })) };
  };
  const woven = (a: readonly unknown[], b: readonly unknown[]): readonly unknown[] => {
    const [left, right] = [[...a], [...b]];
    return [...a, ...b].map(() => (right.length === 0 || (left.length > 0 && random.next() < 0.5) ? left.shift() : right.shift()));
  };
  const env = (isLive: boolean): object => {
    const { items, order } = listOf("name", ["X", "Y", "Z", "N", "M"], () => ({ value: pick(["1", "9"]) }), 0.8) as Json;
    return {
      ...maybe(0.8, () => ({ env: [...items, ...(isLive && random.next() < 0.1 ? [{ $patch: "replace" }] : [])] })),
      ...maybe(0.5, () => ({ "$setElementOrder/env": order })),
    };
  };
  const ports = (first: number): object => {
    const { items, order } = listOf(
      "containerPort",
      [1, 2, 3, 4].map((one) => first + one),
      () => ({}),
      1,
    ) as Json;
    return { ports: items, ...maybe(0.4, () => ({ "$setElementOrder/ports": order })) };
  };
  const args = (): object =>
    pick<object>([
      { args: some(["one", "two", "three"]) },
      { "$deleteFromPrimitiveList/args": some(["one", "two", "three"]) },
      { args: null },
    ]);
  const aContainer = (name: string): object => ({
    name,
    image: `example.com/${name}:${below(3)}`,
    ...maybe(0.6, () => env(name === "a")),
    ...maybe(0.4, () => ports(100 * name.charCodeAt(0))),
    ...maybe(0.3, args),
  });
  const finalizers = ["a", "b", "c", "d"].map((name) => `example.com/${name}`);
  // On the real server it is random whether additions or removals come first.
  const [gained, lost] = [some(finalizers), some(finalizers)];
  const metadata = (): object => ({
    ...maybe(0.6, () => ({ finalizers: gained })),
    ...maybe(0.3, () => ({ "$deleteFromPrimitiveList/finalizers": lost.filter((one) => !gained.includes(one)) })),
    ...maybe(0.3, () => ({ "$setElementOrder/finalizers": woven(gained, shuffled(finalizers.filter((one) => !gained.includes(one)))) })),
    ...maybe(0.4, () => ({
      labels: { ...maybe(0.2, () => ({ $patch: "replace" })), app: pick(["x", "web"]), tier: pick([null, "back"]) },
    })),
  });
  const names = some(["b", "c", "d"]);
  const containers = shuffled([
    ...names.filter((name) => name !== "b" || random.next() < 0.7).map(aContainer),
    aContainer("a"),
    ...maybeList(random, 0.2, { name: "b", $patch: "delete" }),
  ]);
  return {
    ...maybe(0.5, () => ({ metadata: metadata() })),
    ...pod({
      containers,
      ...maybe(0.4, () => ({ "$setElementOrder/containers": shuffled(["a", "b", "c", "d"]).map((name) => ({ name })) })),
    }),
  };
}

function maybeList(random: Random, chance: number, item: object): readonly object[] {
  return random.next() < chance ? [item] : [];
}

const RANDOM = 150;

const randomPatches: Scenario = {
  name: "strategic merge patch at random",
  async run({ send, quietly, namespace }: Session) {
    const all = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await quietly("POST", all, { body: DEPLOYMENT });
    const random = seededRandom(20_260);
    for (let i = 0; i < RANDOM; i++)
      await send(`patch ${i}`, "PATCH", `${all}/web`, { query: "dryRun=All", body: randomPatch(random), headers });
  },
};

export const strategic: readonly Scenario[] = [patchAll, patchOthers, randomPatches];
