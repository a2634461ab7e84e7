/**
 * Writes what a real server says to the objects of `scenarios/validation.ts`, for `validation.test.ts`.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/conformance/record-validation.ts
 */
import { writeFileSync } from "node:fs";
import { realServer } from "./real-server.ts";
import { validation } from "./scenarios/validation.ts";
import { verdicts } from "./verdicts.ts";

const real = realServer(process.env["KUBECONFIG"] ?? "");
const lines = await verdicts(validation, real, Date.now().toString(36));
writeFileSync(new URL("../fixtures/validation.jsonl", import.meta.url), `${lines.join("\n")}\n`);
console.log(`${lines.length} answers`);
await real.close();
