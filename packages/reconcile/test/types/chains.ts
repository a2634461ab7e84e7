/** Chained reads, kinds that may be missing, conditions of earlier steps, backoffs and pauses: types, and what is refused. */
import { defineResource, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, Secret } from "@treadle/apimachinery/kinds";
import { conditions, guard, handler, many, one, owned, pause, step, through } from "@treadle/reconcile";
import { z } from "zod";

const Store = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "Store",
  scope: "Namespaced",
  spec: z.object({ secret: z.string(), parent: z.string().optional() }),
});
const App = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  spec: z.object({ config: z.string(), isHeld: z.boolean().default(false) }),
});
type App = ObjectOf<typeof App>;

const config = one(Store, (app: App) => app.spec.config);

export const chained = step(App, {
  name: "chained",
  conditions: ["Read"],
  reads: {
    config,
    secret: one(
      Secret,
      through(config, (store) => store.spec.secret),
    ),
    half: one(
      Store,
      through(config, (store) => store.spec.parent),
      { metadata: true, ifNotServed: "skip" },
    ),
  },
  owns: [Job, { kind: Deployment, ifNotServed: "skip" }],
  backoff: "external",
  do(req) {
    const texts: (string | undefined)[] = [req.reads.secret?.data?.["k"], req.reads.half?.metadata.name];
    void texts;
    const served: boolean = req.isServed(Deployment);
    void served;
    // @error Property 'spec' does not exist
    void req.reads.half?.spec;
  },
});

const half = one(ConfigMap, () => "m", { metadata: true });
const maps = many(ConfigMap, () => ({ matchLabels: {} }));
// @error Property 'nothing' does not exist
through(config, (store) => store.spec.nothing);
// @error Property 'data' does not exist
through(half, (map) => map.data);
// @error Type 'number' is not assignable to type 'string
through(config, () => 5);
// @error Type 'Promise<string>' is not assignable
through(config, async (store) => store.spec.secret);
// @error it reads several objects: go through a one()
through(maps, () => "x");
// @error it reads several objects: go through a one()
through(owned(Job), () => "x");

const two = step(App, { name: "two", conditions: ["First", { type: "Second", ready: "ignored" }], do() {} });
const none = step(App, { name: "none", do() {} });
const gate = guard(App, { name: "gate", condition: "Open", until: () => true });

export const asks = step(App, {
  name: "asks",
  do(req) {
    const status: string | undefined = req.conditions.of(chained)?.status;
    void status;
    req.conditions.of(chained, "Read");
    req.conditions.of(two, "Second");
    req.conditions.of(gate);
    req.conditions.of(gate, "Open");
    // @error Argument of type '"Other"' is not assignable
    req.conditions.of(chained, "Other");
    // @error Expected 2 arguments, but got 1
    req.conditions.of(two);
    // @error Expected 2 arguments, but got 1
    req.conditions.of(none);
    // @error the step declares no condition
    req.conditions.of(none, "Any");
  },
});

// @error Type '"soon"' is not assignable
export const soon = step(App, { name: "soon", backoff: "soon", do() {} });

// @error Type '"later"' is not assignable
export const owning = step(App, { name: "owning", owns: [{ kind: Job, ifNotServed: "later" }], do() {} });

export const held = handler(App)
  .step(conditions())
  .step(pause())
  .step(pause({ when: (app: App) => app.spec.isHeld && "the spec holds it" }))
  // @error Type 'true' is not assignable to type 'string | false | undefined'
  .step(pause({ when: () => true }))
  // @error Promise<string>
  .step(pause({ when: async () => "later" }))
  // @error this step is for another kind, or the kind lacks a field that the step reads
  .step(pause({ when: (app: KubernetesObject & { readonly spec: { readonly other: number } }) => app.spec.other > 0 && "other" }));
