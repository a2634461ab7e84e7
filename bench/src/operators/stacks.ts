/** Ten objects for each Stack: what the operator of the benchmark does in the mode "sets". */
import { conditions, dependentSet, type Handler, handler, object, step } from "treadle";
import { ConfigMap, Service, ServiceAccount } from "treadle/kinds";
import { Stack } from "./kinds.ts";

const stack = dependentSet(Stack, {
  name: "stack",
  condition: "StackReady",
  kinds: [ConfigMap, Service, ServiceAccount],
  objects: ({ metadata: { name }, spec: { text } }) => [
    ...Array.from({ length: 8 }, (_, i) => object(ConfigMap, { metadata: { name: `${name}-${i}` }, data: { text, part: `${i}` } })),
    object(ServiceAccount, { metadata: { name } }),
    object(Service, { metadata: { name }, spec: { clusterIP: "None", selector: { stack: name }, ports: [{ port: 80 }] } }),
  ],
});

/** `passed` is called at the end of each pass. */
export function stacks(passed: () => void): Handler<Stack> {
  const counted = step(Stack, {
    name: "count",
    do() {
      passed();
    },
  });
  return handler(Stack).step(conditions()).step(stack).step(counted).build();
}
