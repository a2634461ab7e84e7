/** A program of its own: compiles scripts in full, and writes what V8 keeps of them. `node --random-seed=1 compile.ts FOLDER TO` */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { RUNTIME_FLAGS } from "../launcher/flags.ts";

const [folder = "", to = ""] = process.argv.slice(2);
for (const flag of RUNTIME_FLAGS) setFlagsFromString(flag);
mkdirSync(to, { recursive: true });
for (const file of readdirSync(folder)) {
  // Functions that have not run would be left out. The program cannot run here: it would need its cluster.
  setFlagsFromString("--no-lazy");
  const script = new Script(readFileSync(join(folder, file), "latin1"), { filename: file });
  setFlagsFromString("--lazy");
  writeFileSync(join(to, `${file}.code`), script.createCachedData());
}
