import type { GenerateFlags } from "../generate/run.ts";
import type { TypesFlags } from "../generate-types/run.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";

/** `treadle generate types`. */
const types: CommandDeclaration = {
  name: "types",
  summary: "write typed kinds for the CRDs of others",
  description:
    "Writes a module for each CRD: the kind for reads and dependents, and the types of its objects with the descriptions of the schema. " +
    "Modules that were not generated are never changed.",
  argument: { syntax: "[files...]", description: "YAML or JSON with CRDs; kinds, as in kubectl, with --from-cluster (default: all)" },
  flags: [
    { flags: "--from-cluster", description: "read the CRDs of a cluster" },
    { flags: "--out <dir>", description: "folder of the modules (default: src/kinds); -: print them" },
    { flags: "--check", description: "write nothing; end with 1 if the modules are not up to date" },
    OUTPUT,
  ],
  isOnCluster: true,
  examples: [
    { line: "generate types cert-manager.crds.yaml", does: "writes src/kinds/certificates.cert-manager.io.ts and others" },
    { line: "generate types --from-cluster certificates issuers", does: "of a cluster that has them" },
    { line: "generate types crds/*.yaml --check", does: "for CI: fails when a module is stale" },
  ],
  run: async (words, flags, terminal) => (await import("../generate-types/run.ts")).runTypes(words, flags as TypesFlags, terminal),
};

/** `treadle generate`. */
export const generate: CommandDeclaration = {
  name: "generate",
  summary: "write what a cluster needs to run an operator",
  description:
    "Writes the manifests of an operator, from its module: CRDs, rights, Deployment, Services, webhook configurations, network policy, alerts and " +
    "a dashboard. The module is loaded, but no manager of it runs. The same program gives the same files. Files that were not generated are " +
    "never changed.",
  commands: [types],
  argument: { syntax: "<module>", description: "file that runs the manager, such as src/main.ts" },
  flags: [
    {
      flags: "--format <form>",
      description: "kustomize (default): a base and overlays; yaml: plain files; helm: a chart",
      choices: ["yaml", "kustomize", "helm"],
    },
    { flags: "--out <dir>", description: "folder of the files (default: deploy, for helm deploy/chart); -: prints plain YAML" },
    { flags: "--check", description: "write nothing; end with 1 if the files are not up to date" },
    { flags: "--name <name>", description: "name of the objects (default: the name of the package)" },
    { flags: "--namespace <name>", description: "namespace of the operator (default: that of webhookServer, else NAME-system)" },
    { flags: "--namespaces <names>", description: "namespaces that it watches, by commas (default: those of the manager, else all)" },
    { flags: "--namespaced", description: "it watches its own namespace only" },
    { flags: "--image <image>", description: "container image (default: NAME:VERSION of the package)" },
    { flags: "--replicas <count>", description: "number of pods (default: 2 with leader election, else 1)" },
    { flags: "--monitoring", description: "with --out -: also print ServiceMonitor, alerts and dashboard" },
    OUTPUT,
  ],
  isOnCluster: false,
  examples: [
    { line: "generate src/main.ts", does: "writes deploy/; then: kubectl apply -k deploy/overlays/production" },
    { line: "generate src/main.ts --format helm", does: "writes a chart into deploy/chart" },
    { line: "generate src/main.ts --check", does: "for CI: fails when the files are stale" },
    { line: "generate src/main.ts --out - | kubectl apply --server-side -f -", does: "without files" },
  ],
  run: async ([module = ""], flags, terminal) => (await import("../generate/run.ts")).runGenerate(module, flags as GenerateFlags, terminal),
};
