/**
 * Renderers of Helm charts and Kustomize folders for sets, and edits. An entry point apart: an operator without them loads none of it.
 * The renderer of cdk8s is in `treadle/generators/cdk8s`.
 */
export {
  type EditPatch,
  type EditPredicate,
  type EditSelect,
  type EditTarget,
  type Given,
  helm,
  type HelmOptions,
  type HelmValues,
  type ImageChange,
  type ImageChanges,
  images,
  type ImagesOptions,
  kustomize,
  type KustomizeOptions,
  labels,
  type LabelsOptions,
  mergeParameters,
  namespace,
  type OneOrMore,
  type ParameterEdit,
  type Parameters,
  patch,
  substitute,
  type Variables,
} from "@treadle/generators";
