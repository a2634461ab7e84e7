/**
 * Builds `dist/<name>`, one executable file, and an archive of it for each OS and architecture, as `release()` loads them. The file is a
 * bundle for the `node` of PATH, so all archives have the same content. The operator has Node already, and keeps it up to date.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import { build } from "rolldown";

const PLATFORMS = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"];
const { name } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as { name: string };
const dist = join(import.meta.dirname, "dist");
const file = join(dist, name);

// A bundle has no files beside it: the protocol goes into it.
const proto = join(dirname(fileURLToPath(import.meta.resolve("@treadle/plugins/author"))), "../../proto");
const root = new protobuf.Root();
root.loadSync(["treadle/capability/v1.proto", "grpc/health/v1/health.proto", "plugin/plugin.proto"].map((each) => join(proto, each)));

rmSync(dist, { recursive: true, force: true });
await build({
  input: join(import.meta.dirname, "plugin.ts"),
  platform: "node",
  transform: { define: { TREADLE_PLUGIN_PROTOS: JSON.stringify(root.toJSON()) } },
  // Operators in this repository resolve its sources; it changes nothing for others.
  resolve: { conditionNames: process.execArgv.some((each) => each.includes("@treadle/source")) ? ["@treadle/source"] : [] },
  output: { file, format: "esm", codeSplitting: false, minify: true, banner: "#!/usr/bin/env node" },
});
chmodSync(file, 0o755);

const sums = PLATFORMS.map((platform) => {
  const archive = `${name}_${platform}.tar.gz`;
  execFileSync("tar", ["-czf", join(dist, archive), "-C", dist, name]);
  return `${createHash("sha256")
    .update(readFileSync(join(dist, archive)))
    .digest("hex")}  ${archive}\n`;
});
writeFileSync(join(dist, "SHA256SUMS"), sums.join(""));
