/**
 * `@treadle/generators`: renderers for sets of dependents, by the real programs, and edits of what renderers return.
 * The renderer of cdk8s is in `@treadle/generators/cdk8s`.
 */

// Helm charts.
export { helm, type HelmOptions, type HelmValues } from "./helm/helm.ts";

// Kustomize folders.
export { kustomize, type KustomizeOptions } from "./kustomize/kustomize.ts";

// Edits of objects and of parameters.
export type { OneOrMore } from "./edits/calls.ts";
export { images, type ImageChange, type ImageChanges, type ImagesOptions } from "./edits/images.ts";
export { labels, type LabelsOptions } from "./edits/labels.ts";
export { namespace } from "./edits/namespace.ts";
export { mergeParameters } from "./edits/parameters.ts";
export { type EditPatch, patch } from "./edits/patch.ts";
export { substitute, type Variables } from "./edits/substitute.ts";
export type { EditPredicate, EditSelect, EditTarget } from "./edits/target.ts";
export type { Given, ParameterEdit, Parameters } from "./edits/types.ts";
