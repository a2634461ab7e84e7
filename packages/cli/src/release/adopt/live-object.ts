/** Makes a manifest of an object that exists. Pure. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { isRecord } from "../../json.ts";
import { RELEASES } from "../name.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Returns what a user wanted of the object: what kubectl applied last, if it is known, else the object without the fields of the server.
 * Values that the server has filled in are part of the second one.
 */
export function manifestOf(object: KubernetesObject): KubernetesObject {
  return lastApplied(object) ?? withoutServerFields(object);
}

function lastApplied({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject | undefined {
  try {
    const given: unknown = JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? "");
    if (!isRecord(given) || given["apiVersion"] !== apiVersion || given["kind"] !== kind) return undefined;
    const applied = given as unknown as KubernetesObject;
    return applied.metadata?.name === metadata.name ? withoutServerFields(applied) : undefined;
  } catch {
    return undefined;
  }
}

function withoutServerFields(object: KubernetesObject): KubernetesObject {
  const { status: _status, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const { name, namespace, labels, annotations } = object.metadata;
  const [ownLabels, own] = [ownOf(labels), ownOf(annotations)];
  return {
    ...rest,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(Object.keys(ownLabels).length === 0 ? {} : { labels: ownLabels }),
      ...(Object.keys(own).length === 0 ? {} : { annotations: own }),
    },
  };
}

/** Leaves out what kubectl, controllers and releases note. */
function ownOf(pairs: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const isNote = (key: string): boolean =>
    key === LAST_APPLIED || key.startsWith("deployment.kubernetes.io/") || key.startsWith(`${RELEASES}/`);
  return Object.fromEntries(Object.entries(pairs).filter(([key]) => !isNote(key)));
}
