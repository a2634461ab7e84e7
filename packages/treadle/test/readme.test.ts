/**
 * The operator of the README as a newcomer gets it: copied out, compiled with strict settings, run as a process against an
 * API server over HTTPS. What the documents quote from the examples stands there.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { type Client, connect, kind, type Ref } from "treadle";
import { ConfigMap, CustomResourceDefinition } from "treadle/kinds";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");
const program = fences("README.md", "ts").find((text) => /^import\b/m.test(text)) ?? "";
const Greeting = kind({ group: "example.com", version: "v1", kind: "Greeting" });

test("the README's operator is complete and short", () => {
  expect(program).toContain('from "treadle"');
  expect(program.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
});

test("it compiles under strict settings", async () => {
  using dir = folder();
  writeFileSync(join(dir.path, "operator.ts"), program);
  const compilerOptions = {
    target: "es2024",
    // What the packages themselves are written for: here they are compiled with the program.
    lib: ["es2024", "esnext.disposable", "esnext.collection"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    customConditions: ["@treadle/source"],
  };
  writeFileSync(join(dir.path, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["operator.ts"] }));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { code, output } = await run(spawn(process.execPath, [tsc, "-p", dir.path, "--pretty", "false"]));
  expect(output).toBe("");
  expect(code).toBe(0);
}, 60_000);

test("it prints its CRD, greets, follows its ConfigMap, and ends well at SIGTERM", async () => {
  using dir = folder();
  const file = join(dir.path, "operator.ts");
  // Any free ports in place of 8080 and 8081, which may be taken where tests run.
  writeFileSync(file, program.replace("createManager()", "createManager({ probes: { port: 0 }, metrics: { port: 0 } })"));
  const server = createApiServer();
  const https = await serveHttps(server);
  const kubeconfig = join(dir.path, "kubeconfig");
  writeFileSync(kubeconfig, https.kubeconfig());
  const user = await connect({ kubeconfig });
  const node = (...args: string[]): ChildProcess =>
    spawn(process.execPath, ["--conditions=@treadle/source", file, ...args], { env: { ...process.env, KUBECONFIG: kubeconfig } });
  const printed = await run(node("crd"));
  expect(printed.code).toBe(0);
  await user.create(CustomResourceDefinition, JSON.parse(printed.output));

  const operator = node();
  const ended = run(operator);
  const died = ended.then(({ code, output }) => Promise.reject(new Error(`the operator ended with ${code}: ${output}`)));
  died.catch(() => undefined); // It is meant to end, at last.
  const ref = { namespace: "default", name: "hi" };
  const until = (isThere: (status: Status) => boolean): Promise<void> => Promise.race([died, arrives(user, ref, isThere)]);
  try {
    await user.create(Greeting, { apiVersion: "example.com/v1", kind: "Greeting", metadata: ref, spec: { nameFrom: "world" } });
    await until(({ conditions }) => conditions?.some(({ type, status }) => type === "NameReady" && status === "False") === true);
    await user.create(ConfigMap, { metadata: { namespace: "default", name: "world" }, data: { name: "world" } });
    await until(({ text }) => text === "Hello, world!");
    await user.patch(ConfigMap, { namespace: "default", name: "world" }, { type: "merge", body: { data: { name: "everybody" } } });
    await until(({ text }) => text === "Hello, everybody!");
  } finally {
    operator.kill("SIGTERM");
  }
  expect(await ended).toMatchObject({ code: 0 });
  await user.close();
  await https.close();
  await server.close();
}, 60_000);

test.for([
  { document: "README.md", sources: ["examples/simple/*.ts"] },
  { document: "docs/getting-started.md", sources: ["examples/simple/*.ts"] },
  { document: "docs/owned-objects.md", sources: ["examples/owned/*.ts"] },
  { document: "docs/dependents.md", sources: ["examples/app/*.ts"] },
])("what $document quotes stands in $sources", ({ document, sources }) => {
  const texts = sources.flatMap((pattern) => globSync(pattern, { cwd: root })).map((path) => readFileSync(join(root, path), "utf8"));
  for (const quoted of fences(document, "typescript").flatMap((text) => text.trimEnd().split(/\n\n/))) {
    // Import lines are a choice of those in the file.
    const lines = quoted.split("\n").filter((line) => !line.startsWith("import "));
    if (lines.length > 0)
      expect(
        texts.some((text) => text.includes(lines.join("\n"))),
        quoted,
      ).toBe(true);
  }
});

interface Status {
  readonly text?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Watches until the status is as wanted. */
async function arrives(client: Client, { namespace, name }: Ref, isThere: (status: Status) => boolean): Promise<void> {
  const ended = new AbortController();
  const events = await client.watch(Greeting, {
    fieldSelector: `metadata.name=${name}`,
    signal: ended.signal,
    ...(namespace ? { namespace } : {}),
  });
  for await (const event of events) {
    if (event.type !== "BOOKMARK" && event.type !== "ERROR" && isThere((event.object["status"] ?? {}) as Status)) break;
  }
  ended.abort();
}

async function run(child: ChildProcess): Promise<{ readonly code: number | null; readonly output: string }> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  const [code] = await once(child, "close");
  return { code: code as number | null, output };
}

/** Inside the package, so that `treadle` and `zod` are found as a program beside it finds them. */
function folder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(import.meta.dirname, ".readme-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function fences(document: string, language: string): string[] {
  const text = readFileSync(join(root, document), "utf8");
  return Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms")), ([, body]) => body ?? "");
}
