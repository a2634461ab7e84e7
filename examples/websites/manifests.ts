/** Writes what a cluster needs: `npm run manifests`. With `--check` it fails when the file is not up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rbacManifests } from "@treadle/controller";
import { webhookManifests } from "treadle/webhooks";
import { stringify } from "yaml";
import { websites } from "./controller.ts";
import { server } from "./server.ts";
import { pods, website } from "./webhooks.ts";

const file = join(import.meta.dirname, "manifests/install.yaml");
const manifests = [
  ...rbacManifests([websites], { name: "website-operator", namespace: "ops", runnables: [server] }),
  ...webhookManifests([website, pods], { service: { name: "website-operator", namespace: "ops" } }),
];
const text = manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) throw new Error(`${file} is not up to date: npm run manifests`);
