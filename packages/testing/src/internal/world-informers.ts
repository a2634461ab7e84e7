/** The informers of a `fakeWorld`. */
import type { Kind } from "@treadle/apimachinery";
import { createInformers, type Informers, type InformersOptions } from "@treadle/informer";

/** Makes informers that are silent. `kindChanged` is called when one of them has listed, failed or recovered. */
export function worldInformers(
  options: Pick<InformersOptions, "client" | "clock" | "random">,
  kindChanged: (kind: Kind) => void,
): Informers {
  return createInformers({
    ...options,
    onWarning: () => undefined,
    onError: (_error, _where, kind) => kindChanged(kind),
    onListed: kindChanged,
    onRecovered: kindChanged,
  });
}
