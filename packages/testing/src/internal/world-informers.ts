/** The informers of a `fakeWorld`. */
import { keepOwnManagedFields, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { createInformers, type Informers, type InformersOptions, type InformerScope } from "@treadle/informer";
import type { AnyHandler } from "@treadle/reconcile";
import { managersOf, pipelineOf, watchedKindsOf } from "@treadle/reconcile/unstable/engine";

/**
 * Makes silent informers of the kinds that the handler declares, and the scope of those that follow. `kindChanged` is called when
 * an informer has listed, failed or recovered.
 */
export function worldInformers(
  handler: AnyHandler,
  options: Pick<InformersOptions, "client" | "clock" | "random">,
  kindChanged: (kind: Kind) => void,
): { readonly informers: Informers; readonly scope: InformerScope<Kind> } {
  const informers = createInformers({
    ...options,
    onWarning: () => undefined,
    onError: (_error, _where, kind) => kindChanged(kind),
    onListed: kindChanged,
    onRecovered: kindChanged,
  });
  const managers = managersOf(pipelineOf(handler).before);
  const scope = { ingest: (object: KubernetesObject): KubernetesObject => keepOwnManagedFields(object, managers) };
  for (const kind of watchedKindsOf([handler])) informers.for<Kind>(kind, scope);
  return { informers, scope };
}
