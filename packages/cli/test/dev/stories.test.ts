/** `treadle dev` as a developer uses it: with real processes, in memory. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { kind } from "@treadle/apimachinery";
import { connect, loadConfig } from "@treadle/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { Project, runs, SHOP, works } from "./project.ts";

const Shop = kind({ group: "example.dev", version: "v1", kind: "Shop" });
const memory = { tags: ["memory"] };
/** Each story takes seconds, so only some run each time. */
const long = { tags: ["long"] };
const isEdit = ({ reason }: { readonly reason: string }): boolean => reason === "edit";

/** The status of the sample. */
async function statusOf(project: Project): Promise<unknown> {
  const client = await connect({ config: await loadConfig({ kubeconfig: join(project.folder, ".treadle", "dev.kubeconfig") }) });
  try {
    return ((await client.get(Shop, { name: "a", namespace: "default" })) as { readonly status?: unknown } | undefined)?.status;
  } finally {
    await client.close();
  }
}

describe("the operator of a project", memory, () => {
  test("a port of the cluster that is in use is named, with what to do", async () => {
    await using project = new Project(SHOP);
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const dev = project.dev("src/main.ts", "--port", String(port));
    expect(await dev.ended).toEqual({ code: 2, signal: null });
    taken.close();
    expect(dev.errors).toBe(`treadle: port ${port} of 127.0.0.1 is in use: choose another, or 0 for a free one\n`);
  });

  test("runs with its CRD and samples; an edit replaces it, and the objects of the cluster stay", async () => {
    await using project = new Project(SHOP);
    const dev = project.dev("src/main.ts");
    const cluster = await dev.next("cluster");
    expect(cluster).toMatchObject({ isInMemory: true, kubeconfig: join(project.folder, ".treadle", "dev.kubeconfig") });
    // The base of `treadle upgrade` is in this folder, and is committed.
    expect(project.read(".treadle/.gitignore")).toBe("/.gitignore\n/dev.*\n/dev-target.kubeconfig\n");
    expect(await dev.next("applied")).toMatchObject({ what: "crd", object: { name: "shops.example.dev" }, operation: "created" });
    expect(await dev.next("started")).toMatchObject({ handlers: ["shops.example.dev"] });
    expect(await dev.next("applied")).toMatchObject({ what: "sample", object: { kind: "Shop", name: "default/a" } });
    const pass = await dev.next("pass");
    expect(pass).toMatchObject({
      object: { kind: "Shop", name: "default/a" },
      cause: "Shop default/a was created",
      outcome: "done",
      steps: [
        { step: "config", phase: "do", result: "done" },
        { step: "say", phase: "do", result: "done" },
      ],
      conditions: [
        { type: "Said", status: "True" },
        { type: "Ready", status: "True" },
      ],
    });
    expect(pass.writes).toContainEqual({
      operation: "created",
      object: { kind: "ConfigMap", name: "default/a" },
      step: "config",
      paths: ["data.text"],
    });

    project.edit("src/shop.ts", "said ", "SAID ");
    expect(await dev.next("loading", isEdit)).toMatchObject({ files: [join("src", "shop.ts")] });
    const { durationMs } = await dev.next("started");
    console.info(`an edit is live ${durationMs} ms after it was seen`);
    expect(await dev.next("pass", ({ writes }) => writes.length > 0)).toMatchObject({
      writes: [{ operation: "updated", object: { kind: "Shop", name: "default/a" }, paths: ["status.text"] }],
    });
    expect(await statusOf(project)).toMatchObject({ text: "SAID hi" });
    expect(dev.events.filter(({ type }) => type === "applied")).toHaveLength(2);
  });

  test("gets a changed CRD and a changed sample", long, async () => {
    await using project = new Project(SHOP);
    const dev = project.dev("src/main.ts");
    await dev.next("pass");
    project.edit("deploy/samples/a.yaml", "text: hi", "text: ho");
    await dev.next("applied", ({ what, operation }) => what === "sample" && operation === "updated");
    await dev.next("pass", ({ writes }) => writes.some(({ object }) => object.kind === "ConfigMap"));
    project.edit("src/shop.ts", "text: z.string().default", 'size: z.string().default("s"), text: z.string().default');
    expect(await dev.next("applied")).toMatchObject({ what: "crd", operation: "updated" });
    project.write({ "deploy/samples/b.yaml": SHOP["deploy/samples/a.yaml"].replace("name: a", "name: b") });
    expect(await dev.next("applied", ({ object }) => object.name === "default/b")).toMatchObject({ operation: "created" });
    project.write({ "deploy/samples/b.yaml": "kind: [" });
    expect((await dev.next("refused")).message).toMatch(/b\.yaml/);
  });

  test("works on while the new code is broken, until it is corrected", async () => {
    await using project = new Project(SHOP);
    const dev = project.dev("src/main.ts");
    const first = await dev.next("started");
    await dev.next("pass");
    project.edit("src/shop.ts", "const config", "const = config");
    expect(await dev.next("failed")).toMatchObject({
      message: expect.stringMatching(new RegExp(`at src/shop\\.ts:13`)),
      isPreviousRunning: true,
    });
    project.edit("deploy/samples/a.yaml", "text: hi", "text: ho");
    await dev.next("pass", ({ writes }) => writes.some(({ paths }) => paths.includes("status.text")));

    project.edit("src/shop.ts", "const = config", "const config");
    expect((await dev.next("started")).pid).not.toBe(first.pid);
    project.edit("src/main.ts", "await createManager", 'throw new Error("boom");\nawait createManager');
    expect(await dev.next("failed")).toMatchObject({ message: "boom\n  at src/main.ts:5:7", isPreviousRunning: true });
    project.edit("src/main.ts", "./shop.ts", "./stores.ts");
    expect((await dev.next("failed")).message).toMatch(/Cannot find module '.*stores\.ts'/);
    project.write({ "src/stores.ts": 'export { shops } from "./shop.ts";' });
    await dev.next("loading", ({ files }) => files[0] === join("src", "stores.ts"));
    expect((await dev.next("failed")).message).toMatch(/^boom/);
    project.edit("src/main.ts", 'throw new Error("boom");', "");
    await dev.next("started");
  });

  test("is replaced once for a burst of edits", long, async () => {
    await using project = new Project(SHOP);
    const dev = project.dev("src/main.ts");
    await dev.next("pass");
    for (const word of ["a", "b", "c"]) project.edit("src/shop.ts", "said", `${word} said`);
    project.edit("src/main.ts", "await", "/* edited */ await");
    expect((await dev.next("loading", isEdit)).files.toSorted()).toEqual([join("src", "main.ts"), join("src", "shop.ts")]);
    await dev.next("pass", ({ writes }) => writes.length > 0);
    expect(await statusOf(project)).toMatchObject({ text: "a b c said hi" });
    expect(dev.events.filter(({ type }) => type === "loading")).toHaveLength(2);
  });

  test("shows where a step throws, and goes on", async () => {
    await using project = new Project({
      ...SHOP,
      "src/shop.ts": SHOP["src/shop.ts"].replace(
        "req.status.text =",
        'if (req.object.spec.text === "hi") throw new Error("boom");\n    req.status.text =',
      ),
    });
    const dev = project.dev("src/main.ts");
    expect(await dev.next("pass", ({ error }) => error !== undefined)).toMatchObject({
      error: expect.stringContaining("boom"),
      place: `${join("src", "shop.ts")}:18:46`,
      steps: [{ step: "config" }, { step: "say", result: "failed" }],
    });
    project.edit("deploy/samples/a.yaml", "text: hi", "text: ho");
    await dev.next("pass", ({ outcome }) => outcome === "done");
  });

  test("is restarted after a crash", long, async () => {
    await using project = new Project(SHOP);
    const dev = project.dev("src/main.ts");
    const { pid = 0 } = await dev.next("started");
    await dev.next("pass");
    process.kill(pid, "SIGKILL");
    expect(await dev.next("ended")).toMatchObject({ how: "signal SIGKILL", retryMs: 1_000 });
    await dev.next("loading", ({ reason }) => reason === "crash");
    expect((await dev.next("started")).pid).not.toBe(pid);
  });

  test("hides what Secrets hold, and shows the names of their fields", async () => {
    await using project = new Project({
      ...SHOP,
      "src/shop.ts": SHOP["src/shop.ts"]
        .replaceAll("ConfigMap", "Secret")
        .replace("data: { text: shop.spec.text }", 'stringData: { password: "hunter2" }'),
    });
    const dev = project.dev("src/main.ts", "--all");
    const pass = await dev.next("pass");
    expect(pass.writes).toContainEqual(expect.objectContaining({ object: { kind: "Secret", name: "default/a" }, operation: "created" }));
    expect(JSON.stringify(dev.events)).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});

describe("other modules", memory, () => {
  test("handlers of a module without a manager are run", async () => {
    await using project = new Project(SHOP);
    const dev = project.dev("src/shop.ts");
    expect(await dev.next("started")).toMatchObject({ handlers: ["shops.example.dev"] });
    await dev.next("pass");
  });

  test("a module without handlers is an error until an edit adds one", long, async () => {
    await using project = new Project({ ...SHOP, "src/main.ts": "export const x = 1;" });
    const dev = project.dev("src/main.ts");
    expect(await dev.next("failed")).toMatchObject({ message: expect.stringMatching(/^src.main\.ts exports no handler, and runs none/) });
    project.write({ "src/main.ts": SHOP["src/main.ts"] });
    await dev.next("started");
  });

  test("a program with a fixed port is replaced one after the other", long, async () => {
    await using project = new Project({
      ...SHOP,
      "src/main.ts": `import { createServer } from "node:http";
const server = createServer().listen(${20_000 + (process.pid % 20_000)}, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
${SHOP["src/main.ts"]}`,
    });
    const dev = project.dev("src/main.ts");
    const first = await dev.next("started");
    project.edit("src/shop.ts", "said", "SAID");
    expect(await dev.next("loading", ({ reason }) => reason === "port")).toBeDefined();
    expect((await dev.next("started")).pid).not.toBe(first.pid);
    expect(dev.events.filter(({ type }) => type === "failed")).toEqual([]);
  });

  test("what the program prints is shown", long, async () => {
    await using project = new Project({ ...SHOP, "src/main.ts": `console.log("hello");${SHOP["src/main.ts"]}` });
    expect(await project.dev("src/main.ts").next("output")).toMatchObject({ stream: "stdout", text: "hello" });
  });
});

describe("the end", memory, () => {
  test("Ctrl-C ends the operator, then the cluster, with 130", async () => {
    await using project = new Project(SHOP);
    const dev = project.dev("src/main.ts");
    const { pid = 0 } = await dev.next("started");
    dev.process.kill("SIGINT");
    expect(await dev.ended).toEqual({ code: 130, signal: null });
    expect([runs(pid), existsSync(join(project.folder, ".treadle", "dev.kubeconfig")), dev.errors]).toEqual([false, false, ""]);
  });

  test.for(["cluster", "loading", "applied", "failed"] as const)("Ctrl-C after %s ends with 130", long, async (moment) => {
    await using project = new Project(moment === "failed" ? { ...SHOP, "src/main.ts": "x y" } : SHOP);
    const dev = project.dev("src/main.ts");
    await dev.next(moment);
    dev.process.kill("SIGINT");
    expect([await dev.ended, dev.errors]).toEqual([{ code: 130, signal: null }, ""]);
  });

  test("a second Ctrl-C ends at once an operator that does not stop", long, async () => {
    await using project = new Project({
      ...SHOP,
      "src/main.ts": `process.on("SIGTERM", () => { for (;;); });\n${SHOP["src/main.ts"]}`,
    });
    const dev = project.dev("src/main.ts");
    const { pid = 0 } = await dev.next("started");
    dev.process.kill("SIGINT");
    await dev.next("stopping");
    // One that follows at once is the same one, which npm repeats.
    const again = (): NodeJS.Signals | null => {
      dev.process.kill("SIGINT");
      return dev.process.signalCode;
    };
    await expect.poll(again).toBe("SIGINT");
    expect((await dev.ended).signal).toBe("SIGINT");
    await expect.poll(() => works(pid), { timeout: 10_000 }).toBe(false);
  });

  test("no operator is left when the command is killed while a loop of the program never ends", async () => {
    await using project = new Project({ ...SHOP, "src/main.ts": "console.log(String(process.pid));\nfor (;;);\n" });
    const dev = project.dev("src/main.ts");
    const pid = Number((await dev.next("output")).text);
    expect(works(pid)).toBe(true);
    dev.process.kill("SIGKILL");
    await dev.ended;
    await expect.poll(() => works(pid), { timeout: 10_000 }).toBe(false);
  });

  test("Ctrl-C does not wait for programs that the operator has started, and ends those of its group", async () => {
    const started = (name: string, more: string): string =>
      `console.log("${name} " + spawn("sleep", ["60"], { stdio: "inherit"${more} }).pid);`;
    await using project = new Project({
      ...SHOP,
      "src/main.ts": `import { spawn } from "node:child_process";\n${started("own", "")}\n${started("apart", ", detached: true")}\n${SHOP["src/main.ts"]}`,
    });
    const dev = project.dev("src/main.ts");
    const own = Number((await dev.next("output", ({ text }) => text.startsWith("own"))).text.split(" ")[1]);
    const apart = Number((await dev.next("output", ({ text }) => text.startsWith("apart"))).text.split(" ")[1]);
    onTestFinished(() => void process.kill(apart));
    await dev.next("started");
    dev.process.kill("SIGINT");
    expect(await dev.ended).toEqual({ code: 130, signal: null });
    expect(dev.events.filter(({ type }) => type === "note")).toEqual([]);
    await expect.poll(() => works(own)).toBe(false);
  });

  test("no operator is left when the command is killed", async () => {
    await using project = new Project({
      ...SHOP,
      "src/main.ts": `process.on("exit", () => writeFileSync("ended", ""));\nimport { writeFileSync } from "node:fs";\n${SHOP["src/main.ts"]}`,
    });
    const dev = project.dev("src/main.ts");
    await dev.next("started");
    dev.process.kill("SIGKILL");
    await dev.ended;
    // It has another parent now, so its end is known only by what it leaves.
    await expect.poll(() => existsSync(join(project.folder, "ended"))).toBe(true);
    // The files of a killed command are no obstacle.
    await project.dev("src/main.ts").next("started");
  });

  test("the file of treadle upgrade is not ignored by git, but all files of treadle dev are", async () => {
    await using project = new Project({ ...SHOP, ".treadle/base.json": "{}", ".treadle/.gitignore": "*\n" });
    const git = (...args: readonly string[]): string => execFileSync("git", [...args], { cwd: project.folder, encoding: "utf8" });
    git("init", "--quiet");
    const dev = project.dev("src/main.ts");
    await dev.next("cluster");
    expect(git("status", "--porcelain", "--untracked-files=all", ".treadle")).toBe("?? .treadle/base.json\n");
  });

  test("a folder that cannot be written is an error with what to do", async () => {
    await using project = new Project({ ...SHOP, ".treadle": "a file" });
    const dev = project.dev("src/main.ts");
    expect([(await dev.ended).code, dev.errors]).toEqual([2, expect.stringContaining("Make it a folder that you may write")]);
    expect(dev.errors).not.toContain("not an expected failure");
  });

  test("in a pipe the text has no colours and no cursor movement", long, async () => {
    await using project = new Project(SHOP);
    const { code, out, err } = await project.text("src/main.ts", "Ready is True");
    expect([code, err]).toEqual([130, ""]);
    expect(out).not.toContain("\u001B");
    expect(out).toMatch(/^\d\d:\d\d:\d\d in-memory cluster at https:\S+\n  export KUBECONFIG=\S+\n\d\d:\d\d:\d\d loading src.main\.ts\n/);
    expect(out).toMatch(/\d\d:\d\d:\d\d stopping; press Ctrl-C again to end at once\n(.* changed nothing\n)?$/);
  });

  test("a second command in the folder is refused", long, async () => {
    await using project = new Project(SHOP);
    const first = project.dev("src/main.ts");
    await first.next("cluster");
    const second = project.dev("src/main.ts");
    expect((await second.ended).code).toBe(2);
    expect(second.errors).toBe(
      `treadle: treadle dev already runs in this folder, as process ${first.process.pid}; end it, or name a cluster with --context or --kubeconfig. ` +
        `If that process is another program, remove ${join(project.folder, ".treadle", "dev.pid")}\n`,
    );
  });
});
