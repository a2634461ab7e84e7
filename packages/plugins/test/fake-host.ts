/** A host that a test kills: it starts the program of its argument and reports the folder of the plugin. */
import { readlinkSync } from "node:fs";
import { systemClock, systemRandom } from "@treadle/apimachinery";
import { launchPlugin } from "../src/process/launch.ts";

const [file = ""] = process.argv.slice(2);
const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const options = { plugin: "fixture", clock: systemClock, random: systemRandom, log };
const connection = await launchPlugin(file, options, new AbortController().signal);
const { version } = await connection.describe(new AbortController().signal);
process.send?.(readlinkSync(`/proc/${version}/cwd`));
