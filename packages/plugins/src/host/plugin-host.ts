/** pluginHost: the options of an operator's author become a runnable, a source and steps. */
import { type Kind, kindIdOf } from "@treadle/apimachinery";
import { listedReleases } from "../sources/release.ts";
import { pluginStep } from "../step/plugin-step.ts";
import type { GrantedKinds, PluginHost, PluginHostOptions } from "../types.ts";
import { CapabilityInfo } from "./capability-info.ts";
import { Host } from "./host.ts";

/**
 * Makes a host of plugins. Add it to the manager before the handlers that use its steps, and add its `source` to their options.
 *
 * @throws TypeError for options of the wrong form
 */
export function pluginHost(options: PluginHostOptions): PluginHost {
  const { name = "plugins", from, kinds: grants, releases } = options;
  const kinds = grantedKinds(grants);
  const host = new Host(name, [...from, listedReleases(releases)]);
  return {
    name,
    needsLeader: true,
    permissions: [
      { kind: CapabilityInfo, verbs: ["list", "create", "patch", "delete"], because: "CapabilityInfos show the plugins to users" },
      { kind: CapabilityInfo, verbs: ["patch"], subresource: "status" },
    ],
    start: (signal, env) => host.start(signal, env),
    stop: () => host.stop(),
    source: { name, start: (signal, { clock }) => host.looked(signal, clock) },
    step: (primary, step = {}) => pluginStep(primary, step, { host, grants, kinds }),
  };
}

/** Returns all kinds that plugins may give; a set refuses two versions of one. @throws TypeError for kinds that no plugin may give */
function grantedKinds(grants: PluginHostOptions["kinds"]): GrantedKinds {
  const found = new Map<string, Kind>();
  for (const [plugin, kinds] of Object.entries(grants))
    for (const kind of kinds === "any" ? [] : kinds) {
      if (kind.scope === "Cluster")
        throw new TypeError(`pluginHost: kinds["${plugin}"] lists ${kind.kind}: objects of plugins are in the namespace of their owner`);
      found.set(kindIdOf(kind), kind);
    }
  return Object.values(grants).includes("any") ? "any" : [...found.values()];
}
