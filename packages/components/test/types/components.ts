/** Misuse of component(), and the sentences that the compiler shows for it. */
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Deployment } from "@treadle/apimachinery/kinds";
import { component } from "@treadle/components";
import { dependentApply } from "@treadle/dependents";
import { handler, step } from "@treadle/reconcile";
import { z } from "zod";

const App = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ text: z.string() }),
});
const Other = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "Other",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ size: z.int32() }),
});

const region = step(App, { name: "region", conditions: ["RegionReady"], do: (req) => req.next({ region: req.object.spec.text }) });
const none = step(App, { name: "none", do: () => undefined });
const two = step(App, { name: "two", conditions: ["One", "Two"], do: () => undefined });
const config = dependentApply(App, { name: "config", kind: ConfigMap, desired: {}, gives: { text: (live) => live.data?.["text"] } });
const twin = dependentApply(App, { name: "twin", kind: ConfigMap, desired: {}, gives: { text: (live) => live.data?.["text"] } });
const other = dependentApply(Other, { name: "other", kind: ConfigMap, desired: {} });
const needy = dependentApply(App, {
  name: "needy",
  kind: ConfigMap,
  needs: [region],
  desired: (_app, { vars }) => ({ data: { region: vars.region } }),
});
const web = { name: "web", condition: "WebReady", resources: [config] } as const;
const ofOther = component(Other, { name: "of-other", condition: "OtherReady", resources: [other] });
const storage = component(App, { name: "storage", condition: "StorageReady", resources: [needy] });

// @error the resource other is for owners of another kind: make it with the kind of the component
export const foreign = component(App, { name: "web", condition: "WebReady", resources: [config, other] });
// @error a resource is made by dependentApply(): place other steps next to the component, and list components in after
export const plain = component(App, { name: "web", condition: "WebReady", resources: [region] });
// @error a resource is made by dependentApply(): place other steps next to the component, and list components in after
export const nested = component(App, { name: "web", condition: "WebReady", resources: [storage] });
// @error two steps provide vars.text: rename it in one of them
export const twice = component(App, { name: "web", condition: "WebReady", resources: [config, twin] });
// @error 'grace' does not exist in type 'ComponentOptions
export const unknown = component(App, { name: "web", condition: "WebReady", resources: [config], grace: 5 });
// @error Type 'string' is not assignable to type 'number'
export const text = component(App, { ...web, graceMs: "5m" });
// @error Type 'number' is not assignable to type 'string | true | Promise<string | true>'
export const answer = component(App, { ...web, until: () => 5 });
// @error Type '"all"' is not assignable to type '"dependants" | "rest"'
export const word = component(App, { ...web, blocked: "all" });
// @error a step in after has exactly one condition: list a component, or a step with one condition
export const afterNone = component(App, { ...web, after: [none] });
// @error a step in after has exactly one condition: list a component, or a step with one condition
export const afterTwo = component(App, { ...web, after: [two] });
// @error a step in after is for owners of another kind
export const afterOther = component(App, { ...web, after: [ofOther] });
// @error Property 'status' does not exist on type
export const record = component(App, { ...web, kinds: [{ kind: ConfigMap, category: "workload", isSuspended: (live) => !live.status }] });
// @error Type '"server"' is not assignable to type 'Category'
export const category = component(App, { ...web, kinds: [{ kind: Deployment, category: "server" }] });

// @error needs vars.region: place the step that provides it before this one
export const without = handler(App).step(storage);
// @error is for another kind
export const elsewhere = handler(App).step(ofOther);
// @error 'txt' does not exist in type
export const preview = storage.preview({ spec: { txt: "" } });
// @error 'area' does not exist in type
export const data = storage.preview({ spec: { text: "" } }, { data: { area: "eu" } });
