/** The names of Secrets of a managed object. */
import { type Kind, type KubernetesObject, MAX_SUBDOMAIN_LENGTH, shortenName } from "@treadle/apimachinery";

/** Returns the name of a Secret of an object: `<name>-<singular>`, and a suffix. It is shortened with a hash if it is too long. */
export function secretNameOf(kind: Pick<Kind, "kind">, { metadata }: Pick<KubernetesObject, "metadata">, suffix: string = ""): string {
  return shortenName(`${metadata.name}-${kind.kind.toLowerCase()}${suffix}`, MAX_SUBDOMAIN_LENGTH);
}
