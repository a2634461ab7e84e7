/** The sentences that the compiler shows for mistakes in conversions. */
import { defineResource } from "@treadle/apimachinery";
import { webhooks } from "@treadle/webhooks";
import { z } from "zod";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ host: z.string(), replicas: z.int32().default(1) }) },
    v1beta1: { spec: z.object({ host: z.string() }) },
    v1alpha1: { spec: z.object({ domain: z.string() }) },
  },
});

webhooks(Website, {
  // @error Property 'v1alpha1' is missing in type
  convert: {
    v1beta1: { up: ({ spec }) => ({ spec: { ...spec, replicas: 1 } }), down: ({ spec }) => ({ spec: { host: spec.host } }) },
  },
});

webhooks(Website, {
  convert: {
    v1beta1: { up: ({ spec }) => ({ spec: { ...spec, replicas: 1 } }), down: ({ spec }) => ({ spec: { host: spec.host } }) },
    v1alpha1: {
      // @error Property 'replicas' is missing in type '{ host: string; }'
      up: ({ spec }) => ({ spec: { host: spec.domain } }),
      // @error Property 'name' does not exist on type
      down: ({ spec }) => ({ spec: { domain: spec.name } }),
    },
  },
});

// @error Property 'convert' is missing in type
webhooks(Website, { problems: () => [] });
webhooks(Website, { problems: () => [], convert: "none" });
