/** Where the CRDs of the old version are: a file, a folder, a revision of git, or another module. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CustomResourceDefinition } from "@treadle/apimachinery";
import { loadProgram } from "@treadle/controller/unstable/program";
import { CliError } from "../cli-error.ts";
import { objectsIn } from "../files/yaml-objects.ts";
import { crdsOf } from "../generate/crds.ts";
import { isRecord } from "../json.ts";

/** Returns the CRDs of a source. @throws CliError for one that cannot be read, ProgramError for a module that cannot be loaded */
export async function oldCrds(source: string): Promise<readonly CustomResourceDefinition[]> {
  if (source.startsWith("git:")) return crdsOfRevision(source);
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined)
    throw new CliError(`--against ${source} does not exist; name a YAML file, a folder, a module, or git:REV:FOLDER`);
  if (!found.isDirectory())
    return /\.[cm]?[jt]s$/.test(source) ? crdsOf(await loadProgram(source)) : crdsIn(readFileSync(source, "utf8"), source);
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(isManifest).toSorted();
  return files.flatMap((file) => crdsIn(readFileSync(join(source, file), "utf8"), join(source, file)));
}

function isManifest(file: string): boolean {
  return /\.(ya?ml|json)$/.test(file) && !/(^|[/\\])node_modules[/\\]/.test(file);
}

/** @throws CliError for a text that is no YAML, if it could have a CRD */
function crdsIn(text: string, file: string): readonly CustomResourceDefinition[] {
  // Templates of charts and files of other tools are no YAML, and do not matter.
  const objects: readonly unknown[] = text.includes("CustomResourceDefinition") ? objectsIn(text, file) : [];
  return objects.filter(isCrd);
}

function isCrd(value: unknown): value is CustomResourceDefinition {
  return (
    isRecord(value) && value["kind"] === "CustomResourceDefinition" && isRecord(value["spec"]) && Array.isArray(value["spec"]["versions"])
  );
}

const run = promisify(execFile);

/** `git:REV:PATH`. Paths are relative to the working directory. */
async function crdsOfRevision(source: string): Promise<readonly CustomResourceDefinition[]> {
  const [, revision = "", ...rest] = source.split(":");
  const path = rest.join(":") || "deploy";
  if (revision === "" || revision.startsWith("-")) throw new CliError(`--against ${source} names no revision; write git:REV:FOLDER`);
  const listed = await git(source, ["ls-tree", "-r", "--name-only", revision, "--", path]);
  const files = listed.split("\n").filter(isManifest);
  if (files.length === 0) throw new CliError(`--against ${source}: ${revision} has no YAML in ${path}; write git:REV:FOLDER`);
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await git(source, ["show", `${revision}:./${file}`]) })));
  return texts.flatMap(({ file, text }) => crdsIn(text, `${revision}:${file}`));
}

async function git(source: string, args: readonly string[]): Promise<string> {
  try {
    return (await run("git", [...args], { maxBuffer: 256 * 1024 * 1024 })).stdout;
  } catch (error) {
    const text = isRecord(error) && typeof error["stderr"] === "string" ? error["stderr"].trim().split("\n")[0] : "";
    throw new CliError(`--against ${source}: git ${args[0]} failed: ${text === "" ? String(error) : text}`);
  }
}
