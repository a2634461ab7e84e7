/**
 * Informers: local, read-only copies of the objects of a kind, kept up to date by LIST and WATCH, with indexes and
 * read-your-own-writes. One informer for one kind, or the shared informers of a process.
 */

// One informer.
export { createInformer } from "./create-informer.ts";
export type { Informer, InformerEvent, InformerProgress } from "./informer.ts";
export type { InformerErrorSource, InformerOptions } from "./informer-options.ts";
export type { InformerWarning } from "./warnings.ts";

// The shared informers of a process.
export { createInformers, type Informers, type InformerScope, type InformersOptions } from "./informers.ts";

// Caching less of each object.
export { projection } from "./projection.ts";
