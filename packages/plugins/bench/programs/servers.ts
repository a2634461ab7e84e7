/** Many servers of plugins in one process: `node servers.ts FOLDER NAME...` serves each name at `FOLDER/NAME.sock`. */
import { join } from "node:path";
import { startServer } from "../../src/author/server.ts";
import { postgres } from "./plugin.ts";

const [folder = "", ...names] = process.argv.slice(2);
for (const name of names) {
  const served = { ...postgres, name, types: [{ ...postgres.types[0], name }] };
  await startServer([served], `unix:${join(folder, `${name}.sock`)}`, { tls: undefined, onShutdown: () => undefined });
}
process.on("disconnect", () => process.exit());
process.send?.("started");
