/** The output of Kustomize for a folder that is the same for all owners. */
import type { RenderHost } from "@treadle/dependents/unstable/render";
import { inSlot, type RunProgram } from "../programs/programs.ts";

/** What a folder was built to. */
export class SharedOutput {
  readonly #folder: string;
  #built: { readonly version: number; readonly output: string } | undefined;

  /** @param folder the absolute path of the folder */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Returns the output for one version of the files. `build` is called if no owner has built it.
   * @throws RenderLater when no slot is free, and what `build` throws
   */
  async get(host: RenderHost, version: number, build: (run: RunProgram) => Promise<string>): Promise<string> {
    // Also for what is built: the slot that is kept for an owner must become free for the next one.
    return await inSlot(host, ["kustomize", this.#folder, version], async (run) => {
      if (this.#built?.version !== version) this.#built = { version, output: await build(run) };
      return this.#built.output;
    });
  }
}
