/** The flags of every command that talks to a cluster, with the names and meanings of kubectl. */
import type { FlagDeclaration } from "./command.ts";

export const CONNECTION_FLAGS: readonly FlagDeclaration[] = [
  { flags: "-n, --namespace <name>", description: "namespace (default: that of the context)" },
  { flags: "--context <name>", description: "context of the kubeconfig" },
  { flags: "--kubeconfig <file>", description: "kubeconfig file (default: KUBECONFIG, then the places of kubectl)" },
  { flags: "-s, --server <url>", description: "address of the API server, instead of that of the context" },
  { flags: "--as <user>", description: "user to act as" },
  { flags: "--as-group <group>", description: "group to act as; may be repeated", isRepeatable: true },
  { flags: "--as-uid <uid>", description: "uid to act as" },
];
