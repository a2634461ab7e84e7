import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonSchema } from "../crd-types.ts";
import { crdOf, defineResource } from "../define-resource.ts";
import * as schemas from "./index.ts";
import { container, containerPort, objectMeta, podSpec, podTemplateSpec, quantity, resourceRequirements } from "./index.ts";

function specOf(spec: z.ZodObject): Readonly<Record<string, JsonSchema>> {
  const crd = crdOf(defineResource({ group: "g.example.com", version: "v1", kind: "Probe", scope: "Namespaced", spec }));
  return crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"]?.properties ?? {};
}

const template = { spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] } };

test("a template takes what a Pod has, and fills in the protocol of a port", () => {
  expect(podTemplateSpec().parse(template)).toEqual({
    spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, protocol: "TCP" }] }] },
  });
});

test.for([
  { name: "a container without a name", value: { spec: { containers: [{ image: "i" }] } }, path: ["spec", "containers", 0, "name"] },
  { name: "an unknown restart policy", value: { spec: { ...template.spec, restartPolicy: "Sometimes" } }, path: ["spec", "restartPolicy"] },
  {
    name: "a quantity with an unknown suffix",
    value: { spec: { containers: [{ name: "c", resources: { limits: { cpu: "1x" } } }] } },
    path: ["spec", "containers", 0, "resources", "limits", "cpu"],
  },
  { name: "a label that is not a string", value: { metadata: { labels: { a: 1 } } }, path: ["metadata", "labels", "a"] },
])("$name is refused at its path", ({ value, path }) => {
  expect(podTemplateSpec().safeParse(value).error?.issues[0]?.path).toEqual(path);
});

test.for(["1", "500m", "2Gi", "1e3", "-5", ".5", 1])("%s is a quantity", (value) => {
  expect(quantity().safeParse(value).success).toBe(true);
});

test.for(["", "1x", "Gi", "1 Gi", 0.5])("%s is not a quantity", (value) => {
  expect(quantity().safeParse(value).success).toBe(false);
});

test("the CRD has the descriptions of Kubernetes, and the author's text wins", () => {
  const spec = specOf(z.object({ plain: podSpec(), described: podSpec().describe("The pods.") }));
  expect(spec["plain"]?.description).toBe("PodSpec is a description of a pod.");
  expect(spec["described"]?.description).toBe("The pods.");
  expect(spec["described"]?.properties?.["containers"]?.description).toContain("List of containers belonging to the pod.");
  expect(spec["plain"]?.properties?.["affinity"]?.description).toBe("If specified, the pod's scheduling constraints");
});

test("descriptions: false leaves all descriptions out, and everything else in", () => {
  const spec = specOf(z.object({ long: podTemplateSpec(), short: podTemplateSpec({ descriptions: false }) }));
  expect(JSON.stringify(spec["short"])).not.toContain('"description":"');
  expect(spec["short"]).toEqual(withoutDescriptions(spec["long"]));
  expect(JSON.stringify(spec["short"]).length).toBeLessThan(JSON.stringify(spec["long"]).length / 4);
});

test("lists merge as in a Pod", () => {
  const { ports } = specOf(z.object({ container: container() }))["container"]?.properties ?? {};
  expect(ports).toMatchObject({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["containerPort", "protocol"] });
  expect(ports?.items?.properties?.["protocol"]?.default).toBe("TCP");
});

test("the metadata of a template has its labels, annotations, finalizers, name and namespace", () => {
  expect(Object.keys(objectMeta().shape)).toEqual(["annotations", "finalizers", "labels", "name", "namespace"]);
});

test("a shape is a zod object, so a resource can take a part of it or add to it", () => {
  expect(
    resourceRequirements()
      .omit({ claims: true })
      .parse({ claims: [{ name: "x" }], limits: { cpu: "1" } }),
  ).toEqual({ limits: { cpu: "1" } });
  const named = containerPort().extend({ name: z.string() });
  expect(named.safeParse({ containerPort: 1 }).success).toBe(false);
  const overlay = podSpec().partial({ containers: true });
  expect(overlay.parse({ nodeName: "n" })).toEqual({ nodeName: "n" });
  expect(specOf(z.object({ overlay }))["overlay"]?.required).toBeUndefined();
});

test("two calls return two schemas", () => {
  expect(podSpec()).not.toBe(podSpec());
});

test.for(Object.keys(schemas))("%s has a type in the CRD", (name) => {
  const shape = (schemas as Readonly<Record<string, (options?: schemas.SchemaOptions) => z.ZodType>>)[name];
  expect(specOf(z.object({ field: shape?.() ?? z.string() }))["field"]).toEqual(
    name === "quantity" || name === "intOrString"
      ? expect.objectContaining({ "x-kubernetes-int-or-string": true })
      : expect.objectContaining({ type: "object", properties: expect.anything(), description: expect.any(String) }),
  );
});

test("importing apimachinery and its kinds loads no schema", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(new URL("../index.ts", import.meta.url).href)});
    await import(${JSON.stringify(new URL("../kinds.ts", import.meta.url).href)});
    const before = loaded.filter((url) => url.includes("/src/schemas/"));
    await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
    console.log(JSON.stringify({ before, after: loaded.filter((url) => url.includes("/src/schemas/")).length }));`;
  const { before, after } = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
  expect(before).toEqual([]);
  expect(after).toBeGreaterThan(5);
});

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, member]) => key !== "description" || typeof member !== "string");
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutDescriptions(member)]));
}
