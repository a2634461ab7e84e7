/**
 * A host that a test kills: it starts the program of its first argument and reports the folder of the plugin. With the second argument
 * `plan` it then calls it, and with `block` it answers no event after that.
 */
import { readlinkSync } from "node:fs";
import { systemClock, systemRandom } from "@treadle/apimachinery";
import { launchPlugin } from "../src/process/launch.ts";

const [file = "", call = ""] = process.argv.slice(2);
const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const options = { plugin: "fixture", clock: systemClock, random: systemRandom, log, hide: String };
const connection = await launchPlugin(file, options, new AbortController().signal);
const { version } = await connection.describe(new AbortController().signal);
process.send?.(readlinkSync(`/proc/${version}/cwd`));
const owner = { apiVersion: "example.com/v1", kind: "Capability", metadata: { name: "db", namespace: "default" } };
if (call !== "") await connection.plan({ type: "postgresql", version: "", owner, parameters: {}, live: [] }, new AbortController().signal);
if (call === "block") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
