import { planOf } from "treadle/plugins/author";
import { expect, test } from "vitest";
import { postgres } from "./typescript/kube-postgres.ts";

test("a plan uses the requested storage", () =>
  expect(planOf(postgres, { spec: { type: "postgresql", parameters: { storageGb: 5 } } })).toMatchObject({
    server: { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "5Gi" } } } }] } },
  }));

test("a plan without parameters has the newest version and 1 GiB", () =>
  expect(planOf(postgres, {})).toMatchObject({
    server: {
      spec: {
        template: { spec: { containers: [{ image: "postgres:17" }] } },
        volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "1Gi" } } } }],
      },
    },
  }));
