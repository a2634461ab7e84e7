/** V8's code of scripts, by which a start needs no compilation. It is of use to the same version of Node on the same processor. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL(`./compile${extname(import.meta.url)}`, import.meta.url));

/** Compiles scripts by the Node that runs this. @returns the files by their path in the output */
export function codeOf(scripts: ReadonlyMap<string, string>): ReadonlyMap<string, Uint8Array> {
  const dir = mkdtempSync(join(tmpdir(), "treadle-build-"));
  const [from, to] = [join(dir, "scripts"), join(dir, "code")];
  try {
    mkdirSync(from);
    for (const [name, text] of scripts) writeFileSync(join(from, name), text);
    // A fixed seed gives the same bytes each time, and V8 accepts them under any seed.
    const { NODE_OPTIONS: _, ...env } = process.env;
    execFileSync(process.execPath, ["--random-seed=1", program, from, to], { env, stdio: ["ignore", "ignore", "inherit"] });
    return new Map(readdirSync(to).map((name) => [`code/${process.version}-${process.arch}/${name}`, readFileSync(join(to, name))]));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
