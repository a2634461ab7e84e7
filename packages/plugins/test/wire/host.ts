/** A host in a process of its own, for tests that kill it: it starts the program of its argument and reports that it runs. */
import { systemClock, systemRandom } from "@treadle/apimachinery";
import { launchPlugin } from "../../src/process/launch.ts";

const nothing = (): void => {};
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const options = { plugin: "wire-test", clock: systemClock, random: systemRandom, log, hide: String };
await launchPlugin(process.argv[2] ?? "", options, new AbortController().signal);
process.send?.("started");
