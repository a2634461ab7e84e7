import { expect, test } from "vitest";
import { MAX_WAITING, WaitingGraph, type WaitingNode } from "./waiting-graph.ts";

const node = (id: string): WaitingNode => ({ id, title: `title of ${id}` });

test.for<{ name: string; edges: Readonly<Record<string, readonly string[]>>; want: readonly string[] | undefined }>([
  { name: "no edges", edges: {}, want: undefined },
  { name: "a chain", edges: { a: ["b"], b: ["c"] }, want: undefined },
  { name: "two objects", edges: { a: ["b"], b: ["a"] }, want: ["a", "b", "a"] },
  { name: "the shortest of two circles", edges: { a: ["b", "d"], b: ["c"], c: ["a"], d: ["a"] }, want: ["a", "d", "a"] },
  { name: "a circle of others", edges: { a: ["b"], b: ["c"], c: ["b"] }, want: undefined },
  { name: "a diamond", edges: { a: ["b", "c"], b: ["d"], c: ["d"] }, want: undefined },
])("the circle of a in $name is $want", ({ edges, want }) => {
  const graph = new WaitingGraph();
  for (const [id, others] of Object.entries(edges)) graph.record(node(id), others.map(node));
  expect(graph.circleOf(node("a"))?.map(({ id }) => id)).toEqual(want);
});

test("an object that waits for nothing is forgotten", () => {
  const graph = new WaitingGraph();
  graph.record(node("a"), [node("b")]);
  graph.record(node("a"), []);
  expect(graph.size).toBe(0);
});

test("the graph forgets the entry that was recorded first, so that deleted objects do not fill it", () => {
  const graph = new WaitingGraph();
  graph.record(node("first"), [node("x")]);
  graph.record(node("second"), [node("second")]);
  graph.record(node("first"), [node("first")]);
  for (let at = 0; at < MAX_WAITING - 1; at++) graph.record(node(`n${at}`), [node("x")]);
  expect(graph.size).toBe(MAX_WAITING);
  expect(graph.circleOf(node("first"))).toBeDefined();
  expect(graph.circleOf(node("second"))).toBeUndefined();
});
