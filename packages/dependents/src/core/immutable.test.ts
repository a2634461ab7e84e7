import { ApiError } from "@treadle/apimachinery";
import { Job, PersistentVolumeClaim, RoleBinding, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { immutableFieldsOf, keeping, refusedPaths } from "./immutable.ts";

const metadata = { name: "a", namespace: "ns", uid: "u", resourceVersion: "1" };

function refusal(...causes: readonly { readonly field?: string; readonly message: string }[]): ApiError {
  return new ApiError({ message: "is invalid", status: 422, reason: "Invalid", details: { causes } });
}

test.for([
  {
    name: "a template",
    kind: Job,
    causes: [{ field: "spec.template", message: "Invalid value: {}: field is immutable" }],
    want: ["spec.template"],
  },
  {
    name: "a roleRef",
    kind: RoleBinding,
    causes: [{ field: "roleRef", message: 'Invalid value: {"Name":"b"}: cannot change roleRef' }],
    want: ["roleRef"],
  },
  {
    name: "an address, whose field the server calls by another name",
    kind: Service,
    causes: [{ field: "spec.clusterIPs[0]", message: 'Invalid value: ["10.0.0.1"]: may not change once set' }],
    want: ["spec.clusterIP"],
  },
  {
    name: "a field that the answer does not name: the one that differs",
    kind: StatefulSet,
    causes: [{ field: "spec", message: "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden" }],
    want: ["spec.serviceName"],
  },
  {
    name: "a field of a kind that is not built in",
    kind: PersistentVolumeClaim,
    causes: [{ field: "spec.region", message: "Invalid value: Value is immutable" }],
    want: ["spec.region"],
  },
  {
    name: "a value that says immutable",
    kind: Job,
    causes: [{ field: "spec.template.spec.restartPolicy", message: 'Unsupported value: "immutable": supported values: "Never"' }],
    want: undefined,
  },
  {
    name: "a value with the words of a refusal",
    kind: Job,
    causes: [{ field: "spec.parallelism", message: 'Invalid value: {"a":"x: field is immutable\\": "}: must be a number' }],
    want: undefined,
  },
  {
    name: "a detail with a colon",
    kind: Job,
    causes: [{ field: "spec.region", message: 'Invalid value: {"a":"}: "}: cannot be modified: create another one' }],
    want: ["spec.region"],
  },
  ...["cannot be changed", "cannot be updated", "can't be altered", "may not be modified", "must not be changed", "is immutable"].map(
    (said) => ({
      name: `a field that ${said}`,
      kind: Job,
      causes: [{ field: "spec.region", message: `Invalid value: "a": region ${said}` }],
      want: ["spec.region"],
    }),
  ),
  {
    name: "a policy that names the field",
    kind: Job,
    causes: [{ message: "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: spec.replicas is immutable" }],
    want: ["spec.replicas"],
  },
  {
    name: "a policy that names the last part of the field",
    kind: Job,
    causes: [{ field: "<nil>", message: 'Invalid value: "": replicas cannot be changed' }],
    want: ["spec.replicas"],
  },
  {
    name: "a policy that names no field",
    kind: Job,
    causes: [{ message: "denied request: it is immutable" }],
    want: ["spec.serviceName", "spec.clusterIP", "spec.replicas"],
  },
  {
    name: "another problem beside it",
    kind: Job,
    causes: [
      { field: "spec.template", message: "Invalid value: {}: field is immutable" },
      { field: "spec.parallelism", message: "Invalid value: -1: must be greater than or equal to 0" },
    ],
    want: undefined,
  },
  { name: "no cause", kind: Job, causes: [], want: undefined },
])("a refused change: $name", ({ kind, causes, want }) => {
  const live = { apiVersion: "v1", kind: kind.kind, metadata, spec: { serviceName: "a", clusterIP: "None", replicas: 1 } };
  const body = { ...live, spec: { serviceName: "b", clusterIP: "10.0.0.1", replicas: 2 } };
  const owned = { "f:spec": { "f:serviceName": {}, "f:clusterIP": {}, "f:replicas": {} } };
  expect(refusedPaths(immutableFieldsOf(kind), refusal(...causes), { body, live, owned })).toEqual(want);
});

test("an error that is not about an invalid object is not a refused change", () => {
  const error = new ApiError({ message: "field is immutable", status: 403, reason: "Forbidden" });
  const live = { apiVersion: "v1", kind: "Job", metadata };
  expect(refusedPaths([], error, { body: {}, live, owned: undefined })).toBeUndefined();
});

test("a kept field has the value that was applied, and not what others or the server added", () => {
  const template = (image: string) => ({
    spec: {
      containers: [
        { name: "c", image },
        { name: "injected", image: "theirs" },
      ],
    },
  });
  const live = { apiVersion: "batch/v1", kind: "Job", metadata, spec: { parallelism: 1, template: template("one") } };
  const body = { ...live, spec: { parallelism: 3, template: { spec: { containers: [{ name: "c", image: "two" }] } } } };
  const owned = {
    "f:spec": {
      "f:parallelism": {},
      "f:template": { "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:name": {}, "f:image": {} } } } },
    },
  };
  expect(keeping(["spec.template"], { body, live, owned })).toEqual({
    ...live,
    spec: { parallelism: 3, template: { spec: { containers: [{ name: "c", image: "one" }] } } },
  });
});

test("a kept field that was not applied is left out", () => {
  const live = { apiVersion: "v1", kind: "Service", metadata, spec: { clusterIP: "10.0.0.9" } };
  const body = { ...live, spec: { clusterIP: "None", type: "ClusterIP" } };
  expect(keeping(["spec.clusterIP", "spec.clusterIPs"], { body, live, owned: { "f:spec": { "f:type": {} } } })).toEqual({
    ...live,
    spec: { type: "ClusterIP" },
  });
});
