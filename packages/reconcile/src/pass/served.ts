/**
 * Finds out whether objects of a kind may still exist when the version that we know is no longer served. A CRD may drop a version
 * and keep the objects under another one.
 */
import { type ApiResponse, apiVersionOf, type Kind, pathOf } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { StepRuntime } from "../build/step-runtime.ts";

/** This error says that the server does not serve a kind that a step needs, at least not in the version that the step uses. */
export class KindNotInstalled extends Error {
  constructor({ name }: Pick<StepRuntime, "name">, kind: Kind, servedAs?: string) {
    // Only defineResource() guarantees a correct plural.
    const nothing = kind.resource === undefined ? `: nothing is served at ${pathOf(kind)}; is \`plural\` right?` : "";
    const inOther =
      servedAs === undefined
        ? nothing
        : `: the server has ${kind.kind} as ${servedAs}, so its objects are still there; serve the version again, or build the operator with that one`;
    super(`${kind.kind} (${apiVersionOf(kind)}) is not installed, and step "${name}" needs it${inOther}`);
  }
}

/**
 * Returns the API version under which the server serves the kind, in any version. `undefined`: the kind and all of its objects no
 * longer exist. Asks discovery, which every user may read.
 *
 * @throws Error if the answer of the server does not show it
 */
export async function servedVersionOf(client: Client, kind: Kind, signal: AbortSignal): Promise<string | undefined> {
  const root = kind.group === "" ? "/api" : `/apis/${kind.group}`;
  const group = await ask(client, kind, { path: root, signal });
  // The names of the versions: in a group a list of objects, in the core a list of texts.
  const versions = ((group?.["versions"] ?? []) as readonly (string | { readonly version: string })[]).map((each) =>
    typeof each === "string" ? each : each.version,
  );
  for (const version of versions) {
    const found = await ask(client, kind, { path: `${root}/${version}`, signal });
    const apiVersion = kind.group === "" ? version : `${kind.group}/${version}`;
    // A version that is listed but not served is just being added or removed, so it counts as served.
    if (found === undefined) return apiVersion;
    const resources = (found["resources"] ?? []) as readonly { readonly kind: string }[];
    if (resources.some((resource) => resource.kind === kind.kind)) return apiVersion;
  }
  return undefined;
}

/** Gets a document of discovery; `undefined` if it does not exist. */
async function ask(
  client: Client,
  kind: Kind,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response: ApiResponse = await client.raw({ method: "GET", path, headers: { accept: "application/json" }, signal });
  if (response.status === 404) return undefined;
  if (response.status !== 200 || response.body === undefined)
    throw new Error(
      `cannot find out whether ${kind.kind} (${apiVersionOf(kind)}) is still served: GET ${path} answered ${response.status}; its objects are assumed to exist`,
    );
  return JSON.parse(response.body) as Readonly<Record<string, unknown>>; // Discovery answers with an object.
}
