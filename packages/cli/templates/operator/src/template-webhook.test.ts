import { review } from "treadle/webhooks";
import { expect, test } from "vitest";
import { templateWebhook } from "./template-webhook.ts";

test.for([
  { name: "a", warnings: 0, problems: [] },
  { name: "test-a", warnings: 1, problems: [] },
  { name: "a".repeat(53), warnings: 0, problems: [{ path: "metadata.name", message: "at most 52 characters" }] },
])("the webhook of TemplateKind reviews the name $name", async ({ name, ...want }) => {
  const { warnings, problems } = await review(templateWebhook, { create: { metadata: { name }, spec: {} } });
  expect({ warnings: warnings.length, problems }).toEqual(want);
});
