/** `treadle new` as a user writes it: answers, refusals, and lines that have no certain place. The projects themselves: new-projects.test.ts. */
import { PassThrough } from "node:stream";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as clack from "@clack/prompts";
import { describe, expect, test } from "vitest";
import { runTreadle } from "../src/index.ts";
import { type Prompter, prompterOf } from "../src/terminal/prompter.ts";
import { fakeTerminal } from "./fake-terminal.ts";
import { filesIn, run, testFolder } from "./new-folder.ts";

/** A user who gives these answers, in turn. */
function user(...answers: readonly (string | boolean)[]): { readonly prompter: () => Promise<Prompter>; readonly asked: string[] } {
  const asked: string[] = [];
  const rest = [...answers];
  const next = async <T>(message: string): Promise<T> => {
    asked.push(message);
    return rest.shift() as T;
  };
  const prompter = {
    text: ({ message }: { message: string }) => next<string>(message),
    select: ({ message }: { message: string }) => next<string>(message),
    confirm: (message: string) => next<boolean>(message),
  };
  return { asked, prompter: async () => prompter };
}

/** A project, made without questions. */
async function project(...additions: readonly string[]): Promise<string> {
  const folder = join(testFolder(), "shop-operator");
  for (const line of ["operator shop-operator --yes", ...additions])
    expect(await run(`new ${line} --dir ${folder}`)).toMatchObject({ code: 0, err: "" });
  return folder;
}

describe("an operator", () => {
  test("--yes makes a project without a question, and shows what to do next", async () => {
    const folder = join(testFolder(), "shop-operator");
    const { code, out, err } = await run(`new operator shop-operator --yes --dir ${folder}`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      `Made ${folder}. Next:\n\n  cd ${folder}\n  npm install\n  npm test\n  npm run dev\n\nREADME.md there shows the way into a cluster.\n`,
    );
    const files = filesIn(folder);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        ".dockerignore",
        ".github/workflows/ci.yml",
        ".gitignore",
        "Dockerfile",
        "src/shop.ts",
        "deploy/samples/shop.yaml",
        "treadle.json",
      ]),
    );
    expect(files["src/shop.ts"]).toContain('kind: "Shop",\n  plural: "shops"');
    expect(JSON.parse(files["treadle.json"] ?? "")).toMatchObject({ operator: { group: "shop.example.com", packageManager: "npm" } });
    // The record of the templates has them as they are; nothing of a template is left elsewhere.
    for (const [path, text] of Object.entries(files))
      expect(text, path).not.toMatch(/template-?(?:kind|operator)|TemplateKind|group\.template|0\.0\.0-template/i);
  });

  test("an operator inside of a project is made with a note about the project", async () => {
    const folder = await project();
    const { code, out } = await run(`new operator web --yes --dir ${folder}/web`);
    expect(code).toBe(0);
    expect(out).toContain(`Note: it is inside of the project ${folder}. \`treadle new resource KIND\` adds a resource`);
  });

  test("a user is asked for what the command line lacks", async () => {
    const folder = join(testFolder(), "web");
    const { asked, prompter } = user("Website", "web.example.org", "pnpm");
    expect(await run(`new operator web --dir ${folder}`, { prompter })).toMatchObject({
      code: 0,
      out: expect.stringContaining("pnpm install\n  pnpm test\n"),
    });
    expect(asked).toEqual(["Kind of its first resource", "API group, a domain that is yours", "Package manager"]);
    const { Dockerfile: image = "", ".github/workflows/ci.yml": ci = "" } = filesIn(folder);
    for (const text of [image, ci]) {
      expect(text).toContain("corepack enable && pnpm install --frozen-lockfile");
      expect(text).not.toMatch(/\bnpm (?:ci|run|test)|npx/);
    }
    expect(image).toContain("pnpm-lock.yaml");
  });

  test("`npm create` decides the package manager", async () => {
    const folder = join(testFolder(), "web");
    const line = `new operator web --kind Website --group web.example.org --dir ${folder}`;
    expect(await run(line, { env: { npm_config_user_agent: "pnpm/12.0.0 npm/? node/v24" } })).toMatchObject({
      code: 0,
      out: expect.stringContaining("pnpm run dev"),
    });
  });

  test("without a terminal the message lists the flags that are missing", async () => {
    expect(await run("new operator web --kind Website")).toEqual({
      code: 2,
      out: "",
      err:
        "treadle: there is no terminal to ask on, and these are missing:\n" +
        "  --group: API group, a domain that is yours (default: web.example.com)\n" +
        "  --package-manager: Package manager (default: npm)\n" +
        "Give them, or --yes for the defaults.\n",
    });
  });

  test.for([
    { line: "new operator --yes", text: /NAME: it has no default, so --yes needs it/ },
    { line: "new operator My_App --yes", text: /NAME: "My_App" cannot be the name of an operator: write lower-case letters/ },
    { line: "new operator zod --yes", text: /NAME: "zod" is a package that the project uses/ },
    { line: "new operator a --kind website --yes", text: /--kind: "website" cannot be a kind: write .* such as Website/ },
    { line: "new operator a --kind Deployment --yes", text: /--kind: "Deployment" is a name that the template uses/ },
    { line: "new operator a --kind Condition --yes", text: /--kind: "Condition" is a name that the template uses/ },
    { line: "new operator a --kind Map --yes", text: /--kind: "Map" is a name of JavaScript/ },
    { line: "new operator a --group shop --yes", text: /--group: "shop" cannot be a group: it needs a dot, such as shop.example.com/ },
    { line: "new operator a --group apps.k8s.io --yes", text: /--group: "apps.k8s.io" belongs to the Kubernetes project/ },
    { line: "new operator a --package-manager bun --yes", text: /Allowed choices are npm, pnpm/ },
    { line: "new opertor a", text: /unknown command 'opertor'\n\(Did you mean operator\?\)\n`treadle new --help` shows/ },
  ])("`treadle $line` is refused with what to write instead", async ({ line, text }) => {
    const parent = testFolder();
    const [command = "", ...flags] = line.split(" --");
    const inFolder = line.startsWith("new operator") ? [command, `dir ${parent}/a`, ...flags].join(" --") : line;
    expect(await run(inFolder)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(text) });
    expect(filesIn(parent)).toEqual({});
  });

  test("a folder with files is not touched without --force, and then only the files of the project are written", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "README.md"), "mine");
    writeFileSync(join(folder, "notes.txt"), "mine");
    const line = `new operator shop --yes --dir ${folder}`;
    expect(await run(line)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/is not empty, and has README\.md\.\nNothing was written: .*--dir, or add --force/),
    });
    expect(filesIn(folder)).toEqual({ "README.md": "mine", "notes.txt": "mine" });
    expect((await run(`${line} --force`)).code).toBe(0);
    expect(filesIn(folder)).toMatchObject({ "README.md": expect.stringMatching(/^# shop/), "notes.txt": "mine" });
  });

  test("an empty folder, and a new clone, become the project, and stay the same folder", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, ".git"));
    const { ino } = statSync(folder);
    expect(await run(`new operator shop --yes --dir ${folder}`)).toMatchObject({ code: 0, err: "" });
    expect(Object.keys(filesIn(folder))).toContain("src/shop.ts");
    expect(statSync(folder).ino).toBe(ino);
  });

  test("a user who does not agree keeps the files, and the command ends with 1", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "README.md"), "mine");
    const { asked, prompter } = user("Shop", "shop.example.com", "npm", false);
    expect(await run(`new operator shop --dir ${folder}`, { prompter })).toMatchObject({ code: 1, out: "" });
    expect(asked.at(-1)).toMatch(/README\.md\. Overwrite\?$/);
    expect(filesIn(folder)).toEqual({ "README.md": "mine" });
  });

  test("a file in the place of the folder, and of a folder above it, is refused", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "a"), "");
    expect((await run(`new operator shop --yes --dir ${folder}/a`)).err).toMatch(/is a file: choose another folder with --dir/);
    expect((await run(`new operator shop --yes --dir ${folder}/a/b`)).err).toMatch(/cannot make .*: a part of the path is a file/);
  });

  test("Ctrl-C before the end leaves nothing, and ends with 130", async () => {
    const parent = testFolder();
    const terminal = fakeTerminal();
    terminal.interrupt();
    expect(await runTreadle(["new", "operator", "shop", "--yes", "--dir", join(parent, "shop")], terminal)).toBe(130);
    expect(terminal.output).toEqual({ out: "", err: "" });
    expect(filesIn(parent)).toEqual({});
  });
});

describe("questions on a terminal", () => {
  /** Runs a question of the library, and presses keys. */
  async function pressed(
    keys: string,
    ask: (prompter: Prompter) => Promise<unknown>,
  ): Promise<{ readonly answer: unknown; readonly isCancelled: boolean; readonly shown: string }> {
    const input = new PassThrough();
    const output = Object.assign(new PassThrough(), { columns: 40, rows: 20, isTTY: true });
    let shown = "";
    output.on("data", (part) => void (shown += String(part)));
    let isCancelled = false;
    const answer = ask(prompterOf(clack, () => void (isCancelled = true), { input, output })).catch((error: unknown) => error);
    for (const key of keys) input.write(key);
    return { answer: await answer, isCancelled, shown };
  }
  const name = { message: "Name", initial: "shop", problem: (answer: string) => (answer === "shop" ? undefined : "write shop") };

  test("Enter takes the default", async () => {
    expect(await pressed("\r", (prompter) => prompter.text(name))).toMatchObject({ answer: "shop", isCancelled: false });
  });

  test("Enter chooses the first value, and no for a question of yes and no", async () => {
    expect((await pressed("\r", (prompter) => prompter.select({ message: "Which?", values: ["npm", "pnpm"] }))).answer).toBe("npm");
    expect((await pressed("\r", (prompter) => prompter.confirm("Overwrite?"))).answer).toBe(false);
  });

  test("Ctrl-C ends the question and the command", async () => {
    const { answer, isCancelled } = await pressed("\u0003", (prompter) => prompter.text(name));
    expect([answer, isCancelled]).toEqual([expect.any(Error), true]);
  });
});

describe("additions", () => {
  test("each addition says what it wrote and what it changed", async () => {
    const folder = await project();
    expect(await run(`new step read-input --dir ${folder}`)).toEqual({
      code: 0,
      out: "Wrote src/read-input.test.ts\nWrote src/read-input.ts\nChanged src/shop-handler.ts\n",
      err: "",
    });
    expect(filesIn(folder)["src/shop-handler.ts"]).toMatch(
      /import \{ readInput \} from "\.\/read-input\.ts";\n[^]*\.step\(readInput\)\.build\(\);/,
    );
  });

  test("a folder inside of a project is in the project", async () => {
    const folder = await project();
    expect((await run(`new resource Basket --dir ${folder}/deploy/samples`)).code).toBe(0);
    expect(Object.keys(filesIn(folder))).toContain("src/basket-handler.ts");
  });

  test("a folder that is no project is refused with what to do", async () => {
    const folder = testFolder();
    const { code, err } = await run(`new step a --dir ${folder}`);
    expect(code).toBe(2);
    expect(err).toMatch(/is no project of an operator: no package\.json .* depends on treadle\.\n.*--dir.*treadle new operator NAME/);
  });

  test("a package.json that is broken is named", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "package.json"), "{");
    expect((await run(`new step a --dir ${folder}`)).err).toMatch(/cannot read .*package\.json: /);
  });

  test("with several resources the one that gets it must be named, or is asked for", async () => {
    const folder = await project("resource Basket");
    expect((await run(`new step read-input --dir ${folder}`)).err).toMatch(/--for: Resource that gets it\n/);
    expect((await run(`new step read-input --for Cart --dir ${folder}`)).err).toMatch(/--for: "Cart" is not one of Basket, Shop/);
    expect((await run(`new step read-input --dir ${folder}`, { prompter: user("Basket").prompter })).code).toBe(0);
    expect(filesIn(folder)["src/basket-handler.ts"]).toContain(".step(readInput).build()");
  });

  test("the samples of two resources have different names, so their Deployments do", async () => {
    const files = filesIn(await project("resource ShoppingCart"));
    expect(files["deploy/samples/shop.yaml"]).toContain("\n  name: sample\n");
    expect(files["deploy/samples/shopping-cart.yaml"]).toContain("\n  name: shopping-cart-sample\n");
  });

  test("a name that the module uses already is refused, and nothing is written", async () => {
    const folder = await project();
    const before = filesIn(folder);
    expect((await run(`new step deployment --dir ${folder}`)).err).toMatch(
      /"deployment" cannot be used: src\/shop-handler\.ts has another "deployment"; choose/,
    );
    expect((await run(`new component server --dir ${folder}`)).err).toMatch(
      /"server" cannot be used: the component that would be written has another "server"/,
    );
    expect((await run(`new managed Provider --dir ${folder}`)).code).toBe(0);
    rmSync(folder, { recursive: true });
    expect(Object.keys(before)).not.toContain("src/deployment.ts");
  });

  test("a second addition of one name asks before it overwrites", async () => {
    const folder = await project("resource Basket");
    writeFileSync(join(folder, "src/read-input.ts"), "mine");
    const line = `new step read-input --for Shop --dir ${folder}`;
    expect((await run(line)).err).toMatch(/has src\/read-input\.ts\.\nNothing was written: choose another name, or add --force/);
    expect((await run(line, { prompter: user(false).prompter })).code).toBe(1);
    expect(readFileSync(join(folder, "src/read-input.ts"), "utf8")).toBe("mine");
    expect((await run(line, { prompter: user(true).prompter })).code).toBe(0);
    expect(readFileSync(join(folder, "src/read-input.ts"), "utf8")).toContain("export const readInput");
  });

  test("a line without a certain place is shown, and the rest is written", async () => {
    const folder = await project();
    const main = join(folder, "src/main.ts");
    writeFileSync(
      main,
      readFileSync(main, "utf8").replace("await manager.run();", "if (process.argv[2] !== undefined) await manager.run();"),
    );
    const before = readFileSync(main, "utf8");
    expect(await run(`new resource Basket --dir ${folder}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        "These lines have no certain place. Add them by hand:\n" +
          "  src/main.ts, before the manager runs:\n    manager.add(baskets);\n" +
          '  src/main.ts, beside the other imports:\n    import { baskets } from "./basket-handler.ts";\n',
      ),
    });
    expect(readFileSync(main, "utf8")).toBe(before);
    expect(Object.keys(filesIn(folder))).toContain("src/basket.ts");
  });

  test("a project that was written by hand gets parts too, beside the module of its kind", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, "src/shops"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "mine", dependencies: { treadle: "^0.1.0" } }));
    writeFileSync(join(folder, "src/shops/kind.ts"), "export const Shop = defineResource({ kind: 'Shop' });\n");
    writeFileSync(join(folder, "src/all.ts"), `import { Shop } from "./shops/kind.ts";\nexport const shops = handler(Shop).build();\n`);
    expect(await run(`new step read-input --dir ${folder}`)).toMatchObject({ code: 0, err: "" });
    const files = filesIn(folder);
    expect(files["src/shops/read-input.ts"]).toContain('import { Shop } from "./kind.ts";');
    expect(files["src/all.ts"]).toBe(
      `import { Shop } from "./shops/kind.ts";\nimport { readInput } from "./shops/read-input.ts";\nexport const shops = handler(Shop).step(readInput).build();\n`,
    );
    expect(files).not.toHaveProperty("treadle.json");
    expect((await run(`new component front --dir ${folder}`)).out).toContain(
      "  src/shops/kind.ts, in defineResource() of Shop:\n    dependents: true,\n",
    );
    expect((await run(`new resource Basket --dir ${folder}`)).err).toMatch(/--group: API group of the kind/);
  });

  test("a project without a resource is told to make one first", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { treadle: "^0.1.0" } }));
    expect((await run(`new step a --dir ${folder}`)).err).toMatch(
      /has no resource that a step could belong to[^]*treadle new resource KIND/,
    );
  });

  test("Ctrl-C leaves a project as it was", async () => {
    const folder = await project();
    const before = filesIn(folder);
    const terminal = fakeTerminal();
    terminal.interrupt();
    expect(await runTreadle(["new", "managed", "Bucket", "--dir", folder], terminal)).toBe(130);
    expect(filesIn(folder)).toEqual(before);
  });
});

test.for([
  "new",
  "new operator",
  "new resource",
  "new step",
  "new component",
  "new dependents",
  "new managed",
  "new webhook",
  "new plugin",
  "upgrade",
])("`treadle %s --help` has an example and fits into 40 columns", async (line) => {
  const { code, out } = await run(`${line} --help`, { columns: 40 });
  expect(code).toBe(0);
  const [help = "", examples] = out.replace(/^Usage: .*/, "").split("Examples:");
  expect(examples).toMatch(new RegExp(`\\n  treadle ${line}`));
  expect(help.split("\n").filter((each) => each.length > 40)).toEqual([]);
});

test("docs/getting-started.md shows the modules of the project that its first line makes", async () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "getting-started.md"), "utf8");
  const folder = join(testFolder(), "website-operator");
  expect((await run(`new operator website-operator --yes --dir ${folder}`)).code).toBe(0);
  const files = filesIn(folder);
  for (const path of ["src/website.ts", "src/website-handler.ts", "src/main.ts"]) {
    // Comments and imports are not in the page.
    const code = (files[path] ?? "").replaceAll(/\/\*\*[^]*?\*\/\n/g, "").replaceAll(/^import .*\n/gm, "");
    for (const part of code.split("\n\n").filter((each) => each.trim() !== "")) expect(page, path).toContain(part.trim());
  }
  expect(page).toContain('test("the step deployment creates');
  for (const path of ["src/website.test.ts", "deploy/samples/website.yaml"]) expect(Object.keys(files)).toContain(path);
});
