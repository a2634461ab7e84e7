/**
 * Runs a task of this workspace on a machine that has nothing but Node 20 and npm: `node tools/bootstrap.mjs <task> [arguments]`.
 *
 * Installs the locked dependencies when they are missing or older than the lockfile, then runs the task with the Node of the
 * npm package `node` (24) and the pnpm of package.json's `packageManager` first on PATH. Nothing is installed globally.
 *
 * Plain JavaScript, because the Node that starts it may be too old to run TypeScript; no dependencies, because there are none yet.
 * Not for logic of a task: that belongs into `tools/src/`.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = "--conditions=@treadle/source";
const WINDOWS = process.platform === "win32";

/** What each task gives to Node; the arguments of the command line follow. */
const TASKS = {
  setup: { about: "install what is missing, nothing else", node: undefined },
  demo: {
    about: "operators at work against an in-memory API server (-- --keep leaves it up)",
    node: [SOURCE, "examples/demo/demo.ts"],
  },
  cluster: {
    about: "an in-memory API server for kubectl (-- --port N --kubeconfig FILE [--manifests DIR])",
    node: [SOURCE, "packages/apiserver/scripts/cluster.ts"],
  },
  test: {
    about: "the tests of all workspaces, with a random part of the long ones (-- --filter=NAME for one)",
    node: ["tools/src/test.ts"],
  },
  "test:long": { about: "the long tests, in full", node: ["tools/src/test.ts", "--long"] },
  "test:e2e": {
    about: "stories, examples and the comparisons of both servers on a real control plane (-- --only NAME for one part)",
    node: [SOURCE, "tools/e2e/main.ts"],
  },
  peers: {
    about: "suites of others before the in-memory server and a real one (-- informer, controller-runtime, e2e)",
    node: [SOURCE, "tools/peers/main.ts"],
  },
  controlplane: {
    about: "a real control plane, built where there is none (-- up --kubeconfig FILE; -- build)",
    node: ["tools/controlplane/main.ts"],
  },
  programs: { about: "Helm and Kustomize, built where they are missing (-- --env for a shell)", node: ["tools/programs/main.ts"] },
  "test:programs": {
    about: "the tests of Helm and Kustomize as programs (-- TEXT for the files whose path contains it)",
    node: [SOURCE, "tools/programs/test.ts"],
  },
  check: {
    about: "build, types, lint, format, imports, API reports, tarballs and more (-- NAME for one of them)",
    node: ["tools/src/check.ts"],
  },
  pack: { about: "tarballs of all public packages (-- DIR)", node: ["tools/src/pack.ts"] },
  soak: {
    about: "10,000 scripts of managed resources, then an operator behind random faults for hours (-- --hours N [--kubeconfig FILE])",
    node: [SOURCE, "tools/faults/soak.ts"],
  },
  smoke: { about: "installs the tarballs in an empty folder, compiles and runs programs on them", node: ["tools/src/smoke.ts"] },
  bench: {
    about: "the benchmarks (-- NAME for those whose path contains it; -- compare OLD for two commits)",
    node: [SOURCE, "--expose-gc", "tools/src/bench.ts"],
  },
};

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const nodeBin = join(root, "node_modules", "node", "bin");
/** Where the pnpm lies that npm fetched for us; gone with node_modules. */
const pnpmRecord = join(root, "node_modules", ".treadle-pnpm");

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`treadle: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function main([name, ...rest]) {
  // Started by ourselves through `npm exec` (see install): the fetched pnpm is on PATH.
  if (name === "--with-pnpm") return await withPnpm(rest);
  const task = Object.hasOwn(TASKS, name ?? "") ? TASKS[name] : undefined;
  if (task === undefined) {
    const list = Object.entries(TASKS).map(([key, { about }]) => `  ${key.padEnd(6)} ${about}`);
    throw new Error(`${name === undefined ? "no task given" : `there is no task "${name}"`}. Tasks:\n${list.join("\n")}`);
  }
  if (!isInstalled()) await install();
  if (task.node === undefined) return 0;
  const program = task.node.find((argument) => argument.endsWith(".ts"));
  if (!existsSync(join(root, program))) throw new Error(`cannot run ${name}: ${program} does not exist`);
  const node = join(nodeBin, WINDOWS ? "node.exe" : "node");
  return await run(node, [...task.node, ...rest], { ...process.env, ...taskPath() });
}

/** pnpm copies the lockfile that it installed from: byte-equal means nothing to do. Content, not dates: a checkout sets dates as it likes. */
function isInstalled() {
  const installed = join(root, "node_modules", ".pnpm", "lock.yaml");
  if (!existsSync(installed) || pnpmDir() === undefined) return false;
  if (!existsSync(join(nodeBin, WINDOWS ? "node.exe" : "node"))) return false;
  return readFileSync(installed).equals(readFileSync(join(root, "pnpm-lock.yaml")));
}

/** The recorded folder of our pnpm, or undefined when npm's cache has been cleaned since. */
function pnpmDir() {
  if (!existsSync(pnpmRecord)) return undefined;
  const [version, dir] = readFileSync(pnpmRecord, "utf8").split("\n");
  return version === pnpmSpec() && dir !== undefined && existsSync(join(dir, WINDOWS ? "pnpm.cmd" : "pnpm")) ? dir : undefined;
}

function pnpmSpec() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager;
}

/**
 * Lets npm fetch pnpm and installs with it.
 * @throws when that failed, with what to look at.
 */
async function install() {
  console.error("treadle: installing the locked dependencies (only now and after the lockfile changed)");
  const started = Date.now();
  const [command, ...prefix] = npmCommand();
  const self = fileURLToPath(import.meta.url);
  const args = [...prefix, "exec", "--yes", `--package=${pnpmSpec()}`, "--", "node", self, "--with-pnpm"];
  const code = await run(command, args, installEnvironment());
  if (code !== 0) {
    throw new Error(
      `the dependencies could not be installed (exit code ${code}, the reason stands above).\n` +
        `  - registry${registry()} not reached: \`npm ping\` tells; behind a proxy set HTTPS_PROXY or npm's \`proxy\`, behind a mirror its \`registry\`\n` +
        `  - lockfile not up to date (a package.json was changed): \`npx ${pnpmSpec()} install\`, and commit pnpm-lock.yaml\n` +
        "  Nothing is half done: the next call starts over.",
    );
  }
  if (!isInstalled()) {
    throw new Error(
      "the installation ended well, but node_modules/node holds no Node 24 or node_modules/.pnpm/lock.yaml differs from pnpm-lock.yaml.\n" +
        "  Remove node_modules and try again; a platform for which the npm package `node` has no binary is not supported.",
    );
  }
  console.error(`treadle: installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** The inner half of install(). `--force` of the second try makes pnpm run an install script again that was interrupted. */
async function withPnpm(extra) {
  const dir = process.env.PATH?.split(delimiter).find((each) => existsSync(join(each, WINDOWS ? "pnpm.cmd" : "pnpm")));
  if (dir === undefined) throw new Error(`npm fetched ${pnpmSpec()}, but it is not on PATH`);
  const args = ["install", "--frozen-lockfile", "--prod=false", "--config.confirm-modules-purge=false", ...extra];
  // A .cmd file starts only through a shell; none of these arguments needs quoting.
  const started = () => run(WINDOWS ? "pnpm" : join(dir, "pnpm"), args, process.env, WINDOWS);
  const code = await started();
  if (code !== 0) return code;
  if (!existsSync(join(nodeBin, WINDOWS ? "node.exe" : "node"))) {
    args.push("--force");
    const again = await started();
    if (again !== 0) return again;
  }
  writeFileSync(pnpmRecord, `${pnpmSpec()}\n${dir}\n`);
  return 0;
}

/** npm as a program and its first arguments: its script where we find it, since Node refuses to start npm.cmd directly. */
function npmCommand() {
  const home = dirname(process.execPath);
  const candidates = [
    /npm-cli\.[cm]?js$/.test(process.env.npm_execpath ?? "") ? process.env.npm_execpath : undefined,
    join(home, "node_modules", "npm", "bin", "npm-cli.js"),
    join(home, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(home, "..", "share", "nodejs", "npm", "bin", "npm-cli.js"),
  ];
  const script = candidates.find((each) => each !== undefined && existsSync(each));
  if (script !== undefined) return [process.execPath, script];
  if (WINDOWS) throw new Error("npm was not found beside node.exe: start the task by `npm run`");
  return ["npm"];
}

/**
 * The environment without what `npm run` and a CI put there about this very call: a nested npm would take them for its own
 * settings. Registry, proxy and certificate settings stay.
 */
function installEnvironment() {
  const env = { ...process.env };
  for (const key of Object.keys(env)) {
    const isSetting = /^npm_config_/i.test(key);
    const isForInstall =
      /^npm_config_(.*registry|.*proxy|no_?proxy|cafile|ca|cert|key|strict_ssl|userconfig|globalconfig|cache|fetch_.*|_?auth.*|.*:_.*)$/i.test(
        key,
      );
    if (isSetting ? !isForInstall : /^npm_(package|lifecycle|command)/i.test(key)) delete env[key];
  }
  // pnpm leaves devDependencies out in production.
  delete env.NODE_ENV;
  return env;
}

/** The registry if the environment names one, without credentials. */
function registry() {
  try {
    const { origin } = new URL(process.env.npm_config_registry ?? "");
    return ` ${origin}`;
  } catch {
    return "";
  }
}

/** PATH for the task. On Windows the variable may be spelled `Path`, and only one spelling may be left. */
function taskPath() {
  const key = Object.keys(process.env).find((each) => each.toUpperCase() === "PATH") ?? "PATH";
  const dirs = [nodeBin, join(root, "node_modules", ".bin"), pnpmDir(), process.env[key]];
  return { [key]: dirs.filter((each) => each !== undefined && each !== "").join(delimiter) };
}

/**
 * Runs a program in the workspace root and resolves to its exit code; one that a signal ended ends us by the same signal.
 *
 * Ctrl-C in a terminal reaches the program by itself (same process group), so it is not passed on there: a second one means
 * "at once" to a program that stops in good order. Other signals, and SIGINT without a terminal, reach only us.
 */
function run(command, args, env, shell = false) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: root, env, stdio: "inherit", shell });
    const handlers = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
      const pass = () => {
        if (signal !== "SIGINT" || !(WINDOWS || process.stdin.isTTY)) child.kill(signal);
      };
      process.on(signal, pass);
      return () => process.off(signal, pass);
    });
    const orphaned = watchParent(() => child.kill("SIGTERM"));
    const end = (settle) => {
      clearInterval(orphaned);
      for (const off of handlers) off();
      settle();
    };
    child.once("error", (error) => end(() => fail(new Error(`cannot start ${command}: ${error.message}`))));
    child.once("exit", (code, signal) =>
      end(() => {
        if (signal !== null && !WINDOWS) process.kill(process.pid, signal);
        done(code ?? 128 + (constants.signals[signal] ?? 0));
      }),
    );
  });
}

/** A signal sent to npm alone ends only the shell between npm and us: without this the program would stay, with nobody to stop it. */
function watchParent(onGone) {
  if (WINDOWS || process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, 500);
  return timer.unref();
}
