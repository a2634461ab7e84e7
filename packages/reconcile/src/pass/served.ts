/**
 * Whether objects of a kind may still exist when the version of it that we know is not served any more: a CRD may drop a
 * version and keep the objects under another one.
 */
import { type ApiResponse, apiVersionOf, type Kind, pathOf } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { StepRuntime } from "../build/step-runtime.ts";

/** A kind that a step reads or owns is not served, at least not in the version that it asks for. */
export class KindNotInstalled extends Error {
  constructor({ name }: Pick<StepRuntime, "name">, kind: Kind, servedAs?: string) {
    // A plural that defineResource() did not give may be a wrong one.
    const nothing = kind.resource === undefined ? `: nothing is served at ${pathOf(kind)}; is \`plural\` right?` : "";
    const inOther =
      servedAs === undefined
        ? nothing
        : `: the server has ${kind.kind} as ${servedAs}, so its objects are still there; serve the version again, or build the operator with that one`;
    super(`${kind.kind} (${apiVersionOf(kind)}) is not installed, and step "${name}" needs it${inOther}`);
  }
}

/**
 * The API version under which the server has the kind, whatever its version; `undefined`: the kind is gone, and with it
 * all of its objects. Asks discovery, which every user may do.
 *
 * @throws Error when the server does not say: then nothing is known
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
    // A version that is listed and not there is about to come or to go: better to look again.
    if (found === undefined) return apiVersion;
    const resources = (found["resources"] ?? []) as readonly { readonly kind: string }[];
    if (resources.some((resource) => resource.kind === kind.kind)) return apiVersion;
  }
  return undefined;
}

/** `undefined`: there is no such thing. */
async function ask(
  client: Client,
  kind: Kind,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response: ApiResponse = await client.raw({ method: "GET", path, headers: { accept: "application/json" }, signal });
  if (response.status === 404) return undefined;
  if (response.status !== 200 || response.body === undefined)
    throw new Error(
      `cannot find out whether ${kind.kind} (${apiVersionOf(kind)}) is gone: GET ${path} answered ${response.status}; its objects are taken to be there`,
    );
  return JSON.parse(response.body) as Readonly<Record<string, unknown>>; // Discovery answers with an object.
}
