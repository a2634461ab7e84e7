/** The code of a user who reviews two kinds, and the sentences that the compiler shows for mistakes in it. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Pod } from "@treadle/apimachinery/kinds";
import { defaults, one, validate } from "@treadle/reconcile";
import { deny, review, type Review, webhooks } from "@treadle/webhooks";
import { z } from "zod";

const Website = defineResource({
  group: "web.example.com",
  version: "v1",
  kind: "Website",
  scope: "Namespaced",
  spec: z.object({ host: z.string().optional(), replicas: z.int32().default(1) }),
});
interface Website extends ObjectOf<typeof Website> {}

const website = webhooks(Website, {
  fill(spec, site, { user }) {
    if (user.username === "guest") deny("guests create no websites");
    spec.host ??= `${site.metadata.name}.example.com`;
    // @error Property 'hosts' does not exist on type
    spec.hosts = [];
    // @error Type 'string' is not assignable to type 'number'
    spec.replicas = "1";
  },
  problems(site, { old, warn }) {
    if (site.spec.replicas > 5) warn("more than 5 replicas cost extra");
    // @error 'old' is possibly 'undefined'
    if (old.spec.host !== site.spec.host) warn("the host changes");
    // @error Cannot assign to 'replicas' because it is a read-only property
    site.spec.replicas = 1;
    return [];
  },
});

webhooks(Pod, {
  on: ["CREATE"],
  fill(spec) {
    spec.priorityClassName ??= "low";
    // @error Property 'metadata' does not exist on type
    spec.metadata = {};
  },
});

// @error Property 'path' is missing in type '{ field: string; message: string; }'
webhooks(Website, { problems: () => [{ field: "spec.host", message: "no" }] });

const reviewing = {
  fill(spec: { host?: string | undefined }, _: Website, { user }: Review<Website>): void {
    spec.host ??= user.username;
  },
  problems: (_: Website, { user }: Review<Website>): readonly string[] => (user.username === "ada" ? [] : ["only ada"]),
};
// @error Target signature provides too few arguments. Expected 3 or more, but got 2
defaults(Website, reviewing);
// @error Target signature provides too few arguments. Expected 2 or more, but got 1
validate(Website, reviewing);

// @error Type 'string' is not assignable to type 'number'
await review(website, { create: { metadata: { name: "a" }, spec: { replicas: "1" } } });

const limited = webhooks(Website, {
  reads: { limits: one(ConfigMap, () => ({ name: "limits" })) },
  problems: (_, { reads }) => (reads.limits === undefined ? ["no limits"] : []),
});
// @error Property 'reads' is missing
await review(limited, { create: { metadata: { name: "a" }, spec: {} } });
