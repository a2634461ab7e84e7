/** What a set rendered, and from which inputs. Types only. */
import type { ClusterReads } from "./cluster.ts";

/** What was rendered. */
export interface Rendering {
  /** Digest of all inputs. */
  readonly inputs: string;
  /** The digest in the request. */
  readonly requested: string;
  readonly objects: readonly unknown[];
  readonly read: ClusterReads;
}
