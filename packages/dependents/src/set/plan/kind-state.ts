/** How the operator sees the objects of a kind. Types only. */
import type { Kind } from "@treadle/apimachinery";

/** How the operator sees the objects of a kind. */
export type KindState =
  | { readonly type: "watched" | "unwatched"; readonly kind: Kind }
  /**
   * No object can be read or written now. `kind` is what is known of it. `pending`: its objects are being listed. `missing`: the server
   * does not serve it, or refuses its watch.
   */
  | { readonly type: "missing" | "pending"; readonly kind: Kind; readonly reason: string; readonly message: string }
  /** The set does not list the kind. */
  | { readonly type: "unlisted"; readonly message: string };
