/** The rules of a website: for the webhook, and for the step that looks at objects stored before the webhook. */
import type { Website } from "./website.ts";

export const rules = {
  problems: (site: Website) => (site.spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
};
