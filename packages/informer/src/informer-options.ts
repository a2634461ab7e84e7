/** The options of an informer. */
import type { Clock, Kind, ObjectOf, Random } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { InformerWarning } from "./warnings.ts";

/** The place of a reported failure. After a failure of `list` or `watch` the informer recovers by itself. */
export type InformerErrorSource = "list" | "watch" | "handler" | "index" | "ingest";

/** The options of {@link createInformer}. */
export interface InformerOptions<K extends Kind = Kind> {
  /** Client that lists and watches. */
  readonly client: Pick<Client, "list" | "watch">;
  /** Kind of the objects. With `metadataOnly(Kind)` only metadata is kept. */
  readonly kind: K;
  /** Source of the time. @defaultValue systemClock */
  readonly clock?: Clock;
  /** Source of the jitter in pauses. @defaultValue systemRandom */
  readonly random?: Random;
  /**
   * Namespaces to watch, each with a list and a watch; see {@link Informer.setNamespaces}. For a cluster-scoped kind it has
   * no effect. @defaultValue all namespaces
   */
  readonly namespaces?: readonly string[];
  /** Labels that the objects must have, as a text such as `app=web,tier!=db` or as pairs. @defaultValue all objects */
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  /** Fields that the objects must have, as far as the server supports them: `type=kubernetes.io/tls`. @defaultValue all objects */
  readonly fieldSelector?: string;
  /**
   * Reduces an object before it is frozen and stored. It must keep name, namespace, uid and resourceVersion. When it throws,
   * the failure is reported, and the object is stored without managedFields. @defaultValue removes managedFields
   */
  readonly ingest?: (object: ObjectOf<K>) => ObjectOf<K>;
  /**
   * Field managers whose entries in managedFields `ingest` reads. Those of others may be left out before.
   * @defaultValue all with `ingest`, none without
   */
  readonly managedFieldsOf?: readonly string[];
  /** Called for every failure. @defaultValue emits a process warning, except for list and watch: see `progress()` */
  readonly onError?: (error: unknown, where: InformerErrorSource) => void;
  /** Called once for each type of warning. @defaultValue emits a process warning */
  readonly onWarning?: (warning: InformerWarning) => void;
  /** Called when a list is complete in the store: the first one, and each one after a failure. */
  readonly onListed?: () => void;
  /** Called when list or watch works again after a failure; `progress().lastError` is `undefined` then. */
  readonly onRecovered?: () => void;
  /**
   * Maximum pause before the next attempt when the server does not serve the kind, in milliseconds. The pause is up to a
   * quarter shorter, at random. @defaultValue 10_000
   */
  readonly kindRetryMs?: number;
  /** Maximum number of objects on a page of a list. @defaultValue 250; 1_000 with `metadataOnly(Kind)` */
  readonly pageSize?: number;
}
