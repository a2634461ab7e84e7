/** Reads what Kustomize printed. */
import type { Manifest } from "@treadle/dependents";
import { readYaml, YamlError } from "@treadle/dependents/unstable/render";
import { TerminalError } from "@treadle/reconcile";
import { DOCUMENT_TOO_LONG, eachDocument, MAX_DOCUMENT_LENGTH } from "../files/documents.ts";
import { isFields } from "../fields.ts";
import { withoutQuotes } from "./messages.ts";

/**
 * Returns the objects in the output of Kustomize. It lets other work run in between.
 * @throws TerminalError with the code KustomizationInvalid, and the signal's reason
 */
export async function manifestsIn(output: string, folder: string, signal: AbortSignal): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  await eachDocument(output, signal, (text, index) => void manifests.push(...objectsOf(text, `object ${index + 1} of the output`, folder)));
  return manifests;
}

function objectsOf(text: string, title: string, folder: string): readonly Manifest[] {
  if (text.length > MAX_DOCUMENT_LENGTH) throw failed(folder, `${title}: ${DOCUMENT_TOO_LONG}`);
  try {
    return readYaml(text, { keys: "any" }).flatMap(({ value }) => {
      if (value === null) return [];
      const problem = problemOf(value);
      if (problem === undefined) return [value as Manifest]; // problemOf() has checked it.
      throw failed(folder, `${title} ${problem}`);
    });
  } catch (error) {
    // The message may quote a key.
    if (error instanceof YamlError) throw failed(folder, `${title} is not usable: ${withoutQuotes(error.message)}`);
    throw error;
  }
}

/** The error of a folder that does not render. */
export function failed(folder: string, problem: string): TerminalError {
  return new TerminalError(`kustomize: cannot render ${folder}: ${problem}`, { code: "KustomizationInvalid" });
}

function problemOf(value: unknown): string | undefined {
  if (!isFields(value)) return "is not an object";
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || apiVersion === "") return "has no apiVersion";
  if (typeof kind !== "string" || kind === "") return "has no kind";
  const { name } = (metadata ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? undefined : `(${/^\w+$/.test(kind) ? kind : "of a wrong kind"}) has no metadata.name`;
}
