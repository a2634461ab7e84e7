/**
 * A folder whose files Helm renders before Kustomize reads them.
 *
 * Guarantees
 * - The rendered files are in a folder of mode 0700, which is removed after the run, and after a crash at the next start.
 * - Kustomize runs only after the rendered folder was judged, and reads exactly what was judged.
 */
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { RenderContext } from "@treadle/dependents";
import { hostOf } from "@treadle/dependents/unstable/render";
import { TerminalError } from "@treadle/reconcile";
import type { Parameters } from "../edits/types.ts";
import { valuesFor } from "../edits/values.ts";
import { HELM, inSlot, isOfInput, KUSTOMIZE, privateFolder, type RunProgram } from "../programs/programs.ts";
import { jsonText } from "../text/json-text.ts";
import { actionHint } from "./action-hint.ts";
import { canonical } from "./canonical.ts";
import { diskFilesIn, invalid, isIn } from "./disk-files.ts";
import { generatedKustomization } from "./generated.ts";
import { judge, KUSTOMIZATION_NAMES } from "./judge.ts";
import type { KustomizeOptions } from "./options.ts";
import { shownError, wordsOf } from "./messages.ts";
import { failed } from "./output.ts";
import { helmFlags, mentionedIn, OWN_VALUES, ownValues } from "./parameters.ts";
import { SharedOutput } from "./shared-output.ts";
import { readSources, type Sources } from "./sources.ts";
import { problemsAtStart } from "./start.ts";
import type { Buildable } from "./static-folder.ts";
import { hasActions, type TemplateError, type TemplateFile, templateErrorIn, unpack, write, writeChart } from "./templates.ts";

/** The options of a folder with templates. */
export type RenderedFolderOptions<T extends KubernetesObject, R, V> = Pick<KustomizeOptions<T, R, V>, "values" | "parameters"> & {
  readonly template: boolean | ((file: string) => boolean);
};

/** The files of the operator, in one version. */
interface Current extends Sources {
  /** The folder to build: an absolute path. */
  readonly folder: string;
  readonly version: number;
  /** The files that Helm renders. */
  readonly templates: readonly TemplateFile[];
  /** What is added to errors of Kustomize. */
  readonly hint: string;
}

/** A folder that is rendered into a temporary one. */
export class RenderedFolder<T extends KubernetesObject, R, V> implements Buildable<T, R, V> {
  readonly #folder: string;
  readonly #options: RenderedFolderOptions<T, R, V>;
  #current: Current;
  /** The output, if nothing in it depends on the owner. */
  readonly #output: SharedOutput;

  /** @throws Error with code ERR_INVALID_KUSTOMIZATION */
  constructor(folder: string, options: RenderedFolderOptions<T, R, V>) {
    this.#folder = folder;
    this.#options = options;
    this.#output = new SharedOutput(folder);
    this.#current = this.#read(0);
    const problems = problemsAtStart(this.#current, new Set(this.#current.templates.map(({ file }) => file)));
    if (problems.length > 0) throw invalid(folder, problems);
  }

  get folders(): readonly string[] {
    return this.#current.roots;
  }

  async build(owner: T, context: RenderContext<R, V>, version: number): Promise<string> {
    const { signal } = context;
    if (this.#current.version !== version) this.#current = this.#readAgain(version);
    const current = this.#current;
    const host = hostOf(context);
    if (current.templates.length === 0)
      return await this.#output.get(host, version, (run) => built(new Map(), { run, current, values: {}, signal }));
    const mentioned = mentionedIn(current.templates.map(({ text }) => text));
    const own = ownValues(owner, context, mentioned);
    const values = await valuesFor({ where: "kustomize", ...this.#options, own, reserved: OWN_VALUES }, owner, context);
    const flags = helmFlags(context, mentioned);
    const inputs = ["kustomize", current.folder, version, current.templates.map(({ file }) => file), flags, values];
    // One slot for both programs.
    return await inSlot(host, inputs, async (run) => {
      const call = { run, current, values, signal };
      return await built(await rendered(flags, call), call);
    });
  }

  #read(version: number): Current {
    const sources = readSources(this.#folder);
    const { template } = this.#options;
    const isTemplate = typeof template === "function" ? template : () => template;
    const templates = [...sources.files]
      .filter(([file, content]) => hasActions(content) && isTemplate(titleOf(sources, file)))
      .map(([file, content]) => ({ file, text: content.toString() }));
    const contents = [...sources.files].map(([file, content]) => [titleOf(sources, file), () => content] as const);
    return { ...sources, folder: this.#folder, version, templates, hint: template === false ? actionHint(contents) : "" };
  }

  #readAgain(version: number): Current {
    try {
      return this.#read(version);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === "ERR_INVALID_KUSTOMIZATION")
        throw new TerminalError((error as Error).message, { code: "KustomizationInvalid", cause: error }); // invalid() made it.
      throw error;
    }
  }
}

/** One rendering. */
interface Call {
  readonly run: RunProgram;
  readonly current: Current;
  readonly values: Parameters;
  readonly signal: AbortSignal;
}

/** Returns the rendered templates, by their path. @throws TerminalError with the code TemplateFailed */
async function rendered(flags: readonly string[], call: Call): Promise<ReadonlyMap<string, Buffer>> {
  const { run, current, values, signal } = call;
  const { templates } = current;
  const others = new Map(templates.some(({ text }) => text.includes(".Files")) ? current.files : []);
  const render = async (isDirect: boolean): Promise<string> =>
    await inFolder("templates", async (chart) => {
      await writeChart(chart, templates, { others, isDirect });
      const args = ["template", ...flags, "--values=-", "--", "kustomize", chart];
      return (await run(HELM, { args, input: jsonText(values), signal })).stdout;
    });
  try {
    return unpack(await render(false), templates);
  } catch (error) {
    if (!isOfInput(error)) throw error;
    const first = templateErrorIn(error.stderr, templates);
    if (first.place !== undefined) throw templateFailed(first, call);
    // Helm does not name the file of an error by `fail` or `required` in a template that is included.
    const direct = await render(true).catch((again: unknown) => again);
    signal.throwIfAborted();
    throw templateFailed(isOfInput(direct) ? templateErrorIn(direct.stderr, templates) : first, call);
  }
}

function templateFailed({ place, reason }: TemplateError, { current, values }: Call): TerminalError {
  const where = place === undefined ? "" : `${titleOf(current, place.file)}:${place.line}: `;
  const message = `kustomize: cannot render the templates of ${current.folder}: ${where}${safe(reason, current, values)}`;
  return new TerminalError(message, { code: "TemplateFailed" });
}

/** Returns the output of Kustomize for the files and what was rendered of them. @throws TerminalError with the code KustomizationInvalid */
async function built(templates: ReadonlyMap<string, Buffer>, { run, current, values, signal }: Call): Promise<string> {
  return await inFolder("kustomize", async (folder) => {
    for (const [file, content] of current.files) await write(folder, file, templates.get(file) ?? content);
    const root = path.join(folder, current.root);
    const names = [...current.files.keys()].filter((file) => isIn(root, path.join(folder, file))).map((file) => titleOf(current, file));
    if (!names.some((file) => KUSTOMIZATION_NAMES.includes(file))) await write(root, "kustomization.yaml", generatedKustomization(names));
    const titled = (file: string): string => titleOf(current, path.relative(folder, file));
    const { problems, documents } = judge(diskFilesIn(folder), root, { titleOf: titled, allowsPluginFolders: false });
    if (problems.length > 0) throw failed(current.folder, problems.join("; "));
    for (const [file, judged] of documents) await write(folder, path.relative(folder, file), canonical(judged));
    try {
      return (await run(KUSTOMIZE, { args: ["build", root], signal })).stdout;
    } catch (error) {
      if (!isOfInput(error)) throw error;
      const stderr = error.stderr.replaceAll(`${folder}/`, "").replaceAll(folder, ".");
      throw failed(current.folder, safe(stderr, current, values) + current.hint);
    }
  });
}

/** Runs `work` with a folder that is removed afterwards. */
async function inFolder<Result>(name: string, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await privateFolder.make(name);
  try {
    return await work(await realpath(folder.path));
  } finally {
    await folder.remove();
  }
}

/** The path of a file for errors and options: relative to the folder to build. */
function titleOf({ root }: Sources, file: string): string {
  return path.relative(root, file) || ".";
}

/** An error of a program without values. */
function safe(error: string, current: Current, values: Parameters): string {
  const { files, base } = current;
  const words = wordsOf([base, ...[...files].flatMap(([file, content]) => [file, content.toString()])]);
  return shownError(error, { values, words, kept: [...files.keys()].flatMap((file) => [file, titleOf(current, file)]) });
}
