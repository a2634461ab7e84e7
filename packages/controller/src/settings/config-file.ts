/** The settings of an inspected manager, for tools that make manifests. */
import type { InspectedManager } from "../inspect-managers.ts";
import { mergeSettings } from "./settings.ts";

/**
 * Returns a manager with the settings of its config file. The environment counts for nothing, because the process of a tool is not that of
 * the operator. A manager without a file is returned as it is.
 *
 * @throws ManagerError ERR_SETTINGS for a file that cannot be read or has invalid settings
 */
export async function withConfigFile(manager: InspectedManager): Promise<InspectedManager> {
  const { handlers, runnables, namespaces, ...options } = manager;
  if (options.configFile === undefined) return manager;
  const given = Object.fromEntries(Object.entries({ namespaces, ...options }).filter(([, value]) => value !== undefined));
  const names = handlers.map(({ name }) => name);
  const { options: merged } = await mergeSettings(given, {}, names);
  return { ...merged, namespaces: merged.namespaces, handlers, runnables };
}
