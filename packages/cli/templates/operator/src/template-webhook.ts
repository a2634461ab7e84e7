/** Refuses a TemplateKind where it enters the cluster, before it is stored. `fill` of the same declaration can complete it. */
import { webhooks } from "treadle/webhooks";
import { TemplateKind } from "./template-kind.ts";

/** A label has at most 63 characters, and the names of owned objects are longer than that of their owner. */
const MAX_NAME = 52;

export const templateWebhook = webhooks(TemplateKind, {
  problems({ metadata: { name } }, { old, warn }) {
    if (old !== undefined) return [];
    if (name.startsWith("test-")) warn("names with test- are for tests");
    return name.length > MAX_NAME ? [{ path: "metadata.name", message: `at most ${MAX_NAME} characters` }] : [];
  },
});
