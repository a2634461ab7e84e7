/** Reads the samples of a project. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseAllDocuments } from "yaml";
import { isRecord } from "../json.ts";
import type { Sample } from "./rules/samples.ts";

/** Returns the objects in `deploy/samples` of the project of a module, which is the nearest folder with a package.json. */
export function samplesOf(module: string): readonly Sample[] {
  const folder = join(projectOf(dirname(resolve(module))), "deploy", "samples");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => /\.ya?ml$/.test(file));
  return files.toSorted().flatMap((file) => {
    const documents = parseAllDocuments(readFileSync(join(folder, file), "utf8"));
    const place = relative(process.cwd(), join(folder, file));
    return documents.flatMap((document, i): readonly Sample[] => {
      // What is no YAML has an error of its own as soon as someone applies it.
      const manifest: unknown = document.errors.length > 0 ? undefined : document.toJS();
      return isRecord(manifest) ? [{ where: documents.length > 1 ? `${place} #${i + 1}` : place, manifest }] : [];
    });
  });
}

function projectOf(folder: string): string {
  const above = dirname(folder);
  return existsSync(join(folder, "package.json")) || above === folder ? folder : projectOf(above);
}
