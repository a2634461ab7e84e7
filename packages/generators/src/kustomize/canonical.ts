/**
 * Writes documents so that every reader of YAML understands them alike. What was judged is what Kustomize reads: readers disagree about
 * line breaks such as U+2028, about repeated keys and about merge keys, and a value could hide a reference in such a difference.
 */
import { jsonText } from "../text/json-text.ts";
import { inlinePlugins } from "./references.ts";

/** Returns the text of a Kustomization, or of the configuration of plugins. */
export function canonical(documents: readonly unknown[]): string {
  return documents.map((each) => `${jsonText(inlinePlugins(each, (plugins) => plugins.map(jsonText).join("\n---\n")))}\n`).join("---\n");
}
