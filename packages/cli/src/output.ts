/** The JSON output of all commands: one document with `apiVersion` and `kind`, so that a program knows what it reads. */

/** Version of the documents. A change that breaks readers gives another one. */
const OUTPUT_VERSION = "cli.treadle.dev/v1alpha1";

/** Returns a document of `-o json`, with a line break at its end. */
export function document(kind: string, content: object): string {
  return `${JSON.stringify({ apiVersion: OUTPUT_VERSION, kind, ...content }, undefined, 2)}\n`;
}

/** Returns a document of a stream of `-o json`: one line. */
export function documentLine(kind: string, content: object): string {
  return `${JSON.stringify({ apiVersion: OUTPUT_VERSION, kind, ...content })}\n`;
}
