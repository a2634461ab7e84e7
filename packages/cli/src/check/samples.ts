/** Reads the samples of a project. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { isLocalClusterError, readManifests } from "@treadle/apiserver/unstable/manifests";
import { projectFolderOf } from "../files/package.ts";
import type { Finding } from "./problem.ts";
import type { Sample } from "./rules/samples.ts";

/** What `deploy/samples` of a project has. */
export interface ReadSamples {
  readonly samples: readonly Sample[];
  /** The first file that cannot be read. Then there are no samples. */
  readonly problems: readonly Finding[];
}

/** Returns the objects in `deploy/samples` of the project of a module, read as `treadle dev` reads them. */
export async function samplesOf(module: string): Promise<ReadSamples> {
  const folder = relative(process.cwd(), join(projectFolderOf(module), "deploy", "samples"));
  if (!existsSync(folder)) return { samples: [], problems: [] };
  try {
    const manifests = await readManifests(folder);
    return { samples: manifests.map(({ object, where }) => ({ where, manifest: object })), problems: [] };
  } catch (error) {
    if (!isLocalClusterError(error)) throw error;
    return { samples: [], problems: [{ where: folder, message: error.message }] };
  }
}
