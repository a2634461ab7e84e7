/** CRDs: names that are taken, and the deletion. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario } from "../scenario.ts";

function definition(plural: string, kind: string, group: string): Json {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
}

function found({ customresourcedefinitions: all }: Objects, name: string): Json | undefined {
  return all.find(({ metadata }) => metadata.name === name);
}

function holds(object: Json | undefined, condition: string, wanted: string): boolean {
  return ((object?.["status"]?.conditions ?? []) as Json[]).some(({ type, status }) => type === condition && status === wanted);
}

export const definitions: readonly Scenario[] = [
  {
    name: "definition is established and a second of its kind is not",
    async run({ create, settle, remove, merge, namespace }) {
      const group = `${namespace}.example.com`;
      const names = [`engines.${group}`, `motors.${group}`] as const;
      try {
        await create("customresourcedefinitions", definition("engines", "Engine", group));
        await settle("established", (objects) => holds(found(objects, names[0]), "Established", "True"));
        await create("customresourcedefinitions", definition("motors", "Engine", group));
        await settle("its kind is taken", (objects) => holds(found(objects, names[1]), "NamesAccepted", "False"));
        await merge("customresourcedefinitions", names[0], { metadata: { finalizers: ["example.com/hold"] } });
        await remove("customresourcedefinitions", names[0]);
        await settle("held by a finalizer", (objects) => found(objects, names[0])?.["metadata"].deletionTimestamp !== undefined);
        await merge("customresourcedefinitions", names[0], { metadata: { finalizers: null } });
        await settle("the other gets its kind", (objects) => found(objects, names[0]) === undefined);
      } finally {
        await remove("customresourcedefinitions", names[1]);
      }
    },
  },
];
