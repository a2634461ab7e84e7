export { createInformer } from "./create-informer.ts";
export type { InformerErrorSource, InformerOptions } from "./informer-options.ts";
export type { Informer, InformerEvent, InformerProgress } from "./informer.ts";
export { createInformers, type Informers, type InformerScope, type InformersOptions } from "./informers.ts";
export { projection } from "./projection.ts";
export type { InformerWarning } from "./warnings.ts";
