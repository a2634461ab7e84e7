import { ApiError, fakeClock } from "@treadle/apimachinery";
import { ConfigMap, Node } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { logFailures } from "./informer-failures.ts";

test.for([
  { kind: ConfigMap, where: "at the cluster scope", names: true, reason: "its rights may be of some namespaces only" },
  { kind: ConfigMap, where: 'in the namespace "a"', names: false, reason: "it watches that namespace only" },
  { kind: Node, where: "at the cluster scope", names: false, reason: "a Node has no namespace" },
])("a list of $kind.kind that is forbidden $where: createManager({ namespaces }) is named: $names", ({ kind, where, names, reason }) => {
  const lines: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, text: string) => void lines.push(text) };
  const message = `${kind.plural} is forbidden: User "op" cannot list resource "${kind.plural}" in API group "" ${where}`;
  logFailures(log, fakeClock())(new ApiError({ message, status: 403, reason: "Forbidden" }), "list", kind);
  expect(lines).toEqual([expect.stringContaining(`allow list and watch of ${kind.plural} to the operator's service account`)]);
  expect(lines[0]?.includes("createManager({ namespaces })"), reason).toBe(names);
});
