/** A release that the real Helm keeps in a server of its own. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestCluster } from "@treadle/testing";
import type { Differences } from "./live.ts";

const run = promisify(execFile);

/** A chart on disk and where it is installed. */
export interface Installed {
  readonly chart: string;
  readonly name: string;
  readonly namespace: string;
}

/** Calls Helm for one release. */
export class HelmSide implements AsyncDisposable {
  readonly #cluster: TestCluster;
  readonly #home: string;

  private constructor(cluster: TestCluster, home: string) {
    this.#cluster = cluster;
    this.#home = home;
  }

  /** @param cluster started with `https: true` */
  static async of(cluster: TestCluster): Promise<HelmSide> {
    const home = await mkdtemp(join(tmpdir(), "treadle-helm-"));
    await writeFile(join(home, "kubeconfig"), cluster.kubeconfig, { mode: 0o600 });
    return new HelmSide(cluster, home);
  }

  /** Runs `helm install` or `helm upgrade`, and waits for the hooks as Helm does. @throws Error with what Helm wrote */
  async release(verb: "install" | "upgrade", { chart, name, namespace }: Installed, values: object): Promise<void> {
    const file = join(this.#home, "values.json");
    await writeFile(file, JSON.stringify(values), { mode: 0o600 });
    const options = ["--namespace", namespace, "--values", file, "--timeout", "50s", ...(verb === "upgrade" ? ["--reset-values"] : [])];
    await this.#run(verb, name, chart, ...options);
  }

  /** Runs `helm uninstall`. @throws Error with what Helm wrote */
  async uninstall({ name, namespace }: Pick<Installed, "name" | "namespace">): Promise<void> {
    await this.#run("uninstall", name, "--namespace", namespace, "--timeout", "50s");
  }

  async #run(...args: readonly string[]): Promise<void> {
    const env = { PATH: process.env["PATH"], HOME: this.#home, KUBECONFIG: join(this.#home, "kubeconfig") };
    await run(helmProgram(), args, { env });
    await this.#cluster.server.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** The program that the renderer uses as well. */
function helmProgram(): string {
  return process.env["TREADLE_HELM"] || "helm";
}

/** What Helm adds to the objects of a release. */
export const helmDifferences: Differences = {
  isForeign: (object) => object["type"] === "helm.sh/release.v1",
  isMark: (name, value) => name.startsWith("meta.helm.sh/") || (name === "app.kubernetes.io/managed-by" && value === "Helm"),
  isFinalizer: () => false,
};

/** Packs a chart as `helm package` does. */
export async function packaged(chart: string): Promise<AsyncDisposable & { readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "treadle-chart-"));
  await run(helmProgram(), ["package", chart, "--destination", folder], { env: { PATH: process.env["PATH"], HOME: folder } });
  const [archive = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  return { file: join(folder, archive), [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
