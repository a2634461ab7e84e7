/** `npm run pack -- DIR`: builds all public packages afresh and writes one tarball each to DIR (default `tarballs`, relative to the caller). */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { packAll } from "./tarballs.ts";
import { root } from "./workspaces.ts";

// npm starts scripts in the root and tells where it was called.
const dir = resolve(process.env["INIT_CWD"] ?? root, process.argv[2] ?? "tarballs");
mkdirSync(dir, { recursive: true });
for (const tarball of await packAll(dir)) console.log(tarball);
