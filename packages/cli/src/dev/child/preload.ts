/**
 * Loaded before the program in the process of the operator (`node --import`). It reports what the program loads and does to
 * `treadle dev`, and ends the process with it. The program's own code and arguments stay as they are.
 */
import { pathToFileURL } from "node:url";
import { realpathSync } from "node:fs";
import type { OperatorSettings } from "../messages.ts";
import { channel } from "./channel.ts";
import { reportFailures } from "./failures.ts";
import { DevHost } from "./dev-host.ts";
import { endWithChannel, startGuard } from "./end.ts";
import { runExported } from "./exported.ts";
import { watchModules } from "./modules.ts";
import { hostManagers } from "@treadle/controller/unstable/host";

const { searchParams } = new URL(import.meta.url);
const settings: OperatorSettings = {
  isOwnCluster: searchParams.get("cluster") === "own",
  webhookHost: searchParams.get("webhooks") ?? "",
};
// Processes that the program forks are no operators.
process.execArgv = process.execArgv.filter((flag) => !flag.includes(import.meta.url));

startGuard(settings);
const parent = channel();
const host = new DevHost(parent, settings);
await host.reservePorts();
hostManagers(host);
reportFailures(parent);
endWithChannel(parent, host, settings);
const main = pathToFileURL(realpathSync(process.argv[1] ?? "")).href;
watchModules(parent, { main, onMain: () => runExported(parent, host, main) });
