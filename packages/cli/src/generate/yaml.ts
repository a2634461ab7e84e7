/** Writes manifests as YAML: stable, without anchors, and without breaks in long lines. */
import { Document } from "yaml";
import type { Commented } from "./manifest.ts";

/** Returns a manifest as a document of YAML, with the comments above its rules, and a line break at its end. */
export function yamlOf({ manifest, ruleComments = [] }: Commented): string {
  const document = new Document(manifest, { aliasDuplicateObjects: false });
  for (const [index, lines] of ruleComments.entries()) {
    const rule = document.getIn(["rules", index]) as { commentBefore?: string } | undefined; // a node of YAML may have a comment
    if (rule !== undefined && lines.length > 0) rule.commentBefore = lines.map((line) => ` ${line}`).join("\n");
  }
  return document.toString({ lineWidth: 0 });
}

/** Returns manifests as a file of YAML. */
export function documentsOf(manifests: readonly Commented[]): string {
  return manifests.map(yamlOf).join("---\n");
}

/** Returns data as YAML. */
export function dataOf(data: object): string {
  return new Document(data, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 });
}
