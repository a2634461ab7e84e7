/** Finds the object that a user named, or says what is there instead. */
import { type KubernetesObject, metadataOnly } from "@treadle/apimachinery";
import type { Client, DiscoveredKind } from "@treadle/client";
import { CliError } from "../cli-error.ts";
import { nearest } from "./near.ts";
import type { ObjectArgument } from "./object-argument.ts";
import { shown } from "./object-name.ts";
import type { ServedKinds } from "./served-kinds.ts";

/** An object that exists, and its kind. */
export interface FoundObject {
  readonly kind: DiscoveredKind;
  readonly object: KubernetesObject;
}

/** Where to look. */
export interface Search {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** @throws CliError for an unknown kind or object, with what the user may have meant */
export async function findObject(argument: ObjectArgument, search: Search): Promise<FoundObject> {
  const kind = search.kinds.resolve(argument.kind);
  if (!kind.verbs.includes("get")) throw new CliError(`${kind.plural} cannot be read one by one: the server has no "get" for them`);
  const ref = kind.scope === "Namespaced" ? { namespace: search.namespace, name: argument.name } : { name: argument.name };
  const object = await search.client.get(kind, ref, { signal: search.signal });
  if (object !== undefined) return { kind, object };
  const advice = await whatElse(kind, argument.name, search);
  throw new CliError(`${shown({ kind: kind.kind, ...ref })} does not exist; ${advice}`);
}

/** Suggests objects with a similar name in the namespace, or with this name in others. */
async function whatElse(kind: DiscoveredKind, name: string, { client, namespace, signal }: Search): Promise<string> {
  const isNamespaced = kind.scope === "Namespaced";
  const names = async (where: object): Promise<readonly KubernetesObject[]> => {
    try {
      return (await client.list(metadataOnly(kind), { signal, limit: 500, ...where })).items;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CliError) throw error;
      // Without the right to list there is nothing to suggest.
      return [];
    }
  };
  const [here, elsewhere] = await Promise.all([
    names(isNamespaced ? { namespace } : {}),
    isNamespaced ? names({ fieldSelector: `metadata.name=${name}` }) : [],
  ]);
  const near = nearest(
    name,
    here.map((each) => each.metadata.name),
  );
  const type = kind.kind.toLowerCase();
  if (near.length > 0) return `did you mean ${near.map((each) => `${type}/${each}`).join(" or ")}?`;
  const namespaces = elsewhere.map((each) => each.metadata.namespace ?? "").filter((each) => each !== namespace);
  if (namespaces.length > 0) return `there is one in another namespace: add -n ${namespaces.slice(0, 3).join(" or -n ")}`;
  if (here.length === 0)
    return isNamespaced ? `the namespace ${namespace} has no ${kind.plural}; choose another one with -n` : `there are no ${kind.plural}`;
  return `\`kubectl get ${kind.plural}${isNamespaced ? ` -n ${namespace}` : ""}\` lists the ${here.length} that exist`;
}
