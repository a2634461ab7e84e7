/** A small program in a folder of its own, and its build. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildOperator, type BuildOptions, type BuildResult } from "../src/index.ts";

/** A folder with the program, which is removed at the end. */
export class Program implements Disposable {
  readonly dir: string = mkdtempSync(join(tmpdir(), "treadle-build-test-"));

  constructor(files: Readonly<Record<string, string>>) {
    this.write({ "package.json": JSON.stringify({ name: "program", version: "1.2.3", license: "MIT", type: "module" }), ...files });
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.dir, path)), { recursive: true });
      writeFileSync(join(this.dir, path), text);
    }
  }

  async build(options: Partial<BuildOptions> = {}): Promise<BuildResult> {
    return await buildOperator({ entry: "operator.ts", cwd: this.dir, ...options });
  }

  /** The problems of a build that fails. */
  async problems(options: Partial<BuildOptions> = {}): Promise<readonly string[]> {
    const failure: unknown = await this.build(options).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof Error) || !("problems" in failure)) throw new Error("the build did not fail", { cause: failure });
    return failure.problems as readonly string[];
  }

  /** Runs the output from another place, where nothing else is: read-only, and in another working directory. */
  run(
    args: readonly string[] = [],
    nodeArgs: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
    const away = mkdtempSync(join(tmpdir(), "treadle-built-"));
    try {
      cpSync(join(this.dir, "dist"), join(away, "app"), { recursive: true });
      execFileSync("chmod", ["-R", "a-w", join(away, "app")]);
      mkdirSync(join(away, "elsewhere"));
      const program = join(away, "app", "operator.mjs");
      return spawnSync(process.execPath, [...nodeArgs, program, ...args], { cwd: join(away, "elsewhere"), encoding: "utf8", env });
    } finally {
      execFileSync("chmod", ["-R", "u+w", away]);
      rmSync(away, { recursive: true });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** A package in `node_modules`. */
export function installed(name: string, code: string, more: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const manifest = { name, version: "2.0.0", license: "ISC", main: "./index.js", ...more };
  return { [`node_modules/${name}/package.json`]: JSON.stringify(manifest), [`node_modules/${name}/index.js`]: code };
}
