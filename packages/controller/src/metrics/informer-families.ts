/** The metrics of informers: their progress and their size, read when the metrics are scraped. */
import { groupKindOf } from "@treadle/apimachinery";
import type { Informer } from "@treadle/informer";
import { Gauge, type Registry } from "./prom-client-parts.ts";

/** Makes the families. Returns a function that sets the informers. */
export function informerFamilies(registry: Registry): (informers: () => readonly Informer[]) => void {
  let all = (): readonly Informer[] => [];
  const gauge = (name: string, help: string, read: (progress: ReturnType<Informer["progress"]>) => number): void => {
    const made = new Gauge<"kind">({
      name: `treadle_informer_${name}`,
      help,
      labelNames: ["kind"],
      registers: [registry],
      collect: () => {
        for (const informer of all()) made.set({ kind: groupKindOf(informer.kind) }, read(informer.progress()));
      },
    });
  };
  gauge("objects", "Objects in the cache, by kind.", ({ objects }) => objects);
  gauge("synced", "Whether the first list of the kind is complete: 1 or 0.", ({ hasSynced }) => (hasSynced ? 1 : 0));
  gauge("age_seconds", "Time since the server was last heard of the kind: an event, a bookmark or a list.", ({ ageMs }) => ageMs / 1000);
  gauge("failing", "Whether the last list or watch of the kind failed: 1 or 0.", ({ lastError }) => (lastError === undefined ? 0 : 1));
  return (informers) => {
    all = informers;
  };
}
