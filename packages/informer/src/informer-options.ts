/** The options of an informer. */
import type { Clock, Kind, ObjectOf, Random } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { InformerWarning } from "./warnings.ts";

/** Where a reported failure happened. Of `list` and `watch` the informer recovers by itself. */
export type InformerErrorSource = "list" | "watch" | "handler" | "index" | "ingest";

export interface InformerOptions<K extends Kind = Kind> {
  readonly client: Pick<Client, "list" | "watch">;
  readonly kind: K;
  /** @defaultValue the real time */
  readonly clock?: Clock;
  /** @defaultValue unpredictable numbers */
  readonly random?: Random;
  /** One list and watch for each; see {@link Informer.setNamespaces}. Absent: all. Of no effect for a cluster-scoped kind. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
  /**
   * Cuts an object down before it is frozen and stored. Must leave name, namespace, uid and resourceVersion as they are.
   * When it throws, the failure is reported and the object stored as if there were none. @defaultValue drops managedFields
   */
  readonly ingest?: (object: ObjectOf<K>) => ObjectOf<K>;
  /** Told of every failure, each time. @defaultValue a process warning, but nothing for list and watch: see `progress()` */
  readonly onError?: (error: unknown, where: InformerErrorSource) => void;
  /** Told before something goes wrong. @defaultValue a process warning */
  readonly onWarning?: (warning: InformerWarning) => void;
  /** Told after each list that is complete in the store, the first as well as those after a failure. */
  readonly onListed?: () => void;
  /** Told when a list or watch works after it had failed; `progress().lastError` does not name that failure any more. */
  readonly onRecovered?: () => void;
  /** How long to wait before the next attempt when the server does not serve the kind; up to a quarter less, at random. @defaultValue 10_000 */
  readonly kindRetryMs?: number;
  /** Objects in a page of a list. @defaultValue 250 */
  readonly pageSize?: number;
}
