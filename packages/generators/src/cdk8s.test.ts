import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Edit, Manifest, RenderContext } from "@treadle/dependents";
import { ApiObject, Chart, Helm, Include, Yaml } from "cdk8s";
import { Construct } from "constructs";
import { describe, expect, onTestFinished, test } from "vitest";
import { cdk8s, type ChartBuild, type Cdk8sOptions } from "./cdk8s.ts";

const owner = { apiVersion: "t.treadle.dev/v1", kind: "Api", metadata: { name: "a" }, spec: { replicas: 2 } };
const context = {
  name: "shop",
  namespace: "ns",
  reads: {},
  vars: {},
  signal: new AbortController().signal,
} as unknown as RenderContext;

const render = async (build: ChartBuild, options?: Cdk8sOptions, given = context): Promise<readonly Manifest[]> =>
  await cdk8s(build, options)(owner, given);
const map = (scope: Construct, id: string, more: object = {}): ApiObject =>
  new ApiObject(scope, id, { apiVersion: "v1", kind: "ConfigMap", ...more });
const rendered = (name: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "ns", ...more },
});

/** A part of an application, as users write it. */
class Web extends Construct {
  constructor(scope: Construct, id: string, { replicas }: { readonly replicas: number }) {
    super(scope, id);
    new ApiObject(this, "deployment", { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas } });
    new ApiObject(this, "service", { apiVersion: "v1", kind: "Service" });
  }
}

describe("cdk8s", () => {
  test("renders constructs with the namespace and the name of the deployment", async () => {
    const objects = await render((chart, object) => new Web(chart, "web", (object as unknown as typeof owner).spec));
    expect(objects).toEqual([
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop-web-deployment", namespace: "ns" }, spec: { replicas: 2 } },
      { apiVersion: "v1", kind: "Service", metadata: { name: "shop-web-service", namespace: "ns" } },
    ]);
  });

  test("renders the same twice", async () => {
    const build: ChartBuild = (chart) => void [map(chart, "b"), new Web(chart, "web", { replicas: 1 }), map(chart, "a")];
    expect(await render(build)).toEqual(await render(build));
  });

  test("awaits an async build", async () => {
    const objects = await render(async (chart) => {
      await Promise.resolve();
      map(chart, "late");
    });
    expect(objects).toEqual([rendered("shop-late")]);
  });

  test("renders the objects of charts in the chart, with their own namespace", async () => {
    const objects = await render((chart) => {
      map(chart, "outer");
      map(new Chart(chart, "inner", { namespace: "other", disableResourceNameHashes: true }), "x");
    });
    expect(objects).toEqual([
      { ...rendered("shop-inner-x"), metadata: { name: "shop-inner-x", namespace: "other" } },
      rendered("shop-outer"),
    ]);
  });

  test("gives no namespace to cluster-scoped objects", async () => {
    const objects = await render(
      (chart) => new ApiObject(chart, "role", { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" }),
    );
    expect(objects.map(({ metadata }) => metadata)).toEqual([{ name: "shop-role" }]);
  });

  test("gives no namespace where the deployment has none", async () => {
    const { namespace: _, ...without } = context;
    const objects = await render((chart) => map(chart, "m"), {}, without as RenderContext);
    expect(objects.map(({ metadata }) => metadata)).toEqual([{ name: "shop-m" }]);
  });

  test("makes an annotation of a dependency that code declares", async () => {
    const objects = await render((chart) => {
      const web = map(chart, "web", { metadata: { annotations: { "treadle.dev/after": "Secret/x" } } });
      const role = new ApiObject(chart, "role", { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" });
      web.addDependency(new Web(chart, "db", { replicas: 1 }), role);
    });
    const after =
      "Secret/x,Deployment.apps/ns/shop-db-deployment,Service/ns/shop-db-service,ClusterRole.rbac.authorization.k8s.io/shop-role";
    expect(objects.at(-1)).toEqual(rendered("shop-web", { annotations: { "treadle.dev/after": after } }));
    expect(objects).toHaveLength(4);
  });

  test("runs edits for its objects", async () => {
    const drop: Edit = (each) => (each.metadata.name === "shop-a" ? undefined : each);
    const objects = await render((chart) => void [map(chart, "a"), map(chart, "b")], { edit: [drop] });
    expect(objects).toEqual([rendered("shop-b")]);
  });

  test("names the function that changes the owner, and what to do", async () => {
    const frozen = Object.freeze({ ...owner, kind: "Web" });
    const build: ChartBuild = (_, object) => void ((object as { kind: string }).kind = "Other");
    await expect(cdk8s(build)(frozen, context)).rejects.toMatchObject({
      code: "ERR_READ_ONLY",
      message: expect.stringMatching(
        /^cdk8s: build changed something that is read-only, such as the owner .*: change a copy made by structuredClone\(\)$/,
      ),
    });
    const edit: Edit = (each, object) => (((object as { kind: string }).kind = "Other"), each);
    await expect(cdk8s((chart) => map(chart, "m"), { edit })(frozen, context)).rejects.toMatchObject({
      code: "EditFailed",
      message: expect.stringMatching(/^cdk8s: edit 1 for ConfigMap ns\/shop-m changed something that is read-only/),
    });
  });

  test("renders a frozen owner", async () => {
    const frozen = Object.freeze({ ...owner, spec: Object.freeze({ replicas: 1, list: Object.freeze([1]) }) });
    const build: ChartBuild = (chart, object) => map(chart, "m", { spec: (object as typeof frozen).spec });
    expect(await cdk8s(build)(frozen, context)).toEqual([{ ...rendered("shop-m"), spec: { replicas: 1, list: [1] } }]);
  });

  test("names a build that throws", async () => {
    await expect(
      render(() => {
        throw new Error("boom");
      }),
    ).rejects.toThrow("cdk8s: build threw: boom");
    await expect(render(() => Promise.reject(new Error("boom")))).rejects.toThrow("cdk8s: build threw: boom");
  });

  test("names the path of a construct that is not valid", async () => {
    const invalid = render((chart) => {
      class Broken extends Construct {}
      const broken = new Broken(chart, "broken");
      broken.node.addValidation({ validate: () => ["has no port"] });
    });
    await expect(invalid).rejects.toThrow(
      expect.objectContaining({
        name: "TerminalError",
        code: "SynthesisFailed",
        message: expect.stringContaining("[shop/broken] has no port"),
      }),
    );
  });

  test("names the path of a construct that cannot be serialised", async () => {
    const invalid = render((chart) =>
      map(chart, "bad", {
        data: {
          get a(): string {
            throw new Error("no");
          },
        },
      }),
    );
    await expect(invalid).rejects.toThrow(/cannot synthesise the constructs: .*shop\/bad/);
  });

  test("names constructs that depend on each other", async () => {
    const circle = render((chart) => {
      const [a, b] = [map(chart, "a"), map(chart, "b")];
      a.addDependency(b);
      b.addDependency(a);
    });
    await expect(circle).rejects.toThrow(/cannot synthesise the constructs: .*shop\/a/);
  });

  test("refuses a build that is no function", () => {
    expect(() => cdk8s({} as never)).toThrow("cdk8s: build is not a function: give one that adds constructs to a chart");
  });
});

describe("programs in constructs", () => {
  /** A program that leaves a file behind if it runs. */
  function fakeHelm(): { readonly program: string; readonly hasRun: () => boolean } {
    const folder = mkdtempSync(path.join(tmpdir(), "fake-helm-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = path.join(folder, "helm");
    writeFileSync(program, `#!/bin/sh\ntouch ${folder}/ran\necho 'apiVersion: v1'; echo 'kind: ConfigMap'\n`);
    chmodSync(program, 0o755);
    return { program, hasRun: () => existsSync(path.join(folder, "ran")) };
  }

  test("of the construct Helm do not run, and no values stay on the disk", async () => {
    const { program, hasRun } = fakeHelm();
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("cdk8s-helm-"));
    const helm = (chart: Construct): unknown =>
      new Helm(chart, "redis", { chart: "redis", helmExecutable: program, values: { password: "x" } });
    for (const build of [helm, async (chart: Construct): Promise<unknown> => (await Promise.resolve(), helm(chart))]) {
      await expect(render(build)).rejects.toThrow(
        expect.objectContaining({
          name: "TerminalError",
          code: "ConstructRefused",
          message: "cdk8s: the construct Helm would run helm: render the chart by helm(), beside cdk8s() in merged()",
        }),
      );
    }
    expect(hasRun()).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("cdk8s-helm-"))).toEqual(before);
  });

  test("of the construct Include do not run, and no address is read", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end("");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.yaml`;
    await expect(render((chart) => new Include(chart, "x", { url }))).rejects.toThrow(
      "cdk8s: the construct Include would read a file or an address: read the files by manifests(), beside cdk8s() in merged()",
    );
    expect(requests).toBe(0);
  });

  test("run as before outside of a rendering", async () => {
    await render((chart) => map(chart, "m"));
    const { program, hasRun } = fakeHelm();
    const file = path.join(path.dirname(program), "x.yaml");
    writeFileSync(file, "kind: ConfigMap\n");
    expect(Yaml.load(file)).toEqual([{ kind: "ConfigMap" }]);
    new Helm(new Chart(undefined as never, "c"), "redis", { chart: "redis", helmExecutable: program });
    expect(hasRun()).toBe(true);
  });
});

test("the type of the owner follows from the build", () => {
  interface Api extends KubernetesObject {
    readonly spec: { readonly replicas: number };
  }
  const renderer = cdk8s((chart, api: Api) => new Web(chart, "web", api.spec));
  expect(typeof renderer).toBe("function");
});
