/**
 * `@treadle/apiserver/unstable/manifests`: the manifests of a folder, as a local cluster reads them. For tools; it may change in any version.
 */
export { type FileManifest, inOrder, readManifests } from "../cluster/manifests.ts";
export { isLocalClusterError } from "../cluster/errors.ts";
