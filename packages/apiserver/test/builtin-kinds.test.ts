/** Built-in kinds: defaults, formats of values, refusals. The texts are those of a real server (see `conformance`). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { sampleBody, SAMPLES } from "./conformance/scenarios/builtin-objects.ts";
import { CONFIG_MAPS, harness, type Json } from "./harness.ts";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const SERVICES = "/api/v1/namespaces/default/services";
const SECRETS = "/api/v1/namespaces/default/secrets";
const PODS = "/api/v1/namespaces/default/pods";
const labels = { app: "a" };

function deployment(spec: Json = {}, pod: Json = {}, container: Json = {}): Json {
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "app", ...container }], ...pod } };
  return { metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template, ...spec } };
}

const service = (name: string, spec: Json = {}): Json => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

const collectionOf = ({ apiVersion, plural, isClusterWide }: (typeof SAMPLES)[string]): string =>
  `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}/${isClusterWide === true ? "" : "namespaces/default/"}${plural}`;

describe("defaults", () => {
  test("of a Deployment and its pods are filled in", async () => {
    const { call } = harness();
    const { body } = await call("POST", DEPLOYMENTS, deployment());
    expect(body["spec"]).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    });
    expect(body["spec"].template.spec).toEqual({
      containers: [
        {
          name: "main",
          image: "app",
          imagePullPolicy: "Always",
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
    expect(body["status"]).toEqual({});
  });

  test("do not replace explicit zeros", async () => {
    const { call } = harness();
    const { body } = await call(
      "POST",
      DEPLOYMENTS,
      deployment({ replicas: 0 }, { terminationGracePeriodSeconds: 0, enableServiceLinks: false }),
    );
    expect(body["spec"].replicas).toBe(0);
    expect(body["spec"].template.spec).toMatchObject({ terminationGracePeriodSeconds: 0, enableServiceLinks: false });
  });

  test("are filled in again when a patch removes them", async () => {
    const { call, merge } = harness();
    await call("POST", DEPLOYMENTS, deployment({ replicas: 5 }));
    expect((await merge(`${DEPLOYMENTS}/d`, { spec: { replicas: null } })).body["spec"].replicas).toBe(1);
  });

  test.for<[string, string]>([
    ["app", "Always"],
    ["app:latest", "Always"],
    ["localhost:5000/app", "Always"],
    ["app:1.2", "IfNotPresent"],
    ["localhost:5000/app:1", "IfNotPresent"],
    ["app@sha256:0123456789012345678901234567890123456789012345678901234567890123", "IfNotPresent"],
  ])("image %s is pulled %s", async ([image, policy]) => {
    const { call } = harness();
    const { body } = await call("POST", DEPLOYMENTS, deployment({}, {}, { image }));
    expect(body["spec"].template.spec.containers[0].imagePullPolicy).toBe(policy);
  });

  test("of the other kinds are those of a real server", async () => {
    const { call, merge } = harness();
    const specOf = async (kind: string, label = "minimal"): Promise<Json> => {
      const sample = SAMPLES[kind];
      if (sample === undefined) throw new Error(`no sample of ${kind}`);
      return (await call("POST", collectionOf(sample), sampleBody(kind, sample.apiVersion, label, sample.objects[label] ?? {}))).body;
    };
    expect((await specOf("StatefulSet"))["spec"]).toMatchObject({
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
    });
    expect((await specOf("CronJob"))["spec"]).toMatchObject({ concurrencyPolicy: "Allow", suspend: false, failedJobsHistoryLimit: 1 });
    expect((await specOf("PersistentVolumeClaim"))["spec"]).toMatchObject({
      volumeMode: "Filesystem",
      resources: { requests: { storage: "1Gi" } },
    });
    expect((await specOf("NetworkPolicy", "rich"))["spec"].policyTypes).toEqual(["Ingress", "Egress"]);
    expect((await specOf("HorizontalPodAutoscaler"))["spec"]).toMatchObject({ minReplicas: 1, metrics: [{ type: "Resource" }] });
    expect((await specOf("RoleBinding"))["roleRef"].apiGroup).toBe("rbac.authorization.k8s.io");
    expect((await specOf("Secret", "empty"))["type"]).toBe("Opaque");
    const service = { metadata: { name: "lb" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } };
    await call("POST", SERVICES, service);
    const reported = await merge(`${SERVICES}/lb/status`, {
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { hostname: "h" }] } },
    });
    expect(reported.body["status"].loadBalancer.ingress).toEqual([{ ip: "192.0.2.1", ipMode: "VIP" }, { hostname: "h" }]);
    const job = await specOf("Job");
    expect(job["spec"]).toMatchObject({ completions: 1, parallelism: 1, backoffLimit: 6, completionMode: "NonIndexed" });
    expect(job["spec"].selector.matchLabels).toEqual({ "batch.kubernetes.io/controller-uid": job["metadata"].uid });
    expect(job["spec"].template.metadata.labels["job-name"]).toBe("minimal");
  });
});

/** What the server answers is in its final form: defaults, units and empty values are as they stay. */
describe("an update with an unchanged object changes nothing", () => {
  const cases = Object.entries(SAMPLES).flatMap(([kind, sample]) =>
    Object.entries(sample.objects).map(([label, object]) => ({ kind, label, sample, object })),
  );
  test.for(cases)("$kind $label", async ({ kind, label, sample, object }) => {
    const { call } = harness();
    const path = collectionOf(sample);
    const created = await call("POST", path, sampleBody(kind, sample.apiVersion, label, object));
    expect(created.status).toBe(201);
    const replaced = await call("PUT", `${path}/${label}`, created.body);
    expect(replaced.body).toEqual(created.body);
  });
});

describe("values", () => {
  test("null counts as absent in objects, and as empty in lists and maps", async () => {
    const { call } = harness();
    const { body } = await call("POST", CONFIG_MAPS, { metadata: { name: "c" }, data: { a: null }, binaryData: null });
    expect(body["data"]).toEqual({ a: "" });
    expect(body).not.toHaveProperty("binaryData");
    const pod = {
      metadata: { name: "p" },
      spec: { containers: [{ name: "a", image: "i", args: ["x", null], command: [] }], nodeName: "" },
    };
    const { spec } = (await call("POST", PODS, pod)).body;
    expect(spec["containers"][0].args).toEqual(["x", ""]);
    expect(spec["containers"][0]).not.toHaveProperty("command");
    expect(spec).not.toHaveProperty("nodeName");
  });

  test("quantities get their canonical form", async () => {
    const { call } = harness();
    const resources = { limits: { cpu: 0.5, memory: "2048Mi" }, requests: { memory: "1.5Gi" } };
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "i", resources }] } };
    const { body } = await call("POST", PODS, pod);
    expect(body["spec"].containers[0].resources).toEqual({
      limits: { cpu: "500m", memory: "2Gi" },
      requests: { cpu: "500m", memory: "1536Mi" },
    });
    expect(body["status"]).toEqual({ phase: "Pending", qosClass: "Burstable" });
  });

  test.for<[string, unknown, string]>([
    [
      DEPLOYMENTS,
      deployment({ replicas: "3" }),
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      DEPLOYMENTS,
      deployment({ replicas: 1.5 }),
      "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      DEPLOYMENTS,
      deployment({}, {}, { imagePullPolicy: 5 }),
      "json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.imagePullPolicy of type v1.PullPolicy",
    ],
    [
      DEPLOYMENTS,
      deployment({}, { containers: {} }),
      "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      CONFIG_MAPS,
      { metadata: { name: "c" }, data: { a: 1 } },
      "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
    ],
    [SECRETS, { metadata: { name: "s" }, data: { a: "b*" } }, "illegal base64 data at input byte 1"],
    [SECRETS, { metadata: { name: "s" }, data: { a: "Yg=" } }, "illegal base64 data at input byte 3"],
  ])("%s refuses %j", async ([path, body, says]) => {
    const { call } = harness();
    const answer = await call("POST", path, body);
    expect([answer.status, answer.body["reason"]]).toEqual([400, "BadRequest"]);
    expect(answer.body["message"]).toContain(`: ${says}`);
  });

  /** Any value in place of a part of an object is stored or refused, and never causes an internal error. */
  test("no value crashes the server", async () => {
    const fields = [
      "spec",
      "metadata",
      "status",
      "data",
      "rules",
      "subjects",
      "webhooks",
      "roleRef",
      "endpoints",
      "ports",
      "template",
      "containers",
    ];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(null, "", "x", 0, 1.5, -1, true),
        fc.array(tie("any"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom(...fields, "type", "name", "limits", "resources"), tie("any"), { maxKeys: 4 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(SAMPLES)),
        fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 4 }),
        async (sample, object) => {
          const { call } = harness({ resources: [] });
          const { status } = await call("POST", collectionOf(sample), { ...object, metadata: { name: "a" } });
          expect([201, 400, 422]).toContain(status);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("unknown fields", () => {
  const odd = deployment({ replica: 1 }, {}, { imag: "x" });

  test("are refused with Strict", async () => {
    const { call } = harness();
    const { status, body } = await call("POST", `${DEPLOYMENTS}?fieldValidation=Strict`, odd);
    expect(status).toBe(400);
    const cause = 'strict decoding error: unknown field "spec.template.spec.containers[0].imag", unknown field "spec.replica"';
    expect(body["message"]).toBe(`Deployment in version "v1" cannot be handled as a Deployment: ${cause}`);
  });

  test("are dropped with Warn and Ignore", async () => {
    const { call } = harness();
    const warned = await call("POST", DEPLOYMENTS, odd);
    expect(warned.headers["warning"]).toContain('unknown field \\"spec.replica\\"');
    expect(warned.body["spec"]).not.toHaveProperty("replica");
    const ignored = await call("POST", `${DEPLOYMENTS}?fieldValidation=Ignore`, { ...odd, metadata: { name: "e" } });
    expect(ignored.status).toBe(201);
    expect(ignored.headers).not.toHaveProperty("warning");
  });
});

describe("services", () => {
  test("get an address that is the same each time", async () => {
    const addresses = async (): Promise<unknown[]> => {
      const { call } = harness();
      const made: unknown[] = [];
      for (let i = 0; i < 50; i++) made.push((await call("POST", SERVICES, service(`s${i}`))).body["spec"].clusterIP);
      return made;
    };
    const first = await addresses();
    expect(new Set(first).size).toBe(50);
    for (const address of first) expect(address).toMatch(/^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$/);
    expect(await addresses()).toEqual(first);
  });

  test("keep their address, and lose it with their type", async () => {
    const { call, merge } = harness();
    const { spec } = (await call("POST", SERVICES, service("s", { type: "NodePort" }))).body;
    expect(spec["ports"][0].nodePort).toBeGreaterThanOrEqual(30_000);
    const replaced = await call("PUT", `${SERVICES}/s`, service("s", { type: "NodePort" }));
    expect(replaced.body["spec"]).toEqual(spec);
    const plain = (await merge(`${SERVICES}/s`, { spec: { type: "ClusterIP" } })).body["spec"];
    expect(plain.clusterIP).toBe(spec["clusterIP"]);
    expect(plain.ports[0]).not.toHaveProperty("nodePort");
    expect(plain).not.toHaveProperty("externalTrafficPolicy");
    const external = (await merge(`${SERVICES}/s`, { spec: { type: "ExternalName", externalName: "a.example.com" } })).body["spec"];
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies"]) expect(external).not.toHaveProperty(field);
  });

  test("that are headless get no address", async () => {
    const { call } = harness();
    const { spec } = (await call("POST", SERVICES, service("s", { clusterIP: "None", selector: labels }))).body;
    expect(spec).toMatchObject({ clusterIP: "None", clusterIPs: ["None"], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
  });
});

describe("bodies that are refused", () => {
  const secret = (type: string, data: Json = {}): Json => ({ metadata: { name: "s" }, type, data });

  test.for<[string, unknown, string]>([
    [CONFIG_MAPS, { metadata: { name: "c" }, data: { "a b": "c" } }, "data[a b]: Invalid value"],
    [
      CONFIG_MAPS,
      { metadata: { name: "c" }, data: { a: "b" }, binaryData: { a: "Zg==" } },
      'data[a]: Invalid value: "a": duplicate of key',
    ],
    [SECRETS, secret("kubernetes.io/tls", { "tls.crt": "Zg==" }), "data[tls.key]: Required value"],
    [SECRETS, secret("kubernetes.io/basic-auth"), "data[username]: Required value"],
  ])("%s with %j", async ([path, body, says]) => {
    const { call } = harness();
    const answer = await call("POST", path, body);
    expect([answer.status, answer.body["reason"]]).toEqual([422, "Invalid"]);
    expect(answer.body["message"]).toContain(says);
  });

  test.for<[string, Json, Json, string]>([
    [CONFIG_MAPS, { data: { a: "b" }, immutable: true }, { data: { a: "c" } }, "data"],
    [CONFIG_MAPS, { immutable: true }, { immutable: null }, "immutable"],
    [SECRETS, {}, { type: "other" }, "type"],
    [
      DEPLOYMENTS,
      { spec: deployment()["spec"] },
      { spec: { selector: { matchLabels: { b: "c" } }, template: { metadata: { labels: { b: "c" } } } } },
      "spec.selector",
    ],
    [
      DEPLOYMENTS,
      { spec: deployment()["spec"] },
      { spec: { template: { metadata: { labels: { app: "b" } } } } },
      "spec.template.metadata.labels",
    ],
    [
      "/apis/batch/v1/namespaces/default/jobs",
      { spec: { template: { spec: { containers: [{ name: "main", image: "app" }], restartPolicy: "Never" } } } },
      { spec: { template: { spec: { restartPolicy: "OnFailure" } } } },
      "spec.template",
    ],
    [
      "/apis/batch/v1/namespaces/default/jobs",
      { spec: { template: { spec: { containers: [{ name: "main", image: "app" }], restartPolicy: "Never" } } } },
      { spec: { completionMode: "Indexed" } },
      "spec.completionMode",
    ],
    [
      "/api/v1/namespaces/default/services",
      { spec: { ports: [{ port: 80 }] } },
      { spec: { clusterIP: "10.96.9.9" } },
      "spec.clusterIPs[0]",
    ],
    [
      "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
      { roleRef: { kind: "Role", name: "r" } },
      { roleRef: { name: "s" } },
      "roleRef",
    ],
    ["/apis/apps/v1/namespaces/default/statefulsets", { spec: deployment()["spec"] }, { spec: { serviceName: "t" } }, "spec"],
  ])("a change in %s from %j by %j", async ([path, before, change, field]) => {
    const { call, merge } = harness();
    expect((await call("POST", path, { metadata: { name: "a" }, ...before })).status).toBe(201);
    const { status, body } = await merge(`${path}/a`, change);
    expect([status, body["details"]?.causes?.[0]?.field]).toEqual([422, field]);
    expect((await merge(`${path}/a`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  });
});

describe("ownership", () => {
  test("covers items of lists, and no fields that the server sets", async () => {
    const { call, merge } = harness();
    const { body } = await call("POST", `${SERVICES}?fieldManager=one`, service("s", { selector: labels }));
    expect(body["metadata"].managedFields[0].fieldsV1["f:spec"]).toEqual({
      "f:internalTrafficPolicy": {},
      "f:ports": { ".": {}, 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:protocol": {}, "f:targetPort": {} } },
      "f:selector": {},
      "f:sessionAffinity": {},
      "f:type": {},
    });
    await call("POST", `${DEPLOYMENTS}?fieldManager=one`, deployment());
    const patched = await merge(`${DEPLOYMENTS}/d?fieldManager=two`, {
      spec: { template: { spec: { containers: [{ name: "main", image: "b" }] } } },
    });
    const two = (patched.body["metadata"].managedFields as Json[]).find((entry) => entry["manager"] === "two");
    const containers = { 'k:{"name":"main"}': { "f:image": {} } };
    expect(two?.["fieldsV1"]).toEqual({ "f:spec": { "f:template": { "f:spec": { "f:containers": containers } } } });
  });
});

test("a CertificateSigningRequest gets its sender from the request, and its spec does not change", async () => {
  const server = createApiServer();
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const pem = "-----BEGIN CERTIFICATE REQUEST-----\neA==\n-----END CERTIFICATE REQUEST-----\n";
  const asked = { request: Buffer.from(pem).toString("base64"), signerName: "example.com/signer", usages: ["client auth"] };
  const as = { user: "alice", groups: ["team"] };
  const send = async (method: "POST" | "PUT", to: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json" };
    const response = await server.transport({ as }).request({ method, path: to, headers, body: JSON.stringify(body) });
    return JSON.parse(response.body ?? "") as Record<string, unknown>;
  };
  const made = await send("POST", path, {
    metadata: { name: "a" },
    spec: { ...asked, username: "root", uid: "1", groups: ["system:masters"] },
  });
  const spec = { ...asked, username: "alice", groups: expect.arrayContaining(["team"]) as unknown };
  expect(made["spec"]).toEqual(spec);
  expect((await send("PUT", `${path}/a`, { ...made, spec: { ...asked, username: "root", usages: ["any"] } }))["spec"]).toEqual(spec);
  await server.close();
});

test("a reserved name of a priority class is refused, without an error of its value", async () => {
  const { call } = harness();
  const { body } = await call("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {
    metadata: { name: "system-x" },
    value: 2_000_000_001,
  });
  expect(body["details"].causes.map((cause: Json) => cause["field"])).toEqual(["metadata.name"]);
});
