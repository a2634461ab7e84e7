/** Warnings of an informer, given before something fails. */
import { isMetadataOnly, type Kind, keyOf, kindIdOf, type KubernetesObject } from "@treadle/apimachinery";

/** A warning of an informer. An informer gives each type of warning once. */
export interface InformerWarning {
  /**
   * `unscoped`: all Secrets, Pods or Events of a cluster are watched. `memory`: the objects may not fit into memory.
   * `outside`: this process wrote an object that the label selector does not select, so the cache does not show it.
   */
  readonly type: "unscoped" | "memory" | "outside";
  /** The problem, its reason, and what to do about it. */
  readonly message: string;
}

/** An estimate of the memory that the cache of a kind will need. */
export interface Forecast {
  /** Number of objects of the kind. In a stream, whose length is unknown, the number received so far. */
  readonly objects: number;
  /** Whether `objects` is the number of all objects. */
  readonly isTotalKnown: boolean;
  /** Heap for one object, in bytes. */
  readonly bytesEach: number;
  /** Heap for the objects of all informers together, in bytes. */
  readonly bytesOfAll: number;
  /** Memory that the process may use, in bytes. */
  readonly limitBytes: number;
}

/** Kinds with very many objects in a cluster, or with secret contents. */
const MANY: ReadonlySet<string> = new Set(["v1/Secret", "v1/Pod", "v1/Event", "events.k8s.io/v1/Event"]);

/** Returns the warning for an informer of all namespaces without a selector. Metadata alone is small, and it is not secret. */
export function unscopedWarning(kind: Kind): InformerWarning | undefined {
  if (!MANY.has(kindIdOf(kind)) || isMetadataOnly(kind)) return undefined;
  const right = kind.kind === "Secret" ? ", and the right to list all Secrets includes the right to read them" : "";
  return {
    type: "unscoped",
    message: `every ${kind.kind} of the cluster is watched and kept in memory${right}: set createManager({ namespaces }), or a selector: createManager({ cache: [cached(${kind.kind}, { labelSelector })] })`,
  };
}

/** Returns the warning that the cache of a kind may not fit into memory. */
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

/** Returns the warning that the label selector does not select an object that this process wrote. */
export function outsideWarning(kind: Kind, { metadata }: KubernetesObject, selector: string): InformerWarning {
  return {
    type: "outside",
    message: `${kind.kind} ${keyOf(metadata)} was written without the labels ${JSON.stringify(selector)} by which ${kind.kind} is selected, so the cache does not show it, and each pass writes it again: add the labels to the object, or widen the selector of cached(${kind.kind})`,
  };
}

function textOf(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"] as const;
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at]}`;
}
