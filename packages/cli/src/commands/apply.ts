import type { ApplyFlags } from "../release/desired.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";
import { NAME, RENDER_FLAGS, SOURCES, WAIT_FLAGS, WRITE_FLAGS } from "./release-flags.ts";

/** `treadle apply`. */
export const apply: CommandDeclaration = {
  name: "apply",
  summary: "apply manifests, charts or kustomizations as one release",
  description:
    "Applies all objects of the sources as a release: wave by wave, with readiness, and removes objects that are no longer in the sources. " +
    "Before the first write it asks the server about each object, and changes nothing if one would be refused. It ends with 1 if objects do " +
    "not become ready. A run that was interrupted is finished by the next one.",
  argument: [NAME, SOURCES],
  flags: [...RENDER_FLAGS, ...WRITE_FLAGS, ...WAIT_FLAGS, { flags: "--dry-run", description: "only show what would change" }, OUTPUT],
  isOnCluster: true,
  examples: [
    { line: "apply shop ./deploy", does: "all YAML files of a folder" },
    { line: "apply redis ./chart -f values.yaml --set replicas=3 -n data --create-namespace", does: "a Helm chart" },
    { line: "apply shop ./overlays/prod --timeout 5m", does: "a kustomization" },
    { line: "apply shop - --dry-run < all.yaml", does: "what would change?" },
  ],
  run: async (words, flags, terminal) => (await import("../release/apply.ts")).runApply(words, flags as ApplyFlags, terminal),
};
