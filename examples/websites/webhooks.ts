/** What is completed, refused and converted where objects enter the cluster. */
import { Pod } from "treadle/kinds";
import { webhooks } from "treadle/webhooks";
import { rules } from "./rules.ts";
import { Website } from "./website.ts";

export const website = webhooks(Website, {
  fill(spec, site) {
    spec.host ??= `${site.metadata.name}.example.com`;
  },
  problems(site, { old, warn }) {
    if (site.spec.replicas > 5) warn("more than 5 replicas cost extra");
    const hasMoved = old !== undefined && old.spec.host !== site.spec.host;
    return [...rules.problems(site), ...(hasMoved ? [{ path: "spec.host", message: "cannot change" }] : [])];
  },
  convert: {
    v1alpha1: {
      up: ({ spec }) => ({ spec: { host: spec.domain, replicas: spec.size } }),
      down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
    },
  },
});

/** Pods of team a get a low priority; without an answer they are created all the same. */
export const pods = webhooks(Pod, {
  on: ["CREATE"],
  objectSelector: { matchLabels: { team: "a" } },
  failurePolicy: "Ignore",
  fill(spec) {
    if (spec.priorityClassName !== undefined) return;
    spec.priorityClassName = "low";
    // The API server has computed the priority without a class before. It refuses a pod where both differ, and computes what is absent.
    delete spec.priority;
    delete spec.preemptionPolicy;
  },
});
