/**
 * The part of `npm run smoke` that builds examples for production by `treadle-build`, from the tarballs. Each built program is moved to a
 * folder with nothing else, is made read-only, and is started by Node alone from another folder. The server is `treadle-apiserver`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { capture } from "./run.ts";
import { root } from "./workspaces.ts";

interface Story {
  readonly example: string;
  /** What it shows. */
  readonly about: string;
  /** The modules that export its kinds. */
  readonly kinds: readonly string[];
  /** Its manifests, in place of the CRDs of its kinds. */
  readonly manifests?: string;
  /** An object to create. Without one, the story is what the operator does at its start. */
  readonly object?: { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown };
  /** The path of an object that the operator makes, and what must be in it. */
  readonly until: readonly [path: string, text: string];
  /** Done before the build, in the folder of the program. */
  readonly prepare?: (dir: string, consumer: string) => Promise<void>;
}

const named = { metadata: { name: "a", namespace: "default" } };
const READY = '"type":"Ready","status":"True"';

const STORIES: readonly Story[] = [
  {
    example: "simple",
    about: "two steps",
    kinds: ["./simple.ts"],
    object: { apiVersion: "examples.treadle.dev/v1beta1", kind: "Simple", ...named, spec: { dividend: 17, divisor: 5 } },
    until: ["/apis/examples.treadle.dev/v1beta1/namespaces/default/simples/a", READY],
  },
  {
    example: "fleet",
    about: "a folder of manifests",
    kinds: ["./fleet.ts"],
    object: { apiVersion: "examples.treadle.dev/v1", kind: "Fleet", ...named, spec: {} },
    until: ["/apis/examples.treadle.dev/v1/namespaces/default/fleets/a", '"type":"Ready"'],
  },
  {
    example: "redis",
    about: "a chart",
    kinds: ["./redis.ts"],
    object: { apiVersion: "examples.treadle.dev/v1", kind: "Redis", ...named, spec: { passwordSecret: "redis" } },
    // The chart was read at the start. Helm may not be installed, and the Secret does not exist.
    until: ["/apis/examples.treadle.dev/v1/namespaces/default/redises/a", '"type":"Ready"'],
  },
  {
    example: "websites",
    about: "webhooks and their certificates",
    kinds: [],
    manifests: "manifests/install.yaml",
    // The server in memory cannot reach the Service of the webhooks, so it would refuse each Website.
    until: ["/api/v1/namespaces/ops/secrets", '"tls.crt"'],
  },
  {
    example: "capabilities",
    about: "a plugin in a process of its own",
    kinds: ["./capability.ts", "./component.ts", "treadle/plugins"],
    object: {
      apiVersion: "examples.treadle.dev/v1",
      kind: "Capability",
      ...named,
      spec: { category: "database", type: "postgresql", version: "17" },
    },
    until: ["/apis/apps/v1/namespaces/default/statefulsets", "postgres:17"],
    prepare: buildPlugin,
  },
];

/** Builds and runs the examples. `consumer` has the tarballs. @throws Error that names the example and has its output */
export async function smokeBuilt(consumer: string): Promise<void> {
  for (const story of STORIES) {
    const startedMs = performance.now();
    const dir = join(consumer, story.example);
    const source = join(root, "examples", story.example);
    cpSync(source, dir, {
      recursive: true,
      // Without what a build of the workspace left there.
      filter: (path) => !/node_modules|[/\\]dist$|\.test\.ts$|tsconfig\.json$|plugin-template|go-plugin/.test(path),
    });
    await story.prepare?.(dir, consumer);
    await build(consumer, dir, "main.ts");
    await runs(consumer, dir, story);
    console.log(`smoke: built and ran ${story.example} (${story.about}) in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  }
}

async function build(consumer: string, dir: string, entry: string, out = "dist"): Promise<void> {
  const program = join(consumer, "node_modules", ".bin", "treadle-build");
  const { code, output } = await capture(program, [entry, "--out", out], { cwd: dir });
  if (code !== 0) throw new Error(`smoke: treadle-build ${basename(dir)}/${entry} ended with ${code}:\n${output}`);
  console.log(output.trim());
}

/** The plugin is built as well, and its folder holds what starts it. */
async function buildPlugin(dir: string, consumer: string): Promise<void> {
  await build(consumer, dir, "typescript/kube-postgres.ts", "plugin");
  mkdirSync(join(dir, "plugins"));
  const file = join(dir, "plugins", "kube-postgres");
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${join(dir, "plugin", "kube-postgres.mjs")}'\n`);
  chmodSync(file, 0o755);
}

async function runs(consumer: string, dir: string, { example, kinds, manifests, object, until: [path, text] }: Story): Promise<void> {
  const away = mkdtempSync(join(tmpdir(), "treadle-built-"));
  const started: ChildProcess[] = [];
  const start = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
    const child = spawn(command, args, { cwd: join(away, "elsewhere"), env, stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    return child;
  };
  try {
    for (const each of ["elsewhere", "crds", "home"]) mkdirSync(join(away, each));
    renameSync(join(dir, "dist"), join(away, "app"));
    await capture("chmod", ["-R", "a-w", join(away, "app")]);
    const items = [...(await crdsOf(dir, kinds)), ...(manifests === undefined ? [] : [OPS])];
    writeFileSync(join(away, "crds", "crds.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    if (manifests !== undefined) cpSync(join(dir, manifests), join(away, "crds", basename(manifests)));
    const kubeconfig = join(away, "kubeconfig");
    const server = start(
      join(consumer, "node_modules", ".bin", "treadle-apiserver"),
      ["--kubeconfig", kubeconfig, "--crds", join(away, "crds")],
      process.env,
    );
    if (server.stdout !== null) for await (const line of createInterface({ input: server.stdout })) if (line.includes("ready at")) break;
    if (!existsSync(kubeconfig)) throw new Error(`smoke: treadle-apiserver did not start for ${example}`);
    // No PATH to a node_modules, and no HOME with a kubeconfig.
    const env = {
      PATH: "/usr/bin:/bin",
      HOME: join(away, "home"),
      KUBECONFIG: kubeconfig,
      TREADLE_PROBES_PORT: "0",
      TREADLE_METRICS_PORT: "0",
    };
    const operator = start(process.execPath, [join(away, "app", "main.mjs")], env);
    let log = "";
    for (const stream of [operator.stdout, operator.stderr]) stream?.setEncoding("utf8").on("data", (part: string) => (log += part));
    await expectStory(consumer, { kubeconfig, object, path, text }).catch((error: unknown) => {
      throw new Error(`smoke: ${example} as built: ${String(error)}\n${log}`);
    });
    operator.kill("SIGTERM");
    const [code] = operator.exitCode === null ? await once(operator, "exit") : [operator.exitCode];
    if (code !== 0) throw new Error(`smoke: ${example} as built ended with ${code}:\n${log}`);
  } finally {
    for (const child of started) if (child.exitCode === null) child.kill("SIGTERM");
    await Promise.all(
      started.map(async (child) => (child.exitCode === null && child.signalCode === null ? await once(child, "exit") : undefined)),
    );
    await capture("chmod", ["-R", "u+w", away]);
    rmSync(away, { recursive: true, force: true });
  }
}

const OPS = { apiVersion: "v1", kind: "Namespace", metadata: { name: "ops" } };

/** The CRDs of the kinds that modules export. */
async function crdsOf(dir: string, modules: readonly string[]): Promise<readonly object[]> {
  const script = `import { crdOf } from "treadle";
    for (const name of ${JSON.stringify(modules)})
      for (const each of Object.values(await import(name)))
        if (each?.plural !== undefined && each.schemas !== undefined || each?.versions !== undefined || each?.kind !== undefined) try { console.log(JSON.stringify(crdOf(each))); } catch {}`;
  writeFileSync(join(dir, "crds.mjs"), script);
  const { output } = await capture(process.execPath, ["--no-warnings", "crds.mjs"], { cwd: dir });
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as object);
}

interface Expected {
  readonly kubeconfig: string;
  readonly object: object | undefined;
  readonly path: string;
  readonly text: string;
}

/** Creates the object and waits for what the operator makes of it, with the client of the tarballs. */
async function expectStory(consumer: string, expected: Expected): Promise<void> {
  const script = `import { connect } from "treadle";
    import { setTimeout as sleep } from "node:timers/promises";
    const { kubeconfig, object, path, text } = ${JSON.stringify(expected)};
    const client = await connect({ kubeconfig, fieldManager: "smoke" });
    if (object !== undefined) {
      const [group, version] = object.apiVersion.split("/");
      const kinds = JSON.parse((await client.raw({ method: "GET", path: \`/apis/\${group}/\${version}\` })).body).resources;
      const { name } = kinds.find((each) => each.kind === object.kind);
      const headers = { "content-type": "application/json" };
      await client.raw({ method: "POST", path: \`/apis/\${group}/\${version}/namespaces/default/\${name}\`, headers, body: JSON.stringify(object) });
    }
    let found = "";
    for (const deadline = Date.now() + 60_000; !found.includes(text); await sleep(100)) {
      found = await client.raw({ method: "GET", path }).then(({ body }) => body, String);
      if (Date.now() > deadline) { console.log(\`no \${text} in \${found}\`); process.exit(1); }
    }
    process.exit(0);`;
  const file = join(consumer, "story.mjs");
  writeFileSync(file, script);
  const { code, output } = await capture(process.execPath, ["--no-warnings", file], { cwd: consumer });
  if (code !== 0) throw new Error(output);
}
