/** The functions alone, without a server. */
import { review } from "treadle/webhooks";
import { roundTrips } from "@treadle/webhooks/testing";
import { expect, test } from "vitest";
import { pods, website } from "./webhooks.ts";

const a = { name: "a" };

test("a website without a host gets one", async () => {
  const { object, problems, warnings } = await review(website, { create: { metadata: a, spec: {} } });
  expect(object.spec).toEqual({ host: "a.example.com", replicas: 1 });
  expect([problems, warnings]).toEqual([[], []]);
});

test.for([
  { replicas: 5, warnings: [], problems: [] },
  { replicas: 6, warnings: ["more than 5 replicas cost extra"], problems: [] },
  {
    replicas: 11,
    warnings: ["more than 5 replicas cost extra"],
    problems: [{ path: "spec.replicas", message: "at most 10" }],
  },
])("$replicas replicas have the warnings and problems of the rules", async ({ replicas, ...want }) => {
  const { warnings, problems } = await review(website, { create: { metadata: a, spec: { replicas } } });
  expect({ warnings, problems }).toEqual(want);
});

test("the host of a website cannot change", async () => {
  const old = { metadata: a, spec: { host: "a.example.com" } };
  const { problems } = await review(website, { old, update: { ...old, spec: { host: "b.example.com" } } });
  expect(problems).toEqual([{ path: "spec.host", message: "cannot change" }]);
});

test("a pod without a priority gets a low one", async () => {
  const pod = { metadata: a, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const { object } = await review(pods, { create: pod });
  expect(object.spec?.priorityClassName).toBe("low");
});

test("a website loses nothing on the way to v1alpha1 and back", async () => {
  await roundTrips(website, { runs: 200, seed: 1 });
});
