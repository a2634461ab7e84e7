import { expect, test } from "vitest";
import { refusalText } from "./refusal.ts";

const object = { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: "default" };

test.for([
  ['configmaps "a" is forbidden: User "mia" cannot patch resource "configmaps" in API group ""', /\nAsk for these rights/],
  ['configmaps "a" is forbidden: unable to create new content in namespace x because it is being terminated', /\nWait until the namespace/],
  ['configmaps "a" is forbidden: exceeded quota: few, requested: count/configmaps=1', /count\/configmaps=1$/],
] as const)("%s: the advice fits", ([message, want]) => {
  const refused = { object, action: "refuse", fields: [], reason: "Forbidden", message } as const;
  expect(refusalText([refused], { namespace: "default", name: "shop" })).toMatch(want);
});
