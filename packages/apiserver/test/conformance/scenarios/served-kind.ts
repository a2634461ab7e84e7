/** A custom kind for one scenario. */
import type { Json, Session } from "../session.ts";
import { DEFINITIONS } from "./sites.ts";

export interface ServedKind {
  readonly group: string;
  /** Version of the first of its versions, with the group. */
  readonly apiVersion: string;
  /** Path of its objects in the first version and in the namespace of the scenario. */
  readonly path: string;
  pathIn(version: string): string;
  /** Deletes the definition and its objects. */
  stop(): Promise<void>;
}

/** Installs a namespaced kind with a status, and waits until it is served. The first version is stored. */
export async function serveKind(
  { namespace, quietly }: Session,
  kind: string,
  versions: readonly { readonly name: string; readonly schema: Json }[],
): Promise<ServedKind> {
  const group = `${namespace}.example.com`;
  const plural = `${kind.toLowerCase()}s`;
  const [first = "v1"] = versions.map(({ name }) => name);
  const pathIn = (version: string): string => `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  await quietly("POST", DEFINITIONS, {
    body: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: versions.map(({ name, schema }) => ({
          name,
          served: true,
          storage: name === first,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        })),
      },
    },
  });
  for (const { name } of versions) {
    for (let tries = 0; (await quietly("GET", pathIn(name)))["kind"] !== `${kind}List`; tries++) {
      if (tries === 100) throw new Error(`${kind} is not served in ${name} after ten seconds`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    group,
    apiVersion: `${group}/${first}`,
    path: pathIn(first),
    pathIn,
    stop: async () => void (await quietly("DELETE", `${DEFINITIONS}/${plural}.${group}`)),
  };
}
