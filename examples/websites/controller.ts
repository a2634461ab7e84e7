/** A website is a Deployment. */
import { conditions, dependentApply, handler, validate } from "treadle";
import { Deployment } from "treadle/kinds";
import { rules } from "./rules.ts";
import { Website } from "./website.ts";

const deployment = dependentApply(Website, {
  name: "deployment",
  kind: Deployment,
  desired: (site) => {
    const labels = { website: site.metadata.name };
    return {
      spec: {
        replicas: site.spec.replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "web", image: "nginx:1.29", env: [{ name: "HOST", value: site.spec.host ?? "" }] }] },
        },
      },
    };
  },
});

export const websites = handler(Website).step(conditions()).step(validate(Website, rules)).step(deployment).build();
