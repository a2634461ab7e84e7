/** What an informer has to say before something goes wrong. */
import { isMetadataOnly, type Kind, keyOf, kindIdOf, type KubernetesObject } from "@treadle/apimachinery";

/**
 * Each kind of warning is given once for an informer. `unscoped`: all Secrets, Pods or Events of a cluster are watched.
 * `memory`: what is being listed may not fit. `outside`: a write of ours is not in the selection, so it is not seen again.
 */
export interface InformerWarning {
  readonly type: "unscoped" | "memory" | "outside";
  /** What, why, and what to do. */
  readonly message: string;
}

/** What is known of the memory that the cache of a kind will take. */
export interface Forecast {
  /** All of the kind; of a stream, which does not say how many there are, those that came so far. */
  readonly objects: number;
  readonly isTotalKnown: boolean;
  readonly bytesEach: number;
  /** Of all informers together. */
  readonly bytesOfAll: number;
  readonly limitBytes: number;
}

/** Kinds of which a cluster has very many, or whose contents are secret. */
const MANY: ReadonlySet<string> = new Set(["v1/Secret", "v1/Pod", "v1/Event", "events.k8s.io/v1/Event"]);

/** For an informer of all namespaces without a selector. Metadata alone is small, and holds nothing secret. */
export function unscopedWarning(kind: Kind): InformerWarning | undefined {
  if (!MANY.has(kindIdOf(kind)) || isMetadataOnly(kind)) return undefined;
  const right = kind.kind === "Secret" ? ", and the right to list all Secrets is that to read them" : "";
  return {
    type: "unscoped",
    message: `every ${kind.kind} of the cluster is watched and kept in memory${right}: set createManager({ namespaces }), or a selector: createManager({ cache: [cached(${kind.kind}, { labelSelector })] })`,
  };
}

export function memoryWarning(kind: Kind, forecast: Forecast): InformerWarning {
  const { objects, isTotalKnown, bytesEach, bytesOfAll, limitBytes } = forecast;
  const count = `${objects.toLocaleString("en-US")} objects of some ${textOf(bytesEach)}${isTotalKnown ? "" : " so far, and more to come"}`;
  const smaller = isMetadataOnly(kind)
    ? ""
    : `metadata only (metadataOnly(${kind.kind})), or some fields: cached(${kind.kind}, { keep: ["spec.x"] }); `;
  return {
    type: "memory",
    message: `the cache of ${kind.kind} may not fit into memory: ${count}; with all other kinds about ${textOf(bytesOfAll)} of the ${textOf(limitBytes)} that the process may use. Keep less of each: ${smaller}or fewer: createManager({ namespaces }), cached(${kind.kind}, { labelSelector }); or raise the limit: the container's memory and node --max-old-space-size`,
  };
}

export function outsideWarning(kind: Kind, { metadata }: KubernetesObject, selector: string): InformerWarning {
  return {
    type: "outside",
    message: `${kind.kind} ${keyOf(metadata)} was written without the labels ${JSON.stringify(selector)} by which ${kind.kind} is selected, so it is not seen in the cache, and each pass writes it anew: add the labels to what is written, or widen the selector of cached(${kind.kind})`,
  };
}

function textOf(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"] as const;
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at]}`;
}
