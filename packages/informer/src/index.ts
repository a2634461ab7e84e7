export type { Informer, InformerEvent, InformerProgress, Select } from "./informer.ts";
