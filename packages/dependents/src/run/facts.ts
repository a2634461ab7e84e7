/** Facts about a cluster, for renderers that run outside of a pass. */
import type { Clock } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { clusterFactsOf } from "../set/render/cluster-facts.ts";
import type { Cluster } from "../set/types.ts";

/** Reads what a renderer may ask of its cluster. @throws errors of the client */
export async function clusterFacts(client: Client, clock: Clock, signal: AbortSignal): Promise<Cluster> {
  const { version = "", served } = await clusterFactsOf(client, clock).fetch(["version", "served"], signal);
  return {
    version,
    kinds: {
      has: (apiVersion, kind) => served?.has(kind === undefined ? apiVersion : `${apiVersion}/${kind}`) === true,
      all: () => served?.all ?? [],
    },
  };
}
