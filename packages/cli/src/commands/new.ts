import type { NewFlags } from "../new/run.ts";
import type { OperatorFlags } from "../new/questions.ts";
import type { PartType } from "../new/templates.ts";
import type { CommandDeclaration, FlagDeclaration } from "./command.ts";

const COMMON: readonly FlagDeclaration[] = [
  { flags: "-y, --yes", description: "take the defaults, and ask nothing" },
  { flags: "--force", description: "overwrite files that exist" },
];
const PROJECT: FlagDeclaration = {
  flags: "--dir <dir>",
  description: "folder of the project (default: the current one, or one above it)",
};
const FOLDER: FlagDeclaration = { flags: "--dir <dir>", description: "folder to make (default: the name)" };
const GROUP = "--group <group>";

const operator: CommandDeclaration = {
  name: "operator",
  summary: "make a project with a resource, tests, an image and CI",
  description:
    "Makes the project of an operator: a resource, a handler with two steps, tests that need no cluster, a Dockerfile, CI and editor settings. " +
    "It asks for what the command line does not have.",
  argument: { syntax: "[name]", description: "name, such as shop-operator" },
  flags: [
    { flags: "--kind <kind>", description: "kind of the first resource (default: from the name)" },
    { flags: GROUP, description: "API group of the resource (default: from the name, in example.com)" },
    { flags: "--package-manager <pm>", description: "npm or pnpm (default: the one that runs this)", choices: ["npm", "pnpm"] },
    FOLDER,
    ...COMMON,
  ],
  isOnCluster: false,
  examples: [
    { line: "new operator website-operator", does: "asks for the rest" },
    { line: "new operator website-operator --kind Website --group web.example.com --yes", does: "asks nothing" },
  ],
  run: async ([name], flags, terminal) => (await import("../new/run.ts")).runNewOperator(name, flags as NewFlags & OperatorFlags, terminal),
};

const plugin: CommandDeclaration = {
  name: "plugin",
  summary: "make the project of a plugin",
  description: "Makes the project of a plugin: a separate program that adds a capability to operators. docs/plugins.md explains plugins.",
  argument: { syntax: "[name]", description: "name, such as kube-queues" },
  flags: [FOLDER, ...COMMON],
  isOnCluster: false,
  examples: [{ line: "new plugin kube-queues", does: "makes the folder kube-queues" }],
  run: async ([name], flags, terminal) => (await import("../new/run.ts")).runNewPlugin(name, flags as NewFlags, terminal),
};

function ofKind(type: "resource" | "managed", summary: string, example: string): CommandDeclaration {
  return {
    name: type,
    summary,
    description: `Adds a part to the project of an operator. The part is ${summary}. The command adds it to src/main.ts, or shows the line to add.`,
    argument: { syntax: "[kind]", description: `kind, such as ${example}` },
    flags: [{ flags: GROUP, description: "API group of the kind (default: that of the operator)" }, PROJECT, ...COMMON],
    isOnCluster: false,
    examples: [{ line: `new ${type} ${example}`, does: `writes src/${example.toLowerCase()}.ts and more` }],
    run: async ([kind], flags, terminal) =>
      (await import("../new/run.ts")).runNewKind(type, kind, flags as NewFlags & { readonly group?: string }, terminal),
  };
}

function ofPart(type: PartType, summary: string, example: string): CommandDeclaration {
  return {
    name: type,
    summary,
    description: `Adds a part to the project of an operator. The part is ${summary}. The command connects it, or shows the line to add.`,
    argument: { syntax: "[name]", description: `name, such as ${example}` },
    flags: [{ flags: "--for <kind>", description: "resource that gets it (default: the only one)" }, PROJECT, ...COMMON],
    isOnCluster: false,
    examples: [
      { line: `new ${type} ${example}`, does: `writes src/${example}.ts and its test` },
      { line: `new ${type} ${example} --for Website`, does: "in a project with several resources" },
    ],
    run: async ([name], flags, terminal) =>
      (await import("../new/run.ts")).runNewPart(type, name, flags as NewFlags & { readonly for?: string }, terminal),
  };
}

/** `treadle new`. */
export const newCommand: CommandDeclaration = {
  name: "new",
  summary: "make the project of an operator, or add a part to it",
  description: "Makes the project of an operator or a plugin, or adds a part to the project of an operator.",
  commands: [
    operator,
    ofKind("resource", "a resource with its handler and its tests", "Database"),
    ofPart("step", "a step of a handler, with its test", "read-input"),
    ofPart("component", "a component: objects with one lifecycle and one condition", "web-interface"),
    ofPart("dependents", "a group of objects that a resource keeps, in their order", "addresses"),
    ofKind("managed", "an external resource behind an API, with its connection", "Bucket"),
    ofPart("webhook", "a webhook of a resource, and the server of webhooks", "website-rules"),
    plugin,
  ],
  flags: [],
  isOnCluster: false,
  examples: [
    { line: "new operator website-operator", does: "a project, from nothing" },
    { line: "new step read-input", does: "a step in the project of the current folder" },
  ],
};
