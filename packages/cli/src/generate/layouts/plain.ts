/** Plain YAML: `kubectl apply -f deploy` applies the CRDs first, because their file has the first name. Pure. */
import { inOrder } from "../parts.ts";
import { documentsOf } from "../yaml.ts";
import { headed, type Layout, type LayoutInput } from "./layout.ts";

/** Returns the files. Those of monitoring are in a folder of their own, because many clusters do not have its kinds. */
export function plainLayout({ parts, source }: LayoutInput): Layout {
  const { crds, monitoring } = parts;
  const rest = inOrder({ ...parts, crds: [] }, { withMonitoring: false });
  const files = {
    "crds.yaml": documentsOf(crds),
    "operator.yaml": documentsOf(rest),
    "monitoring/monitoring.yaml": documentsOf(monitoring),
  };
  return { generated: headed(files, source), once: new Map() };
}
