/** Plugins as files: each is one bundle, as the template of a plugin builds it. */
import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import protobuf from "protobufjs";
import { build } from "rolldown";

/** A folder of plugins, which is removed at the end. */
export interface PluginFiles extends AsyncDisposable {
  /** Path of the folder. */
  readonly folder: string;
}

const PROTO = new URL("../../proto/", import.meta.url).pathname;

/** Builds the plugin of the measurements, and copies it under each of the names. */
export async function pluginFiles(names: readonly string[]): Promise<PluginFiles> {
  const folder = await mkdtemp(join(tmpdir(), "treadle-bench-"));
  const root = new protobuf.Root();
  root.loadSync(["treadle/capability/v1.proto", "grpc/health/v1/health.proto", "plugin/plugin.proto"].map((file) => join(PROTO, file)));
  const bundle = join(folder, ".bundle");
  await build({
    input: new URL("../programs/plugin.ts", import.meta.url).pathname,
    platform: "node",
    transform: { define: { TREADLE_PLUGIN_PROTOS: JSON.stringify(root.toJSON()) } },
    resolve: { conditionNames: ["@treadle/source"] },
    output: { file: bundle, format: "esm", codeSplitting: false, minify: true, banner: `#!${process.execPath}` },
    logLevel: "silent",
  });
  await chmod(bundle, 0o755);
  for (const name of names) await copyFile(bundle, join(folder, name));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
