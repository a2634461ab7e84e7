/** Identifies a kind as the server does. */
import { apiVersionOf, type Kind } from "@treadle/apimachinery";

/** Returns the id of a kind: with its version, and the same for whole objects and for metadata. */
export function kindId(kind: Kind): string {
  return `${apiVersionOf(kind)}/${kind.kind}`;
}
