import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { crdOf, defineResource } from "@treadle/apimachinery";
import { z } from "zod";
import { type Answer, CASES } from "./server-answers.ts";
import { acceptor, stored } from "./server-model.ts";

const answers = JSON.parse(readFileSync(new URL("server-answers.json", import.meta.url), "utf8")) as readonly Answer[];

test.for(Object.entries(CASES))("%s: the model and zod give the recorded result of kube-apiserver", ([name, { field, values }]) => {
  const spec = z.object({ f: field });
  const kind = defineResource({ group: "answers.treadle.dev", version: "v1", kind: "Answer", scope: "Cluster", spec });
  const schema = crdOf(kind).spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"] ?? {};
  const recorded = answers.filter((answer) => answer.name === name);
  expect(recorded.map(({ value }) => value)).toEqual(values.map((f) => ({ f })));
  for (const { value, ...answer } of recorded) {
    const kept = stored(schema, value);
    const parsed = spec.safeParse(value);
    expect({ value, model: acceptor(schema)(kept) ? kept : undefined }).toEqual({ value, model: answer.stored });
    expect({ value, zod: parsed.success ? parsed.data : undefined }).toEqual({ value, zod: answer.stored });
  }
});
