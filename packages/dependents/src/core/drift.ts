/** Names the fields that another writer changed, and that writer, before they are reverted. Never values. */
import { jsonEqual, type KubernetesObject, type ManagedFieldsEntry } from "@treadle/apimachinery";
import { digestOf } from "./body.ts";
import { digestAnnotation, digestOfKept, managerOf, refTo } from "./marks.ts";
import { appliedFields, containsField, differences, type FieldPath, textOfPath, valueAtPath } from "./owned-fields.ts";
import type { Drift } from "./plan.ts";
import { openDifferences } from "./replace.ts";
import { readLive } from "./take-over.ts";
import { pathsBelow } from "./values.ts";
import type { Wanted } from "./work.ts";

const MAX_PATHS = 10;

/** What other writers may have changed, and the object as it was read to find that out. */
export interface SeenDrift {
  readonly paths: readonly FieldPath[];
  readonly fresh: KubernetesObject;
}

/**
 * Returns what other writers may have changed, if the desired state is the one that was stored last. It reads the object from the server,
 * because caches keep no entries of other writers. @throws the error of the server
 */
export async function driftOf(work: Wanted, live: KubernetesObject): Promise<SeenDrift | undefined> {
  const { context, plan } = work;
  const { policy, reportsDrift } = plan;
  if (reportsDrift !== true || policy.update !== undefined || !isDesiredBefore(work, live)) return undefined;
  const fresh = await readLive(context, policy, refTo(live));
  if (fresh === undefined || fresh.metadata.uid !== live.metadata.uid) return undefined;
  return { paths: pathsOf(work, fresh), fresh };
}

/** Returns the drift that a write has reverted; `undefined`: the server stores other values than the desired ones, and nothing was reverted. */
export function revertedBy(
  { context, plan: { policy }, body }: Wanted,
  stored: KubernetesObject,
  { paths, fresh }: SeenDrift,
): Drift | undefined {
  const isPut = policy.writes === "replace";
  const found = (isPut ? paths.filter((path) => !jsonEqual(valueAtPath(fresh, path), valueAtPath(stored, path))) : paths).slice(
    0,
    MAX_PATHS,
  );
  if (found.length === 0) return undefined;
  // A PUT is made under the name of the handler.
  const own = context.handlerNames.flatMap((handlerName) => [managerOf(context, { handlerName }), ...(isPut ? [handlerName] : [])]);
  const isOther = ({ manager = "" }: ManagedFieldsEntry): boolean => manager !== "" && !own.includes(manager);
  const writers = (fresh.metadata.managedFields ?? []).filter(
    (entry) => isOther(entry) && found.some((path) => containsField(entry.fieldsV1 ?? {}, path, body)),
  );
  return { paths: found.map(textOfPath), managers: [...new Set(writers.map(({ manager = "" }) => manager))].toSorted() };
}

/** Whether the desired state is the one that was stored last, as far as the memory or after a restart the annotation tells. */
function isDesiredBefore({ context, memory, body }: Wanted, { metadata }: KubernetesObject): boolean {
  const { applied } = memory;
  if (applied !== undefined && applied.uid === metadata.uid) return applied.wanted === digestOf(body);
  const key = digestAnnotation(context.handlerName);
  const wanted = body.metadata.annotations?.[key];
  return wanted !== undefined && [wanted, digestOfKept(wanted)].includes(metadata.annotations?.[key] ?? "");
}

function pathsOf({ context, plan: { policy }, memory, body }: Wanted, fresh: KubernetesObject): readonly FieldPath[] {
  if (policy.writes === "replace") return openDifferences({ body, live: fresh, memory }).map(({ path }) => path);
  const owned = appliedFields(fresh, managerOf(context)) ?? {};
  const hasDigest = body.metadata.annotations?.[digestAnnotation(context.handlerName)] !== undefined;
  // Where no field below is ours any more, the path is that of the whole.
  return differences(body, fresh, { owned, trust: hasDigest, max: MAX_PATHS }).flatMap((path) =>
    pathsBelow(path, { wanted: body, live: fresh }),
  );
}
