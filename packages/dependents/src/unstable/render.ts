/**
 * `@treadle/dependents/unstable/render`: for packages that make renderers of sets. Not for operators; it may change in any version.
 */

// What a renderer gets of the operator.
export {
  hostOf,
  isRenderLater,
  renderLaterIn,
  type LiveInput,
  objectsOf,
  onceFor,
  type RenderHost,
  RenderLater,
  withHost,
  withObjects,
} from "../set/render/host.ts";
export { type Slot, Slots, type SlotsOptions } from "../slots.ts";

// Files, documents and edits, as `manifests()` and `edited()` read and call them.
export { callEdit, calledAsync } from "../set/render/calls.ts";
export { filesBelow } from "../set/render/files-below.ts";
export { type FoundManifest, objectsIn, readManifests } from "../set/render/folder.ts";
export { readYaml, type ReadYamlOptions, type YamlDocument, YamlError } from "../set/render/yaml.ts";

// The policies of objects, as annotations.
export { annotationsOf, type ReadPolicies, readPolicies, SHARED_PREFIX } from "../set/policies/annotations.ts";
export { isPurgeable } from "../set/plan/checks.ts";
export { isRecreatable } from "../core/recreate.ts";

// Values of authors.
export { nameOfAnswer } from "../core/ask.ts";
export { plainJson } from "../core/json.ts";

// What tells the entries of a list apart, by kind and path.
export { type FieldRule, type Fields, fieldsOfApi, type ListKeys } from "../layers/merge-keys.ts";
