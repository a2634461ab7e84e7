import { describe, expect, test } from "vitest";
import { labelKeyProblems, labelValueProblems } from "./names.ts";
import type { KubernetesObject, ObjectMeta, OwnerReference } from "./objects.ts";
import {
  canReference,
  controllerReference,
  type Ownership,
  ownerAnnotations,
  ownerId,
  ownerIdLabel,
  ownerLabels,
  ownership,
} from "./ownership.ts";

const handler = "widgets.example.dev";
const widget = (metadata: Partial<ObjectMeta> = {}): KubernetesObject => ({
  apiVersion: "example.dev/v1",
  kind: "Widget",
  metadata: { name: "w", namespace: "ns", uid: "u1", ...metadata },
});
const secret = (metadata: Partial<ObjectMeta> = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "ns", ...metadata },
});
const reference = (given: Partial<OwnerReference> = {}): OwnerReference => ({ ...controllerReference(widget()), ...given });
const other = widget({ name: "other", uid: "u2" });

test.for<{ name: string; metadata: Partial<ObjectMeta>; want: Ownership["type"]; owner?: RegExp }>([
  { name: "neither reference nor label", metadata: {}, want: "free" },
  { name: "our controller reference", metadata: { ownerReferences: [reference()] }, want: "ours" },
  {
    name: "our controller reference after an upgrade of the API version",
    metadata: { ownerReferences: [reference({ apiVersion: "example.dev/v2" })] },
    want: "ours",
  },
  { name: "our label", metadata: { labels: ownerLabels(widget(), handler) }, want: "ours" },
  { name: "our label beside other labels", metadata: { labels: { app: "x", ...ownerLabels(widget(), handler) } }, want: "ours" },
  {
    name: "our label and our reference",
    metadata: { labels: ownerLabels(widget(), handler), ownerReferences: [reference()] },
    want: "ours",
  },
  {
    name: "a reference of ours that is not the controller's",
    metadata: { ownerReferences: [reference({ controller: false })] },
    want: "free",
  },
  {
    name: "a foreign controller",
    metadata: { ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "u9", controller: true }] },
    want: "foreign",
    owner: /^Deployment d \(apps\/v1, uid u9\)$/,
  },
  {
    name: "our label, but a foreign controller",
    metadata: { labels: ownerLabels(widget(), handler), ownerReferences: [reference({ name: "other", uid: "u2" })] },
    want: "foreign",
    owner: /^Widget other \(example\.dev\/v1, uid u2\)$/,
  },
  {
    name: "a controller of our name with another uid: what was here before we were re-created",
    metadata: { ownerReferences: [reference({ uid: "u0" })] },
    want: "foreign",
    owner: /^Widget w .*uid u0.*an earlier or other object of the same name/,
  },
  {
    name: "our reference beside a foreign controller",
    metadata: {
      ownerReferences: [reference({ controller: false }), { apiVersion: "v1", kind: "X", name: "x", uid: "u3", controller: true }],
    },
    want: "foreign",
    owner: /^X x/,
  },
  {
    name: "our label with the id of another owner",
    metadata: { labels: ownerLabels(other, handler) },
    want: "foreign",
    owner: /^the object with owner-id "[0-9a-f]{32}", managed by widgets\.example\.dev$/,
  },
  {
    name: "our label with the id of another owner, whose name is in the annotation",
    metadata: { labels: ownerLabels(other, handler), annotations: ownerAnnotations(other, handler) },
    want: "foreign",
    owner: /^Widget ns\/other, managed by widgets\.example\.dev$/,
  },
  {
    name: "the label of another handler",
    metadata: { labels: ownerLabels(other, "gadgets.example.dev") },
    want: "foreign",
    owner: /managed by gadgets\.example\.dev$/,
  },
  {
    name: "another handler of the very same owner",
    metadata: { labels: ownerLabels(widget(), "widgets-backup.example.dev") },
    want: "foreign",
    owner: /^the same object, managed by widgets-backup\.example\.dev$/,
  },
  { name: "labels of other purposes", metadata: { labels: { app: "x", "example.dev/owner": "y" } }, want: "free" },
  { name: "an empty label", metadata: { labels: { [ownerIdLabel(handler)]: "" } }, want: "foreign", owner: /owner-id ""/ },
])("$name: $want", ({ metadata, want, owner }) => {
  const answer = ownership(secret(metadata), widget(), handler);
  expect(answer.type).toBe(want);
  if (owner !== undefined) expect(answer.type === "foreign" && answer.owner).toMatch(owner);
});

describe("the owner id", () => {
  test("is a label value, and its label a label key", () => {
    expect(labelValueProblems(ownerId(widget()))).toEqual([]);
    expect(labelKeyProblems(ownerIdLabel(handler))).toEqual([]);
  });

  test("does not depend on the version in which the owner was read", () => {
    expect(ownerId({ ...widget(), apiVersion: "example.dev/v2" })).toBe(ownerId(widget()));
  });

  test.for([
    { name: "name", owner: widget({ name: "x" }) },
    { name: "namespace", owner: widget({ namespace: "x" }) },
    { name: "uid", owner: widget({ uid: "x" }) },
    { name: "kind", owner: { ...widget(), kind: "Gadget" } },
    { name: "group", owner: { ...widget(), apiVersion: "example.org/v1" } },
    // the parts are separated: ns + w differs from n + sw
    { name: "the border between namespace and name", owner: widget({ namespace: "n", name: "sw" }) },
  ])("depends on the $name", ({ owner }) => {
    expect(ownerId(owner)).not.toBe(ownerId(widget()));
  });

  test("an owner without uid is refused", () => {
    const { uid: _, ...metadata } = widget().metadata;
    const unsaved = { ...widget(), metadata };
    expect(() => ownership(secret(), unsaved, handler)).toThrow("Widget ns/w has no metadata.uid");
    expect(() => controllerReference(unsaved)).toThrow("no metadata.uid");
  });
});

test.for([
  { owner: widget(), namespace: "ns", want: true },
  { owner: widget(), namespace: "elsewhere", want: false },
  { owner: widget(), namespace: undefined, want: false },
  { owner: { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u" } }, namespace: "ns", want: true },
  { owner: { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u" } }, namespace: undefined, want: true },
])("canReference $owner.kind from namespace $namespace: $want", ({ owner, namespace, want }) => {
  expect(canReference(owner, namespace)).toBe(want);
});
