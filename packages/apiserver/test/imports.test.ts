/** What a program loads: parsers and protocols that it does not use cost it neither time nor memory. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Returns the URLs of the modules that a server loads for an apply with this body, over HTTP. */
function loadedFor(body: string): readonly string[] {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { createApiServer, serveHttp } = await import("${new URL("../src/index.ts", import.meta.url).href}");
    const server = createApiServer();
    const front = await serveHttp(server);
    const headers = { "content-type": "application/apply-patch+yaml" };
    const path = "/api/v1/namespaces/default/configmaps/a?fieldManager=me";
    const { status } = await fetch(front.url + path, { method: "PATCH", headers, body: ${JSON.stringify(body)} });
    await front.close();
    await server.close();
    console.log(JSON.stringify([String(status), ...loaded]));`;
  const args = ["--conditions=@treadle/source", "--input-type=module", "-e", script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname }));
}

const LIBRARIES = /node_modules\/(?:yaml|ws|@peculiar)\//;

test("an apply in JSON over HTTP loads neither YAML nor WebSockets nor certificates", () => {
  const loaded = loadedFor(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }));
  expect(loaded[0]).toBe("201");
  expect(loaded.filter((url) => LIBRARIES.test(url))).toEqual([]);
});

test("an apply in YAML loads YAML", () => {
  const loaded = loadedFor("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n");
  expect(loaded[0]).toBe("201");
  expect(loaded.some((url) => /node_modules\/yaml\//.test(url))).toBe(true);
});
