/** The handler: a set of the objects in the folder, each with a label of its Fleet, and of robots in wave 2. */
import { conditions, dependentSet, handler, type Manifest, manifests, merged, object, type Renderer } from "treadle";
import { ConfigMap, CustomResourceDefinition, Deployment, Role, RoleBinding, Service, ServiceAccount } from "treadle/kinds";
import { Fleet, Robot } from "./fleet.ts";

const deploy = manifests<Fleet>(new URL("./deploy", import.meta.url), {
  edit: (each, { metadata: { name: fleet } }) => ({ ...each, metadata: { ...each.metadata, labels: { ...each.metadata.labels, fleet } } }),
});
const robot = (name: string): Manifest => object(Robot, { metadata: { name }, spec: { task: "carry" } }, { apply: 2 });
const robots: Renderer<Fleet> = ({ metadata, spec }) => Array.from({ length: spec.robots }, (_, i) => robot(`${metadata.name}-${i + 1}`));

const set = dependentSet(Fleet, {
  name: "fleet",
  condition: "FleetReady",
  kinds: [ConfigMap, CustomResourceDefinition, Deployment, Role, RoleBinding, Service, ServiceAccount, Robot],
  grants: [{ kind: Robot, verbs: ["list", "watch"] }],
  suspended: ({ spec }) => spec.paused,
  objects: merged(deploy, robots),
});
export const fleet = handler(Fleet).step(conditions()).step(set).build();
