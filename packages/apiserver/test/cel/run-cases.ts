/** Runs the cases against a server: one CRD for several rules, one object for each value. */
import type { Transport } from "@treadle/apimachinery";
import { groups } from "./cases.ts";
import type { Group } from "./group.ts";
import { refused } from "./refused-rules.ts";

/** Results: for each group by value the rules that failed, and for each refused rule the causes. */
export interface Verdicts {
  readonly groups: Readonly<Record<string, readonly ValueVerdict[]>>;
  readonly refused: readonly RuleVerdict[];
}

export interface ValueVerdict {
  readonly value: unknown;
  /** Message of the cause by rule, without the field. Rules that held are absent. */
  readonly failed: Readonly<Record<string, string>>;
}

export interface RuleVerdict {
  readonly rule: unknown;
  readonly causes: readonly (readonly [reason: string, field: string, message: string])[];
}

/** Number of rules in a CRD. Their cost must be below the limit of a CRD. */
const BATCH = 12;

export async function runCases(transport: Transport, run: string): Promise<Verdicts> {
  const found: Record<string, ValueVerdict[]> = {};
  for (const [i, group] of groups.entries()) found[group.name] = await runGroup(transport, group, `${run}g${i}`);
  const answers: RuleVerdict[] = [];
  for (const [i, [rule, schema]] of refused.entries()) {
    const validation = typeof rule === "string" ? { rule } : rule;
    const property = { ...(schema ?? { type: "string", maxLength: 60 }), "x-kubernetes-validations": [validation] };
    const { body } = await send(transport, "POST", `${CRDS}?dryRun=All`, definition(`${run}r${i}`, { p0: property }));
    answers.push({ rule, causes: causesOf(body).toSorted((a, b) => (a.join("\n") < b.join("\n") ? -1 : 1)) });
  }
  return { groups: found, refused: answers };
}

async function runGroup(transport: Transport, group: Group, name: string): Promise<ValueVerdict[]> {
  const rules = [
    ...group.rules.map((rule) => ({ shown: rule, validation: { rule } })),
    ...(group.shows ?? []).map((text) => ({ shown: text, validation: { rule: "self != self || false", messageExpression: text } })),
  ];
  const failed = group.values.map((): Record<string, string> => ({}));
  for (let from = 0; from < rules.length; from += BATCH) {
    const batch = rules.slice(from, from + BATCH);
    const plural = `${name}b${from}s`;
    const properties = Object.fromEntries(
      batch.map(({ validation }, i) => [`p${i}`, { ...group.schema, "x-kubernetes-validations": [validation] }]),
    );
    let made = await send(transport, "POST", CRDS, definition(plural, properties));
    // A rule that does not compile fails for each value. The others are evaluated without it.
    for (const [, field, message] of made.status === 201 ? [] : causesOf(made.body)) {
      const p = /properties\[p(\d+)\]/.exec(field)?.[1];
      if (p === undefined) continue;
      for (const one of failed) one[batch[Number(p)]?.shown ?? field] = message;
      delete properties[`p${p}`];
    }
    if (made.status !== 201) made = await send(transport, "POST", CRDS, definition(plural, properties));
    if (made.status !== 201) throw new Error(`${group.name}: ${JSON.stringify(made.body["message"])}`);
    for (const [i, value] of group.values.entries()) {
      const object = { apiVersion: "cel.treadle.dev/v1", kind: `K${plural}`, metadata: { name: "x" } };
      const spec = Object.fromEntries(Object.keys(properties).map((p) => [p, value]));
      const { body } = await settled(transport, `/apis/cel.treadle.dev/v1/${plural}?dryRun=All`, { ...object, spec });
      for (const [, field, message] of causesOf(body)) {
        const rule = batch[Number(/^spec\.p(\d+)/.exec(field)?.[1] ?? -1)];
        (failed[i] ??= {})[rule?.shown ?? field] = message; // an error about the whole has no rule
      }
    }
    await send(transport, "DELETE", `${CRDS}/${plural}.cel.treadle.dev`);
  }
  return group.values.map((value, i) => ({ value, failed: failed[i] ?? {} }));
}

/** Waits until a new kind is served. */
async function settled(transport: Transport, path: string, body: unknown): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await send(transport, "POST", path, body);
    if (answer.status === 201 || answer.status === 422) return answer;
    if (tries > 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definition(plural: string, properties: Readonly<Record<string, unknown>>): unknown {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.cel.treadle.dev` },
    spec: {
      group: "cel.treadle.dev",
      scope: "Cluster",
      names: { plural, kind: `K${plural}` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
        },
      ],
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(transport: Transport, method: "POST" | "DELETE", path: string, body?: unknown): Promise<Answer> {
  const response = await transport.request({
    method,
    path,
    headers: { accept: "application/json", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: parse(response.body ?? "") };
}

function parse(text: string): Answer["body"] {
  try {
    return JSON.parse(text) as Answer["body"];
  } catch {
    return {}; // a kind that is not served yet is answered with a text
  }
}

function causesOf(body: Answer["body"]): (readonly [reason: string, field: string, message: string])[] {
  const details = body["details"] as { readonly causes?: readonly Readonly<Record<string, string>>[] } | undefined;
  // The name of the type of `self` on the real server contains a number that differs each time.
  return (details?.causes ?? []).map(({ reason = "", field = "", message = "" }) => [
    reason,
    field,
    message.replaceAll(/selfType\d+/g, "selfType"),
  ]);
}
