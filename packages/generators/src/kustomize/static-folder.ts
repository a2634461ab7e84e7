/** A folder that Kustomize reads as it is. Its output is the same for all owners. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { filesBelow, hostOf } from "@treadle/dependents/unstable/render";
import type { RenderContext } from "@treadle/dependents";
import { isOfInput, KUSTOMIZE, type RunProgram } from "../programs/programs.ts";
import { actionHint } from "./action-hint.ts";
import { diskFiles, invalid } from "./disk-files.ts";
import { judge } from "./judge.ts";
import { withoutWarnings } from "./messages.ts";
import { failed } from "./output.ts";
import { SharedOutput } from "./shared-output.ts";

/** Something that Kustomize builds. */
export interface Buildable<T, R, V> {
  /** The folders that are read. */
  readonly folders: readonly string[];
  /**
   * Returns the output of Kustomize.
   * @param version the version of the files
   * @throws RenderLater when no slot is free; TerminalError when the folder does not render
   */
  build(owner: T, context: RenderContext<R, V>, version: number): Promise<string>;
}

/** A folder with a Kustomization and without templates. */
export class StaticFolder<T, R, V> implements Buildable<T, R, V> {
  readonly #folder: string;
  #folders: readonly string[];
  readonly #output: SharedOutput;

  /** @throws Error with code ERR_INVALID_KUSTOMIZATION */
  constructor(folder: string) {
    this.#folder = folder;
    this.#output = new SharedOutput(folder);
    const { problems, folders } = this.#judged();
    if (problems.length > 0) {
      const hint = hintFor(folder, folders);
      throw invalid(folder, hint === "" ? problems : [...problems, hint.slice(2)]);
    }
    this.#folders = folders;
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  async build(_owner: T, context: RenderContext<R, V>, version: number): Promise<string> {
    return await this.#output.get(hostOf(context), version, (run) => this.#run(run, context.signal));
  }

  #judged(): { readonly problems: readonly string[]; readonly folders: readonly string[] } {
    const { problems, folders } = judge(diskFiles, this.#folder, { allowsPluginFolders: true });
    return { problems, folders: [...folders] };
  }

  async #run(run: RunProgram, signal: AbortSignal): Promise<string> {
    const { problems, folders } = this.#judged();
    this.#folders = folders;
    if (problems.length > 0) throw failed(this.#folder, problems.join("; "));
    try {
      const { stdout } = await run(KUSTOMIZE, { args: ["build", this.#folder], signal });
      return stdout;
    } catch (error) {
      // The files are those of the operator: the error contains no value of an owner.
      if (isOfInput(error)) throw failed(this.#folder, shortened(withoutWarnings(error.stderr)) + hintFor(this.#folder, folders));
      throw error;
    }
  }
}

/** Returns the hint of {@link actionHint} for the folders that Kustomize reads. */
function hintFor(root: string, folders: readonly string[]): string {
  try {
    return actionHint(
      folders.flatMap((folder) =>
        [...filesBelow(folder, () => true)].map((file) => {
          const found = path.join(folder, file);
          return [path.relative(root, found), () => readFileSync(found)] as const;
        }),
      ),
    );
  } catch {
    return ""; // A file that cannot be read has no hint: the error itself counts.
  }
}

/** The maximum length of an error, in characters. */
const MAX_LENGTH = 1_000;

function shortened(error: string): string {
  const text = error.replaceAll(/\s+/g, " ").trim();
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text;
}
