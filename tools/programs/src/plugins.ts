/**
 * Builds the plugins of `examples/capabilities` in Go and Python for tests, into a folder of the cache with the digest of their sources.
 * Needs Go, Python 3.10 with venv, and what they download: modules by the proxy of Go, packages by pip.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { cacheDir, goBuild, seconds } from "../../src/go-build.ts";
import { capture } from "../../src/run.ts";
import { withLock } from "./lock.ts";

/** Options of {@link obtainPlugins}. */
export interface ObtainPluginsOptions {
  /** Where the programs are kept. @defaultValue `treadle/plugins` in `XDG_CACHE_HOME` or `~/.cache` */
  readonly dir?: string;
  /** Gets one line for each step. @defaultValue no log */
  readonly log?: (line: string) => void;
  /** @defaultValue `process.env` */
  readonly env?: NodeJS.ProcessEnv;
}

const root = resolve(import.meta.dirname, "../../..");
const example = join(root, "examples/capabilities");
const protos = join(root, "packages/plugins/proto");

/**
 * Returns the folders by their variables, and builds what is missing.
 * @throws when Go or Python is missing or fails
 */
export async function obtainPlugins({
  dir,
  log = () => {},
  env = process.env,
}: ObtainPluginsOptions = {}): Promise<Readonly<Record<string, string>>> {
  const folder = resolve(dir ?? cacheDir(env, "plugins"));
  const go = join(folder, `go-${digest("go-plugin/**/{*.go,go.mod,go.sum}")}`);
  const python = join(folder, `python-${digest("python/*.{py,txt}")}`);
  for (const [target, build] of [
    [go, buildGo],
    [python, buildPython],
  ] as const) {
    if (existsSync(join(target, "wire-test"))) continue;
    await withLock(join(folder, ".lock"), log, async () => {
      if (existsSync(join(target, "wire-test"))) return;
      const started = Date.now();
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target, { recursive: true });
      await build(target, env);
      log(`built ${target} (${seconds(started)})`);
    });
  }
  return { TREADLE_TEST_PLUGIN_GO: go, TREADLE_TEST_PLUGIN_PYTHON: python };
}

/** A digest of the sources that match, and of the proto files. */
function digest(glob: string): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const [base, pattern] of [
    [example, glob],
    [protos, "**/*.proto"],
  ] as const)
    for (const file of globSync(pattern, { cwd: base }).toSorted()) hash.update(file).update(readFileSync(join(base, file)));
  return hash.digest("hex").slice(0, 16);
}

/** The last file is `wire-test`: a folder with it is complete. */
async function buildGo(target: string, env: NodeJS.ProcessEnv): Promise<void> {
  const modules = join(example, "go-plugin");
  for (const [name, path] of [
    ["kube-postgres", "."],
    ["wire-test", "./wire-test"],
  ] as const)
    await goBuild({ name, package: path, modules, file: join(target, name), linkerFlags: "-s -w", jobs: 2, env });
}

async function buildPython(target: string, env: NodeJS.ProcessEnv): Promise<void> {
  const sources = join(example, "python");
  const [app, python] = [join(target, "app"), join(target, "venv/bin/python")];
  const run = async (program: string, ...args: readonly string[]): Promise<void> => {
    const { code, output } = await capture(program, args, { cwd: target, env });
    if (code !== 0) throw new Error(`cannot build the Python plugins: ${program} ${args.join(" ")} ended with ${code}\n${output}`);
  };
  await run("python3", "-m", "venv", join(target, "venv"));
  await run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", join(sources, "requirements.txt"));
  mkdirSync(app);
  for (const file of ["kube_postgres.py", "treadle_plugin.py", "wire_test.py"]) cpSync(join(sources, file), join(app, file));
  const out = ["--python_out", "--grpc_python_out"].map((option) => `${option}=${app}`);
  await run(python, "-m", "grpc_tools.protoc", "-I", protos, ...out, "treadle/capability/v1.proto");
  for (const name of ["kube-postgres", "wire-test"]) {
    const partial = join(target, `${name}.partial`);
    await run(python, "-m", "zipapp", app, "-m", `${name.replace("-", "_")}:main`, "-p", python, "-o", partial);
    renameSync(partial, join(target, name));
  }
}
