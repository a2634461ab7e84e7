/** The kinds of the random operations, each with its fields as a small schema with few values. */
import type { Json } from "../session.ts";

/** Values of a field. */
export type Shape =
  | { readonly values: readonly unknown[] }
  | { readonly fields: Readonly<Record<string, Shape>>; readonly always?: readonly string[] }
  /** A map with free keys. */
  | { readonly keys: readonly string[]; readonly of: Shape }
  | { readonly members: readonly unknown[] }
  /** A list-map; `by` are its keys. */
  | { readonly items: Shape; readonly by: readonly string[] }
  /** A list with one owner. */
  | { readonly list: Shape };

export interface Kind {
  readonly name: string;
  readonly apiVersions: readonly string[];
  readonly kind: string;
  readonly plural: string;
  /** Fields beside metadata and status. */
  readonly body: Shape;
  readonly status?: Shape;
  /** Fields without which a create is refused; each full object begins with them. */
  readonly base: Json;
  /**
   * Whether the kind is custom. Fields of built-in kinds are never null, because the real server would panic or read it in
   * several ways.
   */
  readonly isCustom: boolean;
}

const values = (...list: readonly unknown[]): Shape => ({ values: list });
const text = values("a", "b", "");
const number = values(1, 2, 0);

const BLOB_SPEC: Shape = {
  fields: {
    n: number,
    t: text,
    b: values(true, false),
    d: text,
    nullable: values("a", "b", null),
    set: { members: ["a", "b", "c", "d"] },
    ints: { members: [1, 2, 10] },
    atoms: { list: values("a", "b") },
    objects: { list: { fields: { a: text, b: number } } },
    map: { keys: ["a", "b", "c"], of: text },
    deep: { keys: ["x", "y"], of: { fields: { a: text, b: { fields: { c: number, d: text } } } } },
    whole: { fields: { a: text, b: number } },
    items: {
      by: ["name"],
      items: {
        fields: {
          name: values("a", "b", "c"),
          value: text,
          set: { members: ["a", "b"] },
          whole: { fields: { a: text } },
          sub: {
            by: ["id", "proto"],
            items: { fields: { id: values(1, 2), proto: values("TCP", "UDP"), v: text }, always: ["id"] },
          },
        },
        always: ["name"],
      },
    },
    nested: {
      fields: { one: { fields: { two: { fields: { three: text, four: number } }, list: { list: text } } }, set: { members: ["a", "b"] } },
    },
    any: {
      fields: {
        x: text,
        y: { fields: { z: number, l: { list: number } } },
        known: { by: ["k"], items: { fields: { k: text, v: number }, always: ["k"] } },
      },
    },
    ios: values(1, "1"),
    defaulted: { fields: { x: number, y: text } },
  },
};

const CONDITION: Shape = { fields: { type: values("A", "B", "C"), status: values("True", "False"), reason: text }, always: ["type"] };

const blob: Kind = {
  name: "blob",
  apiVersions: ["random.treadle.dev/v1", "random.treadle.dev/v1", "random.treadle.dev/v1", "random.treadle.dev/v2"],
  kind: "Blob",
  plural: "blobs",
  body: { fields: { spec: BLOB_SPEC } },
  status: { fields: { phase: text, count: number, conditions: { by: ["type"], items: CONDITION }, list: { list: text } } },
  base: {},
  isCustom: true,
};

const configMap: Kind = {
  name: "configmap",
  apiVersions: ["v1"],
  kind: "ConfigMap",
  plural: "configmaps",
  body: { fields: { data: { keys: ["a", "b", "c", "d"], of: text }, binaryData: { keys: ["x", "y"], of: values("YQ==", "Yg==") } } },
  base: {},
  isCustom: false,
};

const CONTAINER: Shape = {
  fields: {
    name: values("a", "b", "c"),
    image: values("i:1", "i:2"),
    args: { list: text },
    env: { by: ["name"], items: { fields: { name: values("A", "B"), value: text }, always: ["name"] } },
    ports: {
      by: ["containerPort", "protocol"],
      items: {
        fields: { containerPort: values(80, 81), protocol: values("TCP", "UDP"), name: values("p", "q") },
        always: ["containerPort"],
      },
    },
    resources: {
      fields: { limits: { keys: ["cpu", "memory"], of: values("1", "2") }, requests: { keys: ["cpu"], of: values("1", "500m") } },
    },
  },
  always: ["name", "image"],
};

const deployment: Kind = {
  name: "deployment",
  apiVersions: ["apps/v1"],
  kind: "Deployment",
  plural: "deployments",
  body: {
    fields: {
      spec: {
        fields: {
          replicas: values(1, 2, 3),
          paused: values(true, false),
          minReadySeconds: values(0, 5),
          strategy: {
            fields: {
              type: values("RollingUpdate"),
              rollingUpdate: { fields: { maxSurge: values(1, "25%"), maxUnavailable: values(1, "50%") } },
            },
          },
          template: {
            fields: {
              metadata: { fields: { labels: { keys: ["app", "x"], of: values("a") }, annotations: { keys: ["y"], of: text } } },
              spec: {
                fields: {
                  containers: { by: ["name"], items: CONTAINER },
                  nodeSelector: { keys: ["k", "l"], of: text },
                  tolerations: { list: { fields: { key: values("k"), operator: values("Exists") } } },
                  volumes: {
                    by: ["name"],
                    items: {
                      fields: { name: values("v", "w"), emptyDir: { fields: { medium: values("Memory") } } },
                      always: ["name", "emptyDir"],
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  status: {
    fields: {
      replicas: values(1, 2),
      observedGeneration: values(1, 2),
      conditions: {
        by: ["type"],
        items: { fields: { type: values("A", "B"), status: values("True", "False"), reason: text }, always: ["type", "status"] },
      },
    },
  },
  base: {
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "i:1" }] } },
    },
  },
  isCustom: false,
};

export const service: Kind = {
  name: "service",
  apiVersions: ["v1"],
  kind: "Service",
  plural: "services",
  body: {
    fields: {
      spec: {
        fields: {
          ports: {
            by: ["port", "protocol"],
            items: {
              fields: {
                port: values(80, 81),
                protocol: values("TCP", "UDP"),
                name: values("a", "b", "c"),
                targetPort: values(8080, "web"),
              },
              always: ["port", "name"],
            },
          },
          selector: { keys: ["a", "b"], of: text },
          sessionAffinity: values("None", "ClientIP"),
          externalIPs: { list: values("1.2.3.4", "1.2.3.5") },
          publishNotReadyAddresses: values(true, false),
        },
      },
    },
  },
  status: {
    fields: {
      conditions: {
        by: ["type"],
        items: {
          fields: {
            type: values("A", "B"),
            status: values("True", "False"),
            reason: values("R"),
            message: text,
            lastTransitionTime: values("2020-01-01T00:00:00Z"),
          },
          always: ["type", "status", "reason", "message", "lastTransitionTime"],
        },
      },
    },
  },
  base: { spec: { ports: [{ name: "z", port: 79 }] } },
  isCustom: false,
};

export const KINDS: readonly Kind[] = [blob, configMap, deployment, service];

const TEXT = { type: "string" };
const INTEGER = { type: "integer" };
const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
const listMap = (keys: readonly string[], properties: Json, required: readonly string[] = keys): Json => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: object(properties, { required }),
});
const setOf = (items: Json): Json => ({ type: "array", items, "x-kubernetes-list-type": "set" });

const SCHEMA: Json = object({
  spec: object({
    n: INTEGER,
    t: TEXT,
    b: { type: "boolean" },
    d: { ...TEXT, default: "d" },
    nullable: { ...TEXT, nullable: true },
    set: setOf(TEXT),
    ints: setOf(INTEGER),
    atoms: { type: "array", items: TEXT, "x-kubernetes-list-type": "atomic" },
    objects: { type: "array", items: object({ a: TEXT, b: INTEGER }) },
    map: { type: "object", additionalProperties: TEXT },
    deep: { type: "object", additionalProperties: object({ a: TEXT, b: object({ c: INTEGER, d: TEXT }) }) },
    whole: object({ a: TEXT, b: INTEGER }, { "x-kubernetes-map-type": "atomic" }),
    items: listMap(["name"], {
      name: TEXT,
      value: { ...TEXT, default: "v" },
      set: setOf(TEXT),
      whole: object({ a: TEXT }, { "x-kubernetes-map-type": "atomic" }),
      sub: listMap(["id", "proto"], { id: INTEGER, proto: { ...TEXT, default: "TCP" }, v: TEXT }, ["id"]),
    }),
    nested: object({
      one: object({ two: object({ three: TEXT, four: INTEGER }), list: { type: "array", items: TEXT } }),
      set: setOf(TEXT),
    }),
    any: object({ known: listMap(["k"], { k: TEXT, v: INTEGER }) }, { "x-kubernetes-preserve-unknown-fields": true }),
    ios: { "x-kubernetes-int-or-string": true },
    defaulted: object({ x: { ...INTEGER, default: 5 }, y: TEXT }, { default: {} }),
  }),
  status: object({
    phase: TEXT,
    count: INTEGER,
    conditions: listMap(["type"], { type: TEXT, status: TEXT, reason: TEXT }),
    list: { type: "array", items: TEXT },
  }),
});

/** The CRD of {@link blob}: one schema in two versions. */
export const BLOB_CRD: Json = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "blobs.random.treadle.dev" },
  spec: {
    group: "random.treadle.dev",
    scope: "Namespaced",
    names: { kind: "Blob", plural: "blobs", singular: "blob", listKind: "BlobList" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      subresources: { status: {} },
      schema: { openAPIV3Schema: SCHEMA },
    })),
  },
};
