/** The environment of a program: nothing of the operator's, and a HOME that is empty. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { PrivateFolder, TemporaryFolder } from "./temporary.ts";

/** Where a program that is a script finds its interpreter. Helm and Kustomize need none of it. */
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A proxy that does not exist: a program that tries to fetch something fails at once. */
const NO_PROXY_THERE = "http://127.0.0.1:0";

/** What one run of a program gets. */
export interface ProgramEnvironment {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder with its HOME. Remove it after the run. */
  readonly folder: TemporaryFolder;
}

/** Makes the environment of one run. @throws TerminalError with the code `TmpdirUnusable` */
export async function makeEnvironment(name: string, root: PrivateFolder): Promise<ProgramEnvironment> {
  const folder = await root.make(name);
  const home = join(folder.path, "home");
  const temporary = join(folder.path, "tmp");
  try {
    await mkdir(home, { mode: 0o700 });
    await mkdir(temporary, { mode: 0o700 });
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return {
    folder,
    env: {
      PATH: SYSTEM_PATH,
      HOME: home,
      TMPDIR: temporary,
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_DATA_HOME: join(home, "data"),
      HELM_CACHE_HOME: join(home, "cache", "helm"),
      HELM_CONFIG_HOME: join(home, "config", "helm"),
      HELM_DATA_HOME: join(home, "data", "helm"),
      HELM_PLUGINS: join(home, "plugins"),
      HELM_NO_PLUGINS: "1",
      KUSTOMIZE_PLUGIN_HOME: join(home, "plugins"),
      // Kustomize fetches remote resources by git and by HTTP.
      GIT_ALLOW_PROTOCOL: "none",
      HTTP_PROXY: NO_PROXY_THERE,
      HTTPS_PROXY: NO_PROXY_THERE,
    },
  };
}
