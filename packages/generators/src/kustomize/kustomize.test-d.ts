import { defineResource, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { dependentSet, type Manifest } from "@treadle/dependents";
import { one } from "@treadle/reconcile";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { kustomize } from "./kustomize.ts";

const Web = defineResource({ group: "t.dev", version: "v1", kind: "Web", scope: "Namespaced", spec: z.object({ size: z.int() }) });
type Web = ObjectOf<typeof Web>;
const common = { name: "web", condition: "WebReady", kinds: [ConfigMap] } as const;

test("owner and reads are inferred in the options of kustomize()", () => {
  dependentSet(Web, {
    ...common,
    reads: { license: one(Secret, (web) => String(web.spec.size)) },
    objects: kustomize(new URL("deploy", import.meta.url), {
      template: true,
      values: (web, { reads }) => {
        expectTypeOf(web).toEqualTypeOf<Web>();
        expectTypeOf(reads.license).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
        return { size: web.spec.size };
      },
      parameters: (parameters, web) => ({ ...parameters, more: web.spec.size }),
      edit: (each, web) => {
        expectTypeOf(each).toEqualTypeOf<Manifest>();
        expectTypeOf(web).toEqualTypeOf<Web>();
        return each;
      },
    }),
  });
});

test("a folder fits every set", () => {
  dependentSet(Web, { ...common, objects: kustomize("deploy") });
  dependentSet(Web, { ...common, objects: kustomize("deploy", { template: (file) => file !== "a.yaml", values: { a: 1 } }) });
});

test("wrong options are errors", () => {
  // @ts-expect-error values are an object
  kustomize("deploy", { template: true, values: 1 });
  // @ts-expect-error an edit returns an object
  kustomize("deploy", { edit: (each: Manifest, _owner: KubernetesObject) => each.metadata.name });
});
