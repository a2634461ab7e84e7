/** Misuse of gives and each, and the sentences that the compiler shows for it. */
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { dependentApply, dependentApplyAll } from "@treadle/dependents";
import { handler } from "@treadle/reconcile";
import { z } from "zod";

const App = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ shards: z.array(z.object({ name: z.string() })) }),
});

const role = dependentApply(App, { name: "role", kind: Secret, created: false, gives: { arn: (secret) => secret.data?.["arn"] } });
const other = dependentApply(App, { name: "other", kind: ConfigMap, desired: {}, gives: { arn: (map) => map.data?.["arn"] } });
const user = dependentApply(App, {
  name: "user",
  kind: ConfigMap,
  needs: [role],
  desired: (_app, { vars }) => ({ data: { arn: vars.arn } }),
});

export const inOrder = handler(App).step(role).step(user);
export const together = handler(App).step(dependentApplyAll("parts", [user, role]));

// @error needs vars.arn: place the step that provides it before this one
export const without = handler(App).step(user);

// @error vars.arn is already provided by an earlier step
export const twice = handler(App).step(role).step(other);

// @error two steps provide vars.arn: rename it in one of them
export const twiceInGroup = dependentApplyAll("parts", [role, other]);

export const ambiguous = dependentApply(App, {
  name: "ambiguous",
  kind: ConfigMap,
  // @error two steps provide vars.arn: rename it in one of them
  needs: [role, other],
  desired: {},
});

export const keyless = dependentApply(App, {
  name: "keyless",
  kind: ConfigMap,
  // @error Property 'key' is missing
  each: (app) => app.spec.shards,
  desired: {},
});

export const late = dependentApply(App, {
  name: "late",
  kind: ConfigMap,
  desired: (_app, _inputs, item) => ({
    // @error 'item' is possibly 'undefined'
    data: { name: item.name },
  }),
  // @error is not assignable to type 'undefined'
  each: (app) => app.spec.shards.map((shard) => ({ key: shard.name, ...shard })),
});
