export { createInformer } from "./create-informer.ts";
export type { InformerErrorSource, InformerOptions } from "./informer-options.ts";
export type { Informer, InformerEvent, InformerProgress, Select } from "./informer.ts";
export { type Cache, createInformers, type Informers, type InformerScope, type InformersOptions } from "./informers.ts";
export { type FieldPath, projection } from "./projection.ts";
export type { InformerWarning } from "./warnings.ts";
