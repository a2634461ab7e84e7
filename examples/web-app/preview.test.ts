/** The objects that components want, without a cluster. */
import { expect, test } from "vitest";
import { database } from "./database.ts";
import { WebApp } from "./web-app.ts";
import { webInterface } from "./web-interface.ts";

const shop = (spec: Partial<WebApp["spec"]> = {}): WebApp => ({
  apiVersion: "examples.treadle.dev/v1beta1",
  kind: "WebApp",
  metadata: { name: "shop", namespace: "default" },
  spec: {
    greeting: "hello",
    version: "1.29.0",
    replicas: 2,
    credentials: "db",
    cache: true,
    metrics: false,
    suspended: false,
    ...spec,
  },
});

test.for([
  { spec: {}, firing: ["secured"] },
  { spec: { metrics: true }, firing: ["metrics", "secured"] },
  { spec: { metrics: true, version: "1.18.0" }, firing: ["old-stop", "secured"] },
])("the layers $firing apply to a web server with $spec", ({ spec, firing }) => {
  expect(webInterface.firing(shop(spec))).toEqual({ "web-server": firing });
});

test("each layer applies to some WebApp", () => {
  expect(webInterface.layers).toEqual({ "web-server": ["metrics", "old-stop", "secured"] });
});

test("a web interface with metrics has an exporter, and its web servers have a container more", () => {
  const [settings, web, exporter, ...others] = webInterface.preview(shop({ metrics: true }));
  expect(settings).toMatchObject({ kind: "ConfigMap", metadata: { name: "shop-settings" }, data: { DATABASE_HOST: "shop-store" } });
  expect(web).toMatchObject({
    kind: "Deployment",
    metadata: { name: "shop", namespace: "default" },
    spec: { replicas: 2, template: { spec: { containers: [{ name: "nginx" }, { name: "metrics" }] } } },
  });
  expect(exporter).toMatchObject({ kind: "Deployment", metadata: { name: "shop-exporter" } });
  expect(others).toEqual([]);
});

test("a web interface with an autoscaler has no number of replicas", () => {
  const objects = webInterface.preview(shop({ autoscale: { minReplicas: 2, maxReplicas: 5 } }));
  expect(objects.map(({ kind }) => kind)).toEqual(["ConfigMap", "Deployment", "HorizontalPodAutoscaler"]);
  expect(objects[1]).not.toHaveProperty("spec.replicas");
});

test("a preview of the database needs the values that a cluster gives", () => {
  const data = { user: "anna", host: "shop-store" };
  expect(database.preview(shop(), { data }).map(({ kind }) => kind)).toEqual(["StatefulSet", "Service", "Job"]);
  expect(() => database.preview(shop())).toThrow(/vars.user/);
});
