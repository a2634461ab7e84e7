/**
 * Reads from a cluster's own history who wrote when, and who held the lease at that moment: all objects of a server share
 * one sequence of versions, so this needs no clock.
 */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Lease } from "@treadle/apimachinery/kinds";
import type { Client, WatchEvent } from "@treadle/client";

export interface Entry {
  readonly version: bigint;
  /** `lease`: that it has this holder from now on; `write`: that this process wrote. */
  readonly type: "lease" | "write";
  readonly who: string;
  /** When this process heard of it, in its own milliseconds. */
  readonly at: number;
}

export interface Audit {
  readonly entries: readonly Entry[];
  /** Resolves with the first write of anybody but `former`. */
  writeOfAnother(former: string): Promise<Entry>;
  stop(): Promise<void>;
}

export async function startAudit(client: Client, lease: { readonly name: string; readonly namespace: string }): Promise<Audit> {
  const entries: Entry[] = [];
  const waiting = new Set<(entry: Entry) => void>();
  const abort = new AbortController();
  const note = ({ metadata }: KubernetesObject, type: Entry["type"], who: string | undefined): void => {
    if (who === undefined) return;
    const entry = { version: BigInt(metadata.resourceVersion ?? "0"), type, who, at: performance.now() };
    entries.push(entry);
    for (const tell of waiting) tell(entry);
  };
  const following = [
    await follow(client, Lease, abort.signal, (object) => {
      if (object.metadata.name === lease.name && object.metadata.namespace === lease.namespace)
        note(object, "lease", object.spec?.holderIdentity ?? "");
    }),
    await follow(client, ConfigMap, abort.signal, (object) => note(object, "write", object.data?.["writer"])),
  ];
  return {
    entries,
    writeOfAnother: (former) =>
      new Promise((resolve) => {
        const tell = (entry: Entry): void => {
          if (entry.type !== "write" || entry.who === former) return;
          waiting.delete(tell);
          resolve(entry);
        };
        waiting.add(tell);
      }),
    async stop() {
      abort.abort(new Error("the audit is over"));
      await Promise.all(following.map(({ ended }) => ended));
    },
  };
}

/** Every change from now on, also over several watches. Resolves when the first one is open. */
async function follow<K extends Kind>(
  client: Client,
  kind: K,
  signal: AbortSignal,
  onChange: (object: ObjectOf<K>) => void,
): Promise<{ readonly ended: Promise<void> }> {
  let version = (await client.list(kind, { limit: 1, signal })).metadata.resourceVersion ?? "0";
  const open = () => client.watch(kind, { resourceVersion: version, signal });
  const read = async (first: AsyncIterable<WatchEvent<ObjectOf<K>>>): Promise<void> => {
    for (let events = first; !signal.aborted; events = await open())
      for await (const event of events) {
        if (event.type === "ERROR") throw new Error(`the history is not complete: ${event.object.message ?? event.object.reason ?? "?"}`);
        const object: Pick<KubernetesObject, "metadata"> = event.object as KubernetesObject; // Also a bookmark has metadata.
        version = object.metadata.resourceVersion ?? version;
        if (event.type === "ADDED" || event.type === "MODIFIED") onChange(event.object);
      }
  };
  const ended = read(await open()).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { ended };
}

/**
 * What is wrong with the history: writes of who did not hold the lease. A process in `paused` may send what it was about to
 * send: so many requests, one for each of its passes. No lease can prevent that.
 */
export function violations(entries: readonly Entry[], paused: ReadonlyMap<string, number> = new Map()): readonly string[] {
  const found: string[] = [];
  const belated = new Map(paused);
  let holder: string | undefined;
  for (const { version, type, who } of [...entries].sort((a, b) => (a.version < b.version ? -1 : 1))) {
    if (type === "lease") holder = who;
    else if (holder !== undefined && who !== holder) {
      const allowed = belated.get(who) ?? 0;
      belated.set(who, allowed - 1);
      if (allowed <= 0) found.push(`${who} wrote version ${version} while ${holder || "nobody"} held the lease`);
    }
  }
  return found;
}
