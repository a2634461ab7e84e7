/** Switches of a dependent: the types of their functions, and the combinations that are refused. */
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { step } from "@treadle/reconcile";
import { z } from "zod";

const App = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ enabled: z.boolean(), text: z.string() }),
});
const region = step(App, { name: "region", do: (req) => req.next({ region: req.object.spec.text }) });
const page = { kind: ConfigMap, desired: {} } as const;

export const all = dependentApply(App, {
  name: "all",
  kind: ConfigMap,
  needs: [region],
  when: [(app) => app.spec.enabled, (_app, { vars }) => vars.region !== ""],
  orphanWhen: (app) => app.spec.text === "keep",
  includeWhen: (app, { isServed }) => app.spec.enabled && isServed(ConfigMap),
  until: (_app, { vars, now, revisit }) => {
    revisit(now());
    return vars.region === "eu" || "not there";
  },
  conditions: ["AllReady", { type: "Shown", ready: "ignored" }],
  desired: (app, { now }) => ({ data: { text: app.spec.text, at: String(now()) } }),
});
export const foreign = dependentApply(App, { name: "foreign", kind: ConfigMap, created: false, absent: "fail" });

// @error Property 'created' is missing in type '{ kind: BuiltInKind<V1ConfigMap>; desired: {}; name: "made"; absent: "ignore"; }' but required in type '{ readonly created: false;
export const made = dependentApply(App, { ...page, name: "made", absent: "ignore" });
// @error orphanWhen is for an object that the owner owns: leave out owned: false and created: false
export const unowned = dependentApply(App, { ...page, name: "unowned", owned: false, orphanWhen: (app) => app.spec.enabled });
// @error orphanWhen is for an object that the owner owns: leave out owned: false and created: false
export const theirs = dependentApply(App, { name: "theirs", kind: ConfigMap, created: false, orphanWhen: (app) => app.spec.enabled });
// @error Type 'Promise<boolean>' is not assignable to type 'boolean | undefined'
export const late = dependentApply(App, { ...page, name: "late", when: async (app) => app.spec.enabled });
// @error Type 'false' is not assignable to type 'string | true'
export const never = dependentApply(App, { ...page, name: "never", until: () => false });
