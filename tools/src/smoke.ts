/**
 * `npm run smoke`: what a user gets. Installs the tarballs with npm in an empty folder, compiles against them with the strictest
 * settings (their declarations included) and runs the result: a program that imports every export, and the programs of README.md.
 * Those of the README are compiled only, since they want a cluster. `treadle-apiserver` is started, and `treadle`
 * as npm and pnpm link it (smoke-bins.ts). Examples are built by `treadle-build` and run (smoke-built.ts). A project is made by
 * `create-treadle` (smoke-new.ts), and taken into a cluster (smoke-story.ts). `-- --keep` leaves the folder, `-- --kubeconfig FILE` names
 * a cluster for the story.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { capture, run } from "./run.ts";
import { smokeBins } from "./smoke-bins.ts";
import { smokeBuilt } from "./smoke-built.ts";
import { smokeNew } from "./smoke-new.ts";
import { exportedPaths, packAll } from "./tarballs.ts";
import { errorsOf } from "./type-messages.ts";
import { publicPackages, readManifest, root } from "./workspaces.ts";

const compilerOptions = {
  target: "es2024",
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  verbatimModuleSyntax: true,
  noEmit: true,
};

const base = mkdtempSync(join(tmpdir(), "treadle-smoke-"));
try {
  await smoke(base);
  console.log("smoke: the tarballs install, compile and run");
} finally {
  if (process.argv.includes("--keep")) console.log(`smoke: kept ${base}`);
  else rmSync(base, { recursive: true, force: true });
}

async function smoke(dir: string): Promise<void> {
  const consumer = join(dir, "consumer");
  const tarballs = join(dir, "tarballs");
  mkdirSync(consumer);
  mkdirSync(tarballs);
  const packed = await packAll(tarballs);
  console.log(`smoke: packed ${packed.length} packages`);

  writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const { devDependencies = {} } = readManifest(root);
  const tools = ["typescript", "@types/node", "vitest"].map((name) => `${name}@${devDependencies[name]}`);
  // A user's operator uses zod itself; the version is the one that we were tested with.
  const zod = `zod@${readManifest(join(root, "packages", "apimachinery")).dependencies?.["zod"]}`;
  const given = [...packed, ...tools, zod, ...peersOf()];
  await must("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...given], consumer);
  expectOnlyTarballs(consumer);

  writeFileSync(join(consumer, "every-export.ts"), everyExport());
  for (const [index, text] of readmePrograms().entries()) writeFileSync(join(consumer, `readme-${index + 1}.ts`), text);
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  await compile(consumer);
  await must(process.execPath, ["every-export.ts"], consumer);
  await serves(consumer);
  await smokeBins(consumer, packed);
  await smokeNew(dir, consumer, packed);
  await smokeBuilt(consumer);
}

/** The program of the API server starts from its tarball, and a signal ends it. */
async function serves(consumer: string): Promise<void> {
  const kubeconfig = join(consumer, "server.kubeconfig");
  const program = join(consumer, "node_modules", ".bin", "treadle-apiserver");
  await expectRefusal(program, ["--kubeconfig", kubeconfig, "--crds", join(consumer, "missing")], consumer);
  const child = spawn(program, ["--kubeconfig", kubeconfig], { cwd: consumer, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    if (!line.includes("ready at")) continue;
    if (!readFileSync(kubeconfig, "utf8").includes("https://127.0.0.1:")) throw new Error("smoke: the kubeconfig names no server");
    child.kill("SIGTERM");
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`smoke: treadle-apiserver ended with ${code}`);
  if (existsSync(kubeconfig)) throw new Error("smoke: treadle-apiserver left its kubeconfig");
}

async function expectRefusal(program: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await capture(program, args, { cwd });
  if (code !== 1 || !output.includes("missing")) throw new Error(`smoke: ${program} ended with ${code}, expected 1:\n${output}`);
}

/** The optional packages of others that entry points need, such as cdk8s: npm does not install them by itself. */
function peersOf(): string[] {
  const ours = new Set(publicPackages().map(({ manifest }) => manifest.name));
  const peers = publicPackages().flatMap(({ manifest }) => Object.entries(manifest.peerDependencies ?? {}));
  const others = peers.filter(([name]) => !ours.has(name) && name !== "zod").map(([name, range]) => `${name}@${range}`);
  return [...new Set(others)];
}

/** Our declarations and the programs must be clean; what other people's declarations lack is shown, but is not ours to fail for. */
async function compile(consumer: string): Promise<void> {
  const compiler = join(consumer, "node_modules", "typescript", "bin", "tsc");
  const { code, output } = await capture(process.execPath, [compiler, "--pretty", "false"], { cwd: consumer });
  const errors = errorsOf(output);
  const ours = errors.filter(({ file }) => !/^node_modules\/(?!@treadle\/|treadle\/)/.test(file));
  for (const { file, line, message } of errors) console.log(`smoke: ${file}(${line}): ${message}`);
  if (ours.length > 0 || (code !== 0 && errors.length === 0)) throw new Error(`smoke: the programs do not compile:\n${output}`);
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const code = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`smoke: ${command} ${args[0]} ended with ${code}`);
}

/** A package of ours that came from a registry would prove nothing about the tarball. */
function expectOnlyTarballs(consumer: string): void {
  const { packages }: { packages: Record<string, { resolved?: string }> } = JSON.parse(
    readFileSync(join(consumer, "package-lock.json"), "utf8"),
  );
  for (const { manifest } of publicPackages()) {
    const found = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${manifest.name}`));
    const foreign = found.filter(([, { resolved }]) => resolved?.startsWith("file:") !== true);
    if (found.length !== 1 || foreign.length > 0) throw new Error(`smoke: ${manifest.name} was not installed once from its tarball`);
  }
}

function everyExport(): string {
  const specifiers = publicPackages().flatMap(({ manifest }) =>
    exportedPaths(manifest.exports).map((path) => `${manifest.name}${path.slice(1)}`),
  );
  // vitest, and so what registers matchers with it, works in its own runner only: compiled, but not run.
  const isRun = (specifier: string): boolean => !specifier.endsWith("/matchers");
  const lines = specifiers.map(
    (specifier, index) => `import ${isRun(specifier) ? "" : "type "}* as m${index} from ${JSON.stringify(specifier)};`,
  );
  const shown = specifiers.map((specifier, index) =>
    isRun(specifier)
      ? `console.log(${JSON.stringify(specifier)}, Object.keys(m${index}).length, "names");`
      : `export type M${index} = typeof m${index};`,
  );
  return [...lines, ...shown, ""].join("\n");
}

/** The fenced TypeScript programs of README.md: those that import something. */
function readmePrograms(): string[] {
  const readme = join(root, "README.md");
  if (!existsSync(readme)) return [];
  const fences = readFileSync(readme, "utf8").matchAll(/^```ts\b[^\n]*\n(.*?)^```/gms);
  return Array.from(fences, ([, text]) => text ?? "").filter((text) => /^import\b/m.test(text));
}
