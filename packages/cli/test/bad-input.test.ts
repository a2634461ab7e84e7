/** Wrong arguments, no cluster, missing rights: each message says what to do, and the exit code is 2. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { defineResource } from "@treadle/apimachinery";
import { ClusterRole, ClusterRoleBinding, Deployment, Service } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { COMMANDS } from "../src/commands/all.ts";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal, treadle } from "./fake-terminal.ts";
import { pods } from "./shop.ts";

const memory = { tags: ["memory"] };

async function refused(args: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const terminal = fakeTerminal({ env });
  expect(await runTreadle(args === "" ? [] : args.split(" "), terminal)).toBe(2);
  expect(terminal.output.out).toBe("");
  return terminal.output.err;
}

test.for([
  { args: "explain", text: /missing required argument 'object'\n`treadle explain --help`/ },
  { args: "explain web", text: /"web" names no object; write KIND\/NAME or KIND NAME, such as deployment\/web/ },
  { args: "explain deployment/", text: /names no object/ },
  { args: "explain deployment/a b", text: /one object at a time/ },
  { args: "explain a b c", text: /one object at a time/ },
  { args: "explain ../secrets", text: /".." cannot be a kind/ },
  { args: "explain pod/..", text: /"\.\." cannot be the name of an object/ },
  { args: "explain pod/a%2fb", text: /cannot be the name of an object/ },
  { args: "explain pod/a -n ../x", text: /"..\/x" cannot be a namespace/ },
  { args: "explain pod/a -o yaml", text: /argument 'yaml' is invalid. Allowed choices are json/ },
  { args: "explain pod/a --colour", text: /unknown option '--colour'/ },
  { args: "help explian", text: /unknown command 'explian'\n\(Did you mean explain\?\)/ },
  { args: "graph", text: /missing required argument 'module'/ },
  { args: "graph a.ts b.ts", text: /too many arguments/ },
  { args: "graph a.ts -o png", text: /Allowed choices are mermaid, svg, json/ },
  { args: "build", text: /missing required argument 'entry'/ },
  { args: "build a.ts --minify", text: /unknown option '--minify'/ },
  { args: "explan pod/a", text: /unknown command 'explan'\s*\(Did you mean explain\?\)/ },
  { args: "explain pod/a --server cluster:6443", text: /--server cluster:6443 is not a URL; write http/ },
  { args: "explain pod/a --as-group admins", text: /--as-group and --as-uid need a user; add --as USER/ },
])("`treadle $args` is refused with what to write instead", async ({ args, text }) => {
  expect(await refused(args, { KUBECONFIG: "/nowhere" })).toMatch(text);
});

test("without a kubeconfig the message names the places and the flags", async () => {
  const text = await refused("explain pod/a", { HOME: "/nowhere" });
  expect(text).toMatch(/KUBECONFIG is not set, .*\.kube.config does not exist/);
  expect(text).toMatch(/--kubeconfig FILE or KUBECONFIG, or a server with --server URL/);
});

test("a server that is not there gives its address and the flags to check", async () => {
  const text = await refused("tree pod/a --server http://127.0.0.1:1", { HOME: "/nowhere" });
  expect(text).toMatch(/http:\/\/127\.0\.0\.1:1/);
  expect(text).toMatch(/--context, --kubeconfig or --server name the right one/);
});

test("without a command the help is shown, and is no failure", async () => {
  const terminal = fakeTerminal();
  expect(await runTreadle([], terminal)).toBe(0);
  expect(terminal.output.out).toMatch(/^Usage: treadle <command>/);
});

/** The words of each command, also of those below another one. */
function allCommands(commands: readonly Command[], before: readonly string[] = []): readonly (readonly string[])[] {
  return commands.flatMap((each) => [[...before, each.name], ...allCommands(each.commands ?? [], [...before, each.name])]);
}

interface Command {
  readonly name: string;
  readonly commands?: readonly Command[];
}

describe.for(allCommands(COMMANDS).map((words) => words.join(" ")))("the help of `treadle %s`", (words) => {
  test("has an example", async () => {
    const terminal = fakeTerminal({ columns: 80 });
    expect(await runTreadle([...words.split(" "), "--help"], terminal, { name: "kubectl treadle" })).toBe(0);
    expect(terminal.output.out).toMatch(new RegExp(`Examples:\\n  # .*\\n  kubectl treadle ${words}`));
    expect(terminal.output.out).not.toContain("\u001B");
  });

  test("fits into 40 columns, but for command lines, which can be copied", async () => {
    const terminal = fakeTerminal({ columns: 40 });
    expect(await runTreadle([...words.split(" "), "--help"], terminal)).toBe(0);
    const [help = ""] = terminal.output.out.replace(/^Usage: .*/, "").split("Examples:");
    expect(help.split("\n").filter((line) => line.length > 40)).toEqual([]);
  });
});

const widget = (group: string): ReturnType<typeof defineResource> =>
  defineResource({ group, version: "v1", kind: "Widget", scope: "Namespaced", spec: z.object({}), status: z.object({}) });

test("a kind of two groups asks for the group, and a kind of Kubernetes wins", memory, async () => {
  const Knative = defineResource({
    group: "serving.example.org",
    version: "v1",
    kind: "Service",
    scope: "Namespaced",
    spec: z.object({}),
    status: z.object({}),
  });
  await using cluster = await startTestCluster({ https: true, kinds: [widget("a.example.dev"), widget("b.example.dev"), Knative] });
  const { err, code } = await treadle(cluster, "explain widget/x");
  expect([code, err]).toEqual([
    2,
    'treadle: the kind "widget" is in several groups; write one of: widgets.a.example.dev, widgets.b.example.dev\n',
  ]);
  expect((await treadle(cluster, "explain widgets.b.example.dev/x")).err).toMatch(
    /Widget default\/x does not exist; the namespace default has no widgets/,
  );
  await cluster.create(Service, { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
  expect((await treadle(cluster, "explain svc/web")).out).toBe("Service default/web is ready.\n");
});

test("an unknown kind and an unknown name suggest near ones", memory, async () => {
  await using cluster = await startTestCluster({ https: true });
  await cluster.create(Deployment, { metadata: { name: "website", namespace: "shops" }, spec: pods("web") });
  expect((await treadle(cluster, "explain deploymnet/website")).err).toMatch(/no kind "deploymnet"; did you mean deployment/);
  expect((await treadle(cluster, "explain deploy/wbesite -n shops")).err).toMatch(/does not exist; did you mean deployment\/website\?/);
  expect((await treadle(cluster, "explain deploy/website")).err).toMatch(/does not exist; there is one in another namespace: add -n shops/);
  expect((await treadle(cluster, "explain deployments.apps/website -n shops")).code).toBe(0);
  expect((await treadle(cluster, "explain deployments.v1.apps/website -n shops")).code).toBe(0);
  expect((await treadle(cluster, "explain deployments.batch/website -n shops")).err).toMatch(/did you mean deployments.apps/);
});

/** Lets user `ann` read Deployments only. */
async function withAnn(cluster: TestCluster): Promise<void> {
  await cluster.create(ClusterRole, {
    metadata: { name: "deployments" },
    rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }],
  });
  await cluster.create(ClusterRoleBinding, {
    metadata: { name: "ann" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "deployments" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
  });
}

test("reads that are refused are named, and the explanation goes on without them", memory, async () => {
  await using cluster = await startTestCluster({ https: true, workloads: true });
  cluster.workloads.deployments.stall({ name: "web" });
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web") });
  await cluster.settled();
  await cluster.advance(700_000);
  await withAnn(cluster);
  const { code, out } = await treadle(cluster, "explain deployment/web --as ann");
  expect(code).toBe(0);
  expect(out).toMatch(/^Deployment default\/web is not ready: its rollout has made no progress/);
  expect(out).toMatch(
    /Not read, so this may be incomplete:\n(.*\n)*  - pods in default: you may not list pods in the namespace default; ask for this right\./,
  );
});

test("an object that may not be read ends with the right that is missing", memory, async () => {
  await using cluster = await startTestCluster({ https: true });
  await withAnn(cluster);
  const { code, err } = await treadle(cluster, "explain configmap/a --as ann");
  expect(code).toBe(2);
  expect(err).toMatch(/User "ann" cannot get resource "configmaps".*\nAsk for this right, or act as another user/);
});

const controller = join(import.meta.dirname, "..", "..", "..", "examples", "simple", "controller.ts");

test.for([
  ["explain", "pod/a"],
  ["tree", "pod/a"],
  ["tree", "pod/a", "--watch"],
  ["check", controller, "--against-cluster"],
])("Ctrl-C ends %s, which waits for the server, with 130 and no message", async (words) => {
  const terminal = fakeTerminal({ env: { HOME: "/nowhere" } });
  // It takes requests and never answers.
  const server = createServer(() => terminal.interrupt());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const { port } = server.address() as AddressInfo; // It listens on a port.
    expect(await runTreadle([...words, "--server", `http://127.0.0.1:${port}`], terminal)).toBe(130);
    expect(terminal.output).toEqual({ out: "", err: "" });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("Ctrl-C ends a build with 130, and without a message", async () => {
  const terminal = fakeTerminal();
  terminal.interrupt();
  // Of a missing entry the answer would be 1.
  expect(await runTreadle(["build", join(import.meta.dirname, "missing.ts")], terminal)).toBe(130);
  expect(terminal.output).toEqual({ out: "", err: "" });
});
