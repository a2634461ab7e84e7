/**
 * The second half of a package's build. `tsc` has written the declarations; this writes the code: one file for each entry of `exports`, and
 * one for each part that is shared or loaded later. Node reads a few files in place of a hundred. Importing the facade takes 190 ms in place
 * of 310, and 8 MB less (docs/benchmarks.md, Causes).
 *
 * It runs in the folder of the package. A package that names files of its own by `import.meta.url` cannot be bundled so.
 */
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

interface Manifest {
  readonly name: string;
  /** Of each entry, by condition. `@treadle/source` is its source. */
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const dir = process.cwd();
const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Manifest; // package.json of ours

const build = await rolldown({
  cwd: dir,
  input: entries(manifest),
  platform: "node",
  // Packages stay packages: each exists once in a program, also where several packages use it.
  external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  transform: { target: "es2024" },
  onLog(level, log) {
    if (level === "warn") throw new Error(`${manifest.name}: ${log.message}`);
  },
});
// Of an earlier build: names of shared parts change with what is in them.
for (const file of globSync("dist/**/*.js{,.map}", { cwd: dir })) rmSync(join(dir, file));
await build.write({
  dir: join(dir, "dist"),
  format: "es",
  chunkFileNames: "[name]-[hash].js",
  sourcemap: true,
  // The sources are in the tarball.
  sourcemapExcludeSources: true,
});
await build.close();

/** The source of each entry by its place in `dist`, without extension. */
function entries({ name, exports }: Manifest): Record<string, string> {
  const sources = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry["@treadle/source"] ?? ""]));
  const input = Object.fromEntries(sources.map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ""), source]));
  if (sources.length === 0 || sources.includes("")) throw new Error(`${name}: each entry of exports needs the condition "@treadle/source"`);
  return input;
}
