/**
 * What the schema of the hub means for clients of another version: the API server checks only the version in which a client writes. By sockets,
 * with a server in memory; with TREADLE_TEST_KUBECONFIG a real one.
 */
import { defineResource, kind } from "@treadle/apimachinery";
import { connect } from "@treadle/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { webhooks } from "../src/index.ts";
import { newNames, startOperator, type TestOperator, useCluster } from "./cluster.ts";

const { group: GROUP, namespace: NAMESPACE } = newNames();
const cluster = useCluster({ group: GROUP, namespace: NAMESPACE });

const versions = {
  v1: { spec: z.object({ replicas: z.int32().max(10).default(1), name: z.string().optional() }) },
  v1alpha1: { spec: z.object({ size: z.int32().default(1), name: z.string().optional() }) },
};
const convert = {
  v1alpha1: {
    up: ({ spec: { size, name } }: { readonly spec: { readonly size: number; readonly name?: string | undefined } }) => ({
      spec: { replicas: size, name },
    }),
    down: ({ spec: { replicas, name } }: { readonly spec: { readonly replicas: number; readonly name?: string | undefined } }) => ({
      spec: { size: replicas, name },
    }),
  },
};
const Checked = defineResource({ group: GROUP, kind: "Checked", scope: "Namespaced", versions });
const Filled = defineResource({ group: GROUP, kind: "Filled", scope: "Namespaced", versions });
const Converted = defineResource({ group: GROUP, kind: "Converted", scope: "Namespaced", versions });
const old = (name: string) => kind({ group: GROUP, version: "v1alpha1", kind: name, scope: "Namespaced" });

let user: Awaited<ReturnType<typeof connect>>;
let operator: TestOperator;
const object = (name: string, spec: object): never => ({ metadata: { name, namespace: NAMESPACE }, spec }) as never; // any spec

beforeAll(async () => {
  user = await connect({ config: cluster.config, fieldManager: "kubectl" });
  const list = [
    webhooks(Checked, { convert, problems: ({ spec }) => (spec.name === "bad" ? ["a bad name"] : []) }),
    webhooks(Filled, { convert, fill: (spec) => void (spec.name ??= "filled") }),
    webhooks(Converted, { convert }),
  ];
  operator = await startOperator(cluster, list, { name: `hub-schema-${GROUP.split(".")[0]}` });
  // A server needs a moment until it knows new configurations.
  const isKnown = async (): Promise<boolean> => {
    const bad = await user.create(Checked, object("probe", { name: "bad" }), { dryRun: true }).catch((error: unknown) => error);
    const filled = await user.create(Filled, object("probe", {}), { dryRun: true }).catch(() => undefined);
    return (bad as { status?: number }).status === 422 && filled?.spec.name === "filled";
  };
  await vi.waitUntil(isKnown, { timeout: 30_000 });
});
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await user.close();
});

test("an API server does not check the schema of the hub for an object of another version", async () => {
  await user.create(old("Converted"), object("large", { size: 11 }));
  expect(await user.get(Converted, { name: "large", namespace: NAMESPACE })).toMatchObject({ spec: { replicas: 11 } });
});

test.for(["Checked", "Filled"])(
  "%s: an object of another version that breaks the schema of the hub is refused with its path",
  async (name) => {
    await expect(user.create(old(name), object("large", { size: 11 }))).rejects.toMatchObject({
      status: 422,
      causes: [{ field: "spec.replicas" }],
    });
    await user.create(old(name), object("small", { size: 10 }));
    const patch = { type: "merge", body: { spec: { size: 11 } } } as const;
    await expect(user.patch(old(name), { name: "small", namespace: NAMESPACE }, patch)).rejects.toMatchObject({ status: 422 });
  },
);
