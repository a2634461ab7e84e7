/** Waits until a tree is no longer what the cluster has. */
import { isForbidden, type KubernetesObject, metadataOnly } from "@treadle/apimachinery";
import { type Client, type DiscoveredKind, follow } from "@treadle/client";
import type { ServedKinds } from "../cluster/served-kinds.ts";
import { nodesOf, type Situation } from "../inspect/situation.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Changes come in groups: the tree is read again when a group is over. */
const QUIET_MS = 300;
/** Kinds beyond this number, and those that may not be watched, are looked at this often. */
const MAX_WATCHES = 20;
const LOOK_AGAIN_MS = 5_000;

/** A kind in a namespace, which a tree has objects of. */
interface Place {
  readonly kind: DiscoveredKind;
  readonly namespace: string | undefined;
  /** Versions of its objects in the tree, by uid. */
  readonly versions: Map<string, string>;
}

/**
 * Resolves shortly after an object of the tree has changed, was deleted, or got a new object below it, also between the read of the tree
 * and the start of the watches. Metadata is enough, because every write changes the version.
 * @throws the reason of the signal of the terminal, and what ends a watch
 */
export async function changed(
  client: Client,
  situation: Situation,
  { kinds, terminal }: { kinds: ServedKinds; terminal: Terminal },
): Promise<void> {
  const places = placesIn(situation, kinds);
  const uids = new Set(places.flatMap(({ versions }) => [...versions.keys()]));
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, terminal.signal]);
  const watchable = places.filter(({ kind }) => kind.verbs.includes("watch")).slice(0, MAX_WATCHES);
  const waits = watchable.map((place) => changeIn(client, { place, uids }, { signal, terminal }));
  if (watchable.length < places.length) waits.push(terminal.sleep(LOOK_AGAIN_MS, signal));
  try {
    await Promise.race(waits);
    await terminal.sleep(QUIET_MS, terminal.signal);
  } finally {
    done.abort();
    await Promise.allSettled(waits);
  }
}

function placesIn({ root }: Situation, kinds: ServedKinds): readonly Place[] {
  const places = new Map<string, Place>();
  for (const { name, object } of nodesOf(root)) {
    const kind = kinds.of(name);
    if (kind === undefined) continue;
    const id = `${kind.plural}.${kind.group}/${name.namespace ?? ""}`;
    const place = places.get(id) ?? { kind, namespace: name.namespace, versions: new Map<string, string>() };
    places.set(id, place);
    const { uid, resourceVersion = "" } = object?.metadata ?? {};
    if (uid !== undefined) place.versions.set(uid, resourceVersion);
  }
  return [...places.values()];
}

interface Watched {
  readonly place: Place;
  /** Of all objects in the tree. */
  readonly uids: ReadonlySet<string>;
}

/** Resolves with the first change. A kind that may not be watched is looked at after a while. */
async function changeIn(
  client: Client,
  { place: { kind, namespace, versions }, uids }: Watched,
  { signal, terminal }: { readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<void> {
  const seen = new Set<string>();
  try {
    for await (const event of follow(client, metadataOnly(kind), { signal, ...(namespace === undefined ? {} : { namespace }) })) {
      if (event.type === "SYNCED") {
        if ([...versions.keys()].some((uid) => !seen.has(uid))) return;
      } else if (event.type === "RESTARTED") {
        seen.clear();
      } else if (isNews(event.object, { versions, uids, isDeleted: event.type === "DELETED" })) {
        return;
      } else {
        seen.add(event.object.metadata.uid ?? "");
      }
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    await terminal.sleep(LOOK_AGAIN_MS, signal);
  }
}

interface Facts {
  readonly versions: ReadonlyMap<string, string>;
  readonly uids: ReadonlySet<string>;
  readonly isDeleted: boolean;
}

function isNews({ metadata }: KubernetesObject, { versions, uids, isDeleted }: Facts): boolean {
  const known = versions.get(metadata.uid ?? "");
  if (known !== undefined) return isDeleted || known !== metadata.resourceVersion;
  return !isDeleted && (metadata.ownerReferences ?? []).some(({ uid }) => uids.has(uid));
}
