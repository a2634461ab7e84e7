/** The namespaces of a set at its target. */
import { requestNamespaces } from "../render/inputs.ts";
import type { Run } from "./run.ts";

/** Returns the namespaces in which objects of the set are or will be, as far as they are known before the set is rendered. */
export function placementNamespaces(run: Run): readonly string[] {
  const stored = Object.values(run.state.kinds).flatMap(({ namespaces = [] }) => namespaces);
  return [...new Set([...requestNamespaces(run), ...stored])].toSorted();
}
