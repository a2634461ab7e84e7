/** Ten objects for each Stack: what the operator of the benchmark does in the mode "sets". */
import { all, conditions, dependentApply, type Handler, handler, step } from "treadle";
import { ConfigMap, Service, ServiceAccount } from "treadle/kinds";
import { Stack } from "./kinds.ts";

/** `passed` is called at the end of each pass. */
export function stacks(passed: () => void): Handler<Stack> {
  const counted = step(Stack, {
    name: "count",
    do() {
      passed();
    },
  });
  const maps = Array.from({ length: 8 }, (_, i) =>
    dependentApply(Stack, {
      name: `config-${i}`,
      kind: ConfigMap,
      objectName: (s) => `${s.metadata.name}-${i}`,
      desired: (s) => ({ data: { text: s.spec.text, part: `${i}` } }),
    }),
  );
  const account = dependentApply(Stack, { name: "account", kind: ServiceAccount, desired: {} });
  const service = dependentApply(Stack, {
    name: "service",
    kind: Service,
    desired: (s) => ({ spec: { clusterIP: "None", selector: { stack: s.metadata.name }, ports: [{ port: 80 }] } }),
  });
  return handler(Stack)
    .step(conditions())
    .step(all("objects", [...maps, account, service]))
    .step(counted)
    .build();
}
