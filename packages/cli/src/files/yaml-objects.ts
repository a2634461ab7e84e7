/** Finds the objects in a text of YAML or JSON. Pure. */
import { parseAllDocuments } from "yaml";
import { CliError } from "../cli-error.ts";
import { isRecord, type Json, listAt, textAt } from "../json.ts";

/** Returns the objects of all documents; a list of Kubernetes is split. Other values are skipped. @throws CliError that names the file */
export function objectsIn(text: string, file: string): readonly Json[] {
  return documentsIn(text, file).flatMap((value) => (textAt(value, "kind").endsWith("List") ? listAt(value, "items") : [value]));
}

function documentsIn(text: string, file: string): readonly Json[] {
  const documents = parseAllDocuments(text, { logLevel: "error" });
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new CliError(`cannot read ${file}: ${error.message}`);
    const value = valueOf(document, file);
    return isRecord(value) ? [value] : [];
  });
}

/** Aliases may be unknown, multiply a text without an end, or make an object a part of itself. */
function valueOf(document: { toJS(): unknown }, file: string): unknown {
  try {
    const value = document.toJS();
    JSON.stringify(value);
    return value;
  } catch (error) {
    const { message } = error as Error;
    const isCycle = error instanceof TypeError && message.includes("circular");
    throw new CliError(`cannot read ${file}: ${isCycle ? "an alias names an object that contains it" : message}`, { cause: error });
  }
}
