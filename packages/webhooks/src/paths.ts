/** The paths on which webhooks answer, and their names in configurations. */
import type { Kind } from "@treadle/apimachinery";
import type { AnyWebhooks } from "./definition.ts";

/** What a call asks for. */
export type CallType = "mutate" | "validate" | "convert";

/** Returns the paths of these webhooks, with what the API server asks for there. */
export function pathsOf(webhooks: Pick<AnyWebhooks, "kind" | "name" | "fill" | "problems" | "convert">): ReadonlyMap<string, CallType> {
  const types: CallType[] = [];
  if (webhooks.fill !== undefined) types.push("mutate");
  if (webhooks.problems !== undefined) types.push("validate");
  if (Object.keys(webhooks.convert).length > 0) types.push("convert");
  return new Map(types.map((type) => [callPath(type, webhooks), type]));
}

/** Returns the path of a call: `/mutate/web.example.com/websites`, with the name of the webhooks at its end where they have one. */
export function callPath(type: CallType, { kind, name }: Pick<AnyWebhooks, "kind" | "name">): string {
  const path = `/${type}/${groupOf(kind)}/${kind.plural}`;
  return type === "convert" || name === "" ? path : `${path}/${name}`;
}

/** Returns the name of an entry in a configuration. The API demands at least three parts. */
export function entryName({ kind, name }: Pick<AnyWebhooks, "kind" | "name">): string {
  const group = groupOf(kind);
  const own = `${kind.plural}.${group.includes(".") ? group : `${group}.k8s.io`}`;
  return name === "" ? own : `${name}.${own}`;
}

function groupOf({ group }: Kind): string {
  return group === "" ? "core" : group;
}
