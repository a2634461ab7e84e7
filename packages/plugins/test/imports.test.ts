/** What a program loads: the libraries of plugins are loaded with the first plugin. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Returns the URLs of the modules that the code loads. */
function loadedBy(code: string): readonly string[] {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    ${code}
    console.log(JSON.stringify(loaded));`;
  const args = ["--conditions=@treadle/source", "--input-type=module", "-e", script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname }));
}

const LIBRARIES = /@grpc|protobufjs|@peculiar|reflect-metadata|tar-stream/;

test("a host with sources that has no plugin yet loads no library of plugins", () => {
  const loaded = loadedBy(`
    const { address, folder, pluginHost, release, socket } = await import("@treadle/plugins");
    const sources = [folder("./plugins"), socket("/plugins/a.sock"), address("localhost:9000", { name: "b" })];
    pluginHost({ from: [...sources, release("a/b@v1", { sha256: { "linux-amd64": "${"0".repeat(64)}" } })], kinds: {} });`);
  expect(loaded.some((url) => url.includes("plugin-host"))).toBe(true);
  expect(loaded.filter((url) => LIBRARIES.test(url))).toEqual([]);
});

test("the author package loads neither engine nor client, and gRPC only in a plugin that serves", () => {
  const loaded = loadedBy(`await import("@treadle/plugins/author");`);
  expect(loaded.some((url) => url.includes("capability"))).toBe(true);
  const packages = new Set(loaded.flatMap((url) => /packages\/([^/]+)\/src/.exec(url)?.[1] ?? []));
  expect([...packages].toSorted()).toEqual(["apimachinery", "plugins"]);
  expect(loaded.filter((url) => LIBRARIES.test(url))).toEqual([]);
});

test("the first plugin loads gRPC and certificates", () => {
  const loaded = loadedBy(`
    await (await import("${new URL("../src/wire/protos.ts", import.meta.url).href}")).loadProtos();
    await (await import("${new URL("../src/wire/certificate.ts", import.meta.url).href}")).newCertificate();`);
  for (const library of ["@grpc/proto-loader", "@peculiar/x509"]) expect(loaded.some((url) => url.includes(library))).toBe(true);
});
