/** `treadle generate types`: from CRDs to modules. */
import { readFile } from "node:fs/promises";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { CliError } from "../cli-error.ts";
import type { ConnectionFlags } from "../cluster/connection-flags.ts";
import { nearest } from "../cluster/near.ts";
import { onCluster } from "../cluster/session.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { updateFolder } from "../generate/files/update-folder.ts";
import { isRecord, listAt, textAt, valueAt } from "../json.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Crd, crdOf, crdsIn } from "./crds-in.ts";
import { moduleName, moduleText } from "./module.ts";

/** Flags of the command. */
export interface TypesFlags extends ConnectionFlags {
  readonly fromCluster?: boolean;
  readonly out?: string;
  readonly check?: boolean;
  readonly output?: "json";
}

/** @throws CliError for files that have no CRD, kinds that a cluster does not have, and files of the user in the way */
export async function runTypes(words: readonly string[], flags: TypesFlags, terminal: Terminal): Promise<ExitCode> {
  const { fromCluster = false, check: isCheck = false, out = "src/kinds" } = flags;
  if (words.length === 0 && !fromCluster) throw new CliError("name files of CRDs, or use --from-cluster with the names of kinds");
  const crds = fromCluster ? await inCluster(words, flags, terminal) : await inFiles(words);
  const modules = new Map(crds.map((crd) => [moduleName(crd), moduleText(crd)]));
  if (out === "-") {
    if (isCheck || flags.output !== undefined)
      throw new CliError("--out - prints modules, so it does not go together with --check and -o json");
    terminal.out([...modules.values()].join("\n"));
    return EXIT.ok;
  }
  const layout = { generated: modules, once: new Map<string, string>() };
  // Other runs may have written other kinds into the folder.
  return await updateFolder({ folder: out, layout, isCheck, output: flags.output, ignored: ["superfluous"], notes: [] }, terminal);
}

async function inFiles(files: readonly string[]): Promise<readonly Crd[]> {
  const found = new Map<string, Crd>();
  for (const file of files) {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`cannot read ${file}: ${error.code === "ENOENT" ? "it does not exist" : error.message}`, { cause: error });
    });
    for (const crd of crdsIn(text, file)) found.set(crd.name, crd);
  }
  return [...found.values()];
}

/** The CRDs of a cluster whose names, kinds or short names are given; all without a word. */
async function inCluster(words: readonly string[], flags: TypesFlags, terminal: Terminal): Promise<readonly Crd[]> {
  const items: readonly unknown[] = await onCluster(
    flags,
    terminal,
    async ({ client, signal }) => (await client.list(CustomResourceDefinition, { signal })).items,
  );
  const known = items.filter(isRecord).map((object) => ({ object, names: namesOf(object) }));
  if (words.length === 0) return known.map(({ object }) => crdOf(object, "the cluster"));
  return words.map((word) => {
    const found = known.find(({ names }) => names.includes(word.toLowerCase()));
    if (found !== undefined) return crdOf(found.object, "the cluster");
    const near = nearest(
      word,
      known.flatMap(({ names }) => names),
    );
    throw new CliError(`the cluster has no CRD of ${JSON.stringify(word)}${near.length === 0 ? "" : `: did you mean ${near.join(", ")}?`}`);
  });
}

/** The words by which kubectl knows the kind of a CRD. */
function namesOf(object: object): readonly string[] {
  const names = valueAt(object, "spec", "names");
  const shortNames = isRecord(names) && Array.isArray(names["shortNames"]) ? names["shortNames"].map(String) : [];
  const [plural, group] = [textAt(names, "plural"), textAt(object, "spec", "group")];
  const versions = listAt(object, "spec", "versions").map((each) => `${plural}.${textAt(each, "name")}.${group}`);
  return [`${plural}.${group}`, plural, textAt(names, "singular"), textAt(names, "kind"), ...shortNames, ...versions].map((name) =>
    name.toLowerCase(),
  );
}
