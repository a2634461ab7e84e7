/**
 * Reads a cluster for a person who looks at it: only reads, a bounded number of them, and what could not be read is noted instead of
 * thrown. The logic of `explain` and `tree` sees the cluster only through a reader.
 */
import {
  isAborted,
  isApiError,
  isForbidden,
  isKindNotServed,
  isNotFound,
  type KubernetesObject,
  metadataOnly,
  type Ref,
} from "@treadle/apimachinery";
import { type Client, type DiscoveredKind, missingRightOf } from "@treadle/client";
import { shown } from "./object-name.ts";
import type { ServedKinds } from "./served-kinds.ts";

/** The result of a read of one object. */
export type Found =
  | { readonly type: "found"; readonly object: KubernetesObject }
  | { readonly type: "missing" }
  /** It could not be read; {@link ClusterReader.unread} says why. */
  | { readonly type: "unread" };

/** Something that could not be read, so that an explanation may be incomplete. */
export interface Unread {
  /** What was to be read, such as `Secret default/in` or `list of pods in default`. */
  readonly what: string;
  /** Reason, and what to do. */
  readonly why: string;
}

/** Which objects of a kind to list. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string;
  /** Reads metadata only. */
  readonly isMetadataOnly?: boolean;
}

/** Reads a cluster. */
export interface ClusterReader {
  readonly kinds: ServedKinds;
  get(kind: DiscoveredKind, ref: Ref, options?: { readonly isMetadataOnly?: boolean }): Promise<Found>;
  /** Returns at most 1,000 objects; none where they cannot be read. */
  list(kind: DiscoveredKind, selection: Selection): Promise<readonly KubernetesObject[]>;
  /** Notes something that is not read at all. */
  note(what: string, why: string): void;
  /** What could not be read so far, without duplicates. */
  readonly unread: readonly Unread[];
  /** Time of the machine, in milliseconds since 1970. */
  nowMs(): number;
}

/** Maximum number of objects that one list returns. More of one kind in one namespace are noted as not read. */
const MAX_LISTED = 1000;
/** Maximum number of requests of one command. A tree of an operator with hundreds of kinds must not load the server. */
export const MAX_READS = 200;

/** Options of {@link clusterReader}. */
export interface ReaderOptions {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/** Creates a reader. It throws only when the command was aborted, or no request reaches the server. */
export function clusterReader({ client, kinds, nowMs, signal }: ReaderOptions): ClusterReader {
  const unread = new Map<string, Unread>();
  let reads = 0;
  const note = (what: string, why: string): void => void unread.set(`${what} ${why}`, { what, why });
  const isAllowed = (what: string): boolean => {
    reads += 1;
    if (reads > MAX_READS) note(what, `the limit of ${MAX_READS} requests is reached`);
    return reads <= MAX_READS;
  };
  return {
    kinds,
    nowMs,
    note,
    get unread() {
      return [...unread.values()];
    },
    async get(kind, ref, { isMetadataOnly = false } = {}) {
      const what = shown({ kind: kind.kind, ...ref });
      if (!isAllowed(what)) return { type: "unread" };
      try {
        const object = await client.get(isMetadataOnly ? metadataOnly(kind) : kind, ref, { signal });
        return object === undefined ? { type: "missing" } : { type: "found", object };
      } catch (error) {
        note(what, whyNot(error));
        return { type: "unread" };
      }
    },
    async list(kind, { namespace, fieldSelector, isMetadataOnly = false }) {
      const what = `${kind.plural}${namespace === undefined ? "" : ` in ${namespace}`}`;
      if (!isAllowed(what)) return [];
      try {
        const list = await client.list(isMetadataOnly ? metadataOnly(kind) : kind, {
          signal,
          limit: MAX_LISTED,
          ...(namespace === undefined ? {} : { namespace }),
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
        });
        if ((list.metadata.continue ?? "") !== "") note(what, `there are more than ${MAX_LISTED}, and only the first ones were read`);
        return list.items;
      } catch (error) {
        // A kind whose CRD was just removed has no objects.
        if (isKindNotServed(error) || isNotFound(error)) return [];
        note(what, whyNot(error));
        return [];
      }
    },
  };
}

/** Why a read was refused. @throws the error itself if the whole command cannot go on */
function whyNot(error: unknown): string {
  if (isAborted(error) || !isApiError(error)) throw error;
  const { message } = error;
  if (!isForbidden(error)) return message;
  const right = missingRightOf(error);
  if (right?.type !== "resource") return message;
  const where = right.namespace === undefined ? "in the whole cluster" : `in the namespace ${right.namespace}`;
  return `you may not ${right.verb} ${right.resource} ${where}; ask for this right`;
}
