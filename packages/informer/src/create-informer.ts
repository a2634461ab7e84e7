/** One informer that shares nothing with others. For several informers in a process use {@link createInformers}. */
import type { Kind } from "@treadle/apimachinery";
import type { Informer } from "./informer.ts";
import type { InformerOptions } from "./informer-options.ts";
import { sharedParts } from "./internal/shared-parts.ts";
import { createSharingInformer } from "./internal/store-informer.ts";

/**
 * Creates an informer. It sends no request before `start()`.
 * @throws when `namespaces` is empty or `pageSize` is not a positive integer
 */
export function createInformer<K extends Kind>(options: InformerOptions<K>): Informer<K> {
  return createSharingInformer(options, sharedParts(options));
}
