/** Writes manifests as YAML: stable, without anchors, and without breaks in long lines. */
import { Document, Scalar, visit } from "yaml";
import type { Commented } from "./manifest.ts";

/** Texts such as `on`, `1_000` or `2020-01-01` are quoted: kubectl, Helm and Kustomize read YAML 1.1, in which they are other values. */
const OPTIONS = { aliasDuplicateObjects: false, compat: "yaml-1.1" } as const;

/** Returns a manifest as a document of YAML, with the comments above its rules, and a line break at its end. */
export function yamlOf({ manifest, ruleComments = [] }: Commented): string {
  const document = new Document(manifest, OPTIONS);
  for (const [index, lines] of ruleComments.entries()) {
    const rule = document.getIn(["rules", index]) as { commentBefore?: string } | undefined; // a node of YAML may have a comment
    if (rule !== undefined && lines.length > 0) rule.commentBefore = lines.map((line) => ` ${line}`).join("\n");
  }
  return textOf(document);
}

/** What YAML 1.1 takes for a line break or refuses, and YAML 1.2 does not. */
const SPECIAL = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Signs that YAML 1.1 takes for a default and a merge. */
const SIGNS: ReadonlySet<unknown> = new Set(["=", "<<"]);

/** Special characters are escaped, which only double quotes allow; in a comment they change nothing. */
function textOf(document: Document): string {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "string" && (node.value.search(SPECIAL) !== -1 || SIGNS.has(node.value))) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document
    .toString({ lineWidth: 0 })
    .replaceAll(SPECIAL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns manifests as a file of YAML. */
export function documentsOf(manifests: readonly Commented[]): string {
  return manifests.map(yamlOf).join("---\n");
}

/** Returns data as YAML. */
export function dataOf(data: object): string {
  return textOf(new Document(data, OPTIONS));
}
