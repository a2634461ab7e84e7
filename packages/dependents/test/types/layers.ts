/** Layers as an author writes them: every misuse must be refused with the sentence in the comment above it. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment } from "@treadle/apimachinery/kinds";
import { containers, dependentApply, layered, onPods, version } from "@treadle/dependents";
import { z } from "zod";

const App = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ version: z.string() }),
});
type App = ObjectOf<typeof App>;
const ofApp = (app: App): string => app.spec.version;

export const web = dependentApply(App, {
  name: "web",
  kind: Deployment,
  desired: layered({ spec: {} }, [
    // @error 'replica' does not exist in type
    { name: "a", merge: { spec: { replica: 1 } } },
    // @error Type 'string' is not assignable to type 'number'
    { name: "b", merge: { spec: { replicas: "1" } } },
    // @error 'container' does not exist in type
    { name: "c", merge: onPods({ container: [] }) },
    // @error 'img' does not exist in type
    { name: "d", merge: containers("web", { img: "web:2" }) },
    // @error Property 'region' does not exist
    { name: "e", when: (_app, { vars }) => vars.region === "eu", merge: {} },
    // @error Type '"last"' is not assignable to type 'LayerPhase'
    { name: "f", layer: "last", merge: {} },
    // @error Type 'Promise<boolean>' is not assignable to type 'boolean | undefined'
    { name: "g", when: async (app) => app.spec.version === "1", merge: {} },
    // @error Argument of type 'number' is not assignable to parameter of type 'string'
    { name: "h", when: version(ofApp, 2), merge: {} },
  ]),
});

export const config = dependentApply(App, {
  name: "config",
  kind: ConfigMap,
  desired: layered({ data: {} }, [
    // @error is not assignable to type 'PodsDraft'
    { name: "a", merge: onPods({ containers: [] }) },
  ]),
});
