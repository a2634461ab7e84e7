import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { dependentApply, layered } from "@treadle/dependents";
import { expect, test } from "vitest";
import { z } from "zod";
import { component } from "../component.ts";
import type { AnyComponent } from "../types.ts";
import { type GoldenCases, goldenPlanOf, staleGoldens } from "./golden-plan.ts";
import { toYaml } from "./to-yaml.ts";

const App = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ text: z.string().default("a"), old: z.boolean().default(false), exporter: z.boolean().default(false) }),
});

const secret = dependentApply(App, { name: "secret", kind: Secret, created: false, gives: { user: (live) => live.data?.["user"] } });
const settings = dependentApply(App, {
  name: "settings",
  kind: ConfigMap,
  desired: layered(
    (app) => ({ data: { text: app.spec.text } }),
    [
      { name: "long", when: (app) => app.spec.text.length > 3, merge: { data: { long: "true" } } },
      { name: "old", layer: "compat", when: (app) => app.spec.old, merge: { data: { old: "true" } } },
    ],
  ),
});
const exporter = dependentApply(App, {
  name: "exporter",
  kind: ConfigMap,
  needs: [secret],
  objectName: "exporter",
  when: (app) => app.spec.exporter,
  desired: (_app, { vars }) => ({ data: { user: vars.user } }),
});
const web = component(App, { name: "web", condition: "WebReady", resources: [secret, settings, exporter] });
const plain = component(App, { name: "plain", condition: "PlainReady", resources: [settings] });

const plan = (given: AnyComponent, cases: unknown) => goldenPlanOf(given, cases as GoldenCases<unknown>, { data: { user: "anna" } });
const spec = (fields: object = {}): object => ({ object: { spec: fields } });

test("there is one file for each distinct set of layers, named by its first case", () => {
  const { files, problems } = plan(plain, {
    basic: spec(),
    another: spec({ text: "b" }),
    long: spec({ text: "long" }),
    "long and old": spec({ text: "long", old: true }),
    longer: spec({ text: "longer" }),
  });
  expect([...files.keys()]).toEqual(["plain.basic.yaml", "plain.long.yaml", "plain.long-and-old.yaml"]);
  expect(files.get("plain.long.yaml")).toBe(toYaml(plain.preview({ spec: { text: "long" } })));
  expect(problems).toEqual([]);
});

test("a case with objects of other resources has its own file", () => {
  const { files } = plan(web, { basic: spec(), exporter: spec({ exporter: true }), off: spec() });
  expect([...files.keys()]).toEqual(["web.basic.yaml", "web.exporter.yaml"]);
  expect(files.get("web.exporter.yaml")).toContain("user: anna");
});

test("a list of cases gives the same files, and a case replaces the data of all", () => {
  const { files } = plan(web, [
    { name: "basic", object: { spec: {} } },
    { name: "exporter", object: { spec: { exporter: true } }, data: { user: "berta" } },
  ]);
  expect([...files.keys()]).toEqual(["web.basic.yaml", "web.exporter.yaml"]);
  expect(files.get("web.exporter.yaml")).toContain("user: berta");
});

test("each layer that no case fires is a problem", () => {
  expect(plan(web, { basic: spec({ text: "long" }) }).problems).toContain(
    'no case fires the layer "old" of "settings": add a case in which its gates hold',
  );
});

test("the layers of a resource that no case has objects of are problems, too", () => {
  const off = dependentApply(App, { name: "off", kind: ConfigMap, when: () => false, desired: layered({}, [{ name: "a", merge: {} }]) });
  const { files, problems } = plan(component(App, { name: "off", condition: "Off", resources: [off] }), { basic: spec() });
  expect(problems).toEqual(['no case fires the layer "a" of "off": add a case in which its gates hold']);
  expect(files.get("off.basic.yaml")).toBe("# No objects.\n");
});

test("a golden of the component that no case gives is stale; goldens of other components are not", () => {
  const given = plan(plain, { basic: spec() });
  const names = ["plain.gone.yaml", "plain.basic.yaml", "plain-two.a.yaml", "web.a.yaml", "plain.txt", "plain.a.yaml"];
  expect(staleGoldens("plain", given, names)).toEqual(["plain.a.yaml", "plain.gone.yaml"]);
});

test.for([
  { name: "no cases", cases: {}, want: "there are no cases: add one, such as { plain: { object: { spec: {} } } }" },
  { name: "an empty list", cases: [], want: "there are no cases: add one, such as { plain: { object: { spec: {} } } }" },
  { name: "no record", cases: "a", want: "cases must be a record or a list of cases, each with an object" },
  {
    name: "two cases of one name",
    cases: [
      { name: "a", object: {} },
      { name: "a", object: {} },
    ],
    want: 'two cases have the name "a": rename one of them',
  },
  {
    name: "two cases of one file",
    cases: { "a b": spec(), "A-b": spec() },
    want: 'the cases "a b" and "A-b" have the same file name: rename one of them',
  },
  { name: "no name", cases: [{ object: {} }], want: "a case has the name undefined: its name needs a letter or a digit, for the file" },
  {
    name: "a name without letters",
    cases: { "../": spec() },
    want: 'a case has the name "../": its name needs a letter or a digit, for the file',
  },
  { name: "no object", cases: { a: {} }, want: 'the case "a" has no object: give it the owner, { object: { spec: { ... } } }' },
])("$name is refused", ({ cases, want }) => {
  expect(() => plan(plain, cases)).toThrow(new TypeError(`goldens of component "plain": ${want}`));
});

test("a case that cannot be rendered is named", () => {
  expect(() => goldenPlanOf(web, { exporter: { object: { spec: { exporter: true } } } })).toThrow(
    'goldens of component "web": cannot render the case "exporter": step "exporter": desired threw: the preview has no value for vars.user: give it in data: { user: ... }',
  );
});

test("what is not a component is refused", () => {
  expect(() => plan(settings as never, { a: spec() })).toThrow(
    new TypeError("expectGoldens: the first argument must be what component() returned"),
  );
});
