/** Values that steps give: published while the step runs, missing for a time, and the order that they make in groups. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { all, conditions, handler, one, optional, type Step, step, type StepResult } from "@treadle/reconcile";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { defineComposite, defineExtension, defineStep, handOver, waitBecause } from "@treadle/reconcile/unstable/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { boom, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
let trace: string[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  trace = [];
});
const live = async (): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;
const ready = async (): Promise<object | undefined> => (await live()).status?.conditions?.find(({ type }) => type === "Ready");

interface Given {
  readonly vars?: Record<string, unknown>;
  readonly missing?: string;
  readonly end?: (req: { next(): StepResult<{}>; wait(reason: string): StepResult<{}>; stop(reason: string): StepResult<{}> }) => unknown;
  readonly afterMs?: number;
}

/** A step that gives `names`, and ends as told. */
function giver<Names extends string>(name: string, names: readonly Names[], given: () => Given = () => ({})) {
  return defineStep(Widget, {
    name,
    gives: {
      names,
      of: ({ metadata }) => `Role ${metadata.name}-${name}`,
      ...(given().afterMs === undefined ? {} : { afterMs: given().afterMs as number }),
    },
    do(req) {
      trace.push(`do ${name}`);
      const { vars = {}, missing, end = (each) => each.next() } = given();
      handOver(req, { vars, missing });
      return end(req as never);
    },
    cleanup: () => void trace.push(`cleanup ${name}`),
  }) as Step<Widget, {}, { readonly [Name in Names]: string }>;
}

function consumer<N extends object>(name: string, needs: readonly Step<Widget, {}, N>[], does?: (vars: N) => void): Step<Widget> {
  return defineStep(Widget, {
    name,
    needs,
    do(req) {
      const { vars } = req as { readonly vars: N };
      trace.push(`do ${name} ${JSON.stringify(vars)}`);
      does?.(vars);
    },
    cleanup: () => void trace.push(`cleanup ${name}`),
  }) as Step<Widget>;
}

const pass = async (...steps: readonly Step<Widget>[]) => {
  let builder = handler(Widget).step(conditions());
  for (const each of steps) builder = builder.step(each);
  const operator = harness.operator(builder.build());
  await harness.user.create(Widget, widget());
  return { operator, result: await operator.pass(KEY) };
};

describe("a value that a step gives", () => {
  test("is there for later steps at once, and only for those that need it", async () => {
    const role = giver("role", ["arn"], () => ({ vars: { arn: "arn:1" } }));
    await pass(role, consumer("policy", [role]), consumer("other", []));
    expect(trace).toEqual(["do role", 'do policy {"arn":"arn:1"}', "do other {}"]);
  });

  test("holds up the steps that need it while it is missing, with one reason for all values of all steps", async () => {
    const role = giver("role", ["arn", "id", "name"], () => ({ vars: { name: "r", id: undefined }, missing: "it is not desired" }));
    const bucket = giver("bucket", ["url"]);
    const { result } = await pass(role, bucket, consumer("policy", [role, bucket] as never));
    expect(trace).toEqual(["do role", "do bucket"]);
    const reason = "waiting for arn, id of Role a-role (it is not desired) and url of Role a-bucket";
    expect(result).toMatchObject({ outcome: { type: "wait", step: "policy", reason }, requeue: { type: "after", afterMs: 50 } });
    expect(await ready()).toMatchObject({ status: "Unknown", reason: "MissingValue", message: `step "policy": ${reason}` });
  });

  test("is not waited for by a step that takes it as optional", async () => {
    const role = giver("role", ["arn"]);
    await pass(role, consumer("policy", [optional(role) as never]));
    expect(trace).toEqual(["do role", "do policy {}"]);
  });

  test.for([
    { name: "after the earliest time of the givers", times: [9_000, 60_000], afterMs: 9_000 },
    { name: "with the waiting backoff if one giver has no time", times: [9_000, undefined], afterMs: 50 },
  ])("requeues $name", async ({ times, afterMs }) => {
    const givers = times.map((each, i) => giver(`g${i}`, [`v${i}`], () => (each === undefined ? {} : { afterMs: each })));
    expect((await pass(...(givers as never[]), consumer("c", givers as never))).result.requeue).toMatchObject({ afterMs });
  });

  test("replaces what the step handed over before in the pass", async () => {
    const role = defineStep(Widget, {
      name: "role",
      gives: { names: ["arn", "id"], of: () => "Role" },
      do(req) {
        handOver(req, { vars: { arn: "old", id: "1" } });
        handOver(req, { vars: { arn: "new" } });
      },
    }) as Step<Widget, {}, { arn: string }>;
    const { result } = await pass(role, consumer("policy", [role]));
    expect(result.outcome).toMatchObject({ reason: "waiting for id of Role" });
  });

  test("with a name that the step does not declare fails the step, as does a call after its end", async () => {
    let kept: unknown;
    const role = defineStep(Widget, {
      name: "role",
      gives: { names: ["arn"], of: () => "Role" },
      do(req) {
        kept = req;
        handOver(req, { vars: { url: "x" } });
      },
    }) as Step<Widget>;
    const { result } = await pass(role);
    expect(String(result.error)).toContain('step "role" hands over vars.url: declare the name in its gives');
    expect(() => handOver(kept, { vars: {} })).toThrow(/role/);
    expect(() => handOver({}, { vars: {} })).toThrow("a req that the engine did not make");
  });

  test("with a name that an earlier step provides fails the step", async () => {
    const first = step(Widget, { name: "first", do: (req) => req.next({ arn: "1" }) });
    const role = giver("role", ["arn"], () => ({ vars: { arn: "2" } }));
    const { result } = await pass(first, role as never);
    expect(String(result.error)).toContain('step "role" provides vars.arn, which an earlier step already provides: rename it');
  });

  test("whose source cannot be named is named by its step", async () => {
    const role = defineStep(Widget, {
      name: "role",
      gives: {
        names: ["arn"],
        of: () => {
          throw boom;
        },
      },
      do() {},
    }) as Step<Widget, {}, { arn: string }>;
    expect((await pass(role, consumer("policy", [role]))).result.outcome).toMatchObject({ reason: 'waiting for arn of step "role"' });
  });

  test("lets the step decide itself what it does while a value is missing", async () => {
    const role = giver("role", ["arn"]);
    const deciding = (name: string, decides: (wait: unknown) => unknown): Step<Widget> =>
      defineStep(Widget, {
        name,
        needs: [role],
        do: () => void trace.push(`do ${name}`),
        unprovided: (_, wait) => decides(wait),
      }) as Step<Widget>;
    const { result } = await pass(
      role,
      deciding("without", () => void trace.push("without arn")),
      deciding("waits", (wait) => wait),
    );
    expect(trace).toEqual(["do role", "without arn"]);
    expect(result.outcome).toMatchObject({ step: "waits", reason: "waiting for arn of Role a-role" });
  });
});

describe("in a group", () => {
  test("a part runs after the part that it needs, and the list order holds otherwise", async () => {
    const role = giver("role", ["arn"], () => ({ vars: { arn: "1" } }));
    const plain = (name: string): Step<Widget> => consumer(name, []);
    const { operator } = await pass(
      all("g", [plain("a"), consumer("policy", [role]), plain("b"), role, plain("c")]),
      consumer("after", [role]),
    );
    expect(trace).toEqual(["do a {}", "do b {}", "do role", 'do policy {"arn":"1"}', "do c {}", 'do after {"arn":"1"}']);
    trace = [];
    await harness.user.delete(Widget, REF);
    await operator.pass(KEY);
    expect(trace).toEqual(["after", "c", "b", "policy", "role", "a"].map((name) => `cleanup ${name}`));
  });

  test.for([
    { name: "waits", end: ((req) => req.wait("not ready")) as Given["end"] },
    { name: "stops", end: ((req) => req.stop("enough")) as Given["end"] },
    {
      name: "fails",
      end: (() => {
        throw boom;
      }) as Given["end"],
    },
  ])("a value counts although its step $name", async ({ end }) => {
    const role = giver("role", ["arn"], () => ({ vars: { arn: "1" }, end: end as never }));
    const { result } = await pass(all("g", [role, consumer("policy", [role])]), consumer("after", [role]));
    expect(trace).toEqual(["do role", 'do policy {"arn":"1"}']);
    expect(result.outcome).toMatchObject({ step: "role" });
  });

  test("a part that needs a missing value waits, and the steps after the group do not run", async () => {
    const role = giver("role", ["arn"], () => ({ end: (req) => req.wait("not ready") }));
    const { result } = await pass(all("g", [consumer("policy", [role]), role, consumer("free", [])]), consumer("after", [role]));
    expect(trace).toEqual(["do role", "do free {}"]);
    expect(result.phases.map(({ step: name }) => name)).toEqual(["role", "free"]);
    expect(result.outcome).toMatchObject({ type: "wait" });
  });

  test("a part whose ordinary provider is not done does not run, nor do the parts that need it", async () => {
    const provider = step(Widget, {
      name: "provider",
      do: (req) => (req.object.spec.size > 1 ? req.next({ x: 1 }) : req.wait("too small", 700)),
    });
    const user = step(Widget, {
      name: "user",
      needs: [provider],
      conditions: ["UserReady"],
      do: (req) => req.next({ y: req.vars.x + 1 }),
    });
    const last = step(Widget, { name: "last", needs: [user], do: (req) => void trace.push(`y is ${req.vars.y}`) });
    const soft = step(Widget, { name: "soft", needs: [optional(provider)], do: (req) => void trace.push(`x is ${req.vars.x}`) });
    const { operator, result } = await pass(all("g", [last, user, soft, provider]) as Step<Widget>);
    expect(trace).toEqual(["x is undefined"]);
    expect(result.outcome).toMatchObject({ type: "wait", step: "provider" });
    expect((await live()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "UserReady", status: "Unknown", reason: "NotReached", message: 'waiting for step "provider"' }),
    );
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 2 } } } as never);
    await operator.pass(KEY);
    expect(trace).toEqual(["x is undefined", "y is 2", "x is 1"]);
  });

  test("groups in groups are put in order by what their parts need", async () => {
    const role = giver("role", ["arn"], () => ({ vars: { arn: "1" } }));
    const policy = consumer("policy", [role]);
    const { operator } = await pass(
      all("g", [all("users", [policy, consumer("u", [])]), consumer("x", []), all("roles", [role, consumer("r", [])])]),
    );
    expect(trace).toEqual(["do x {}", "do role", "do r {}", 'do policy {"arn":"1"}', "do u {}"]);
    trace = [];
    await harness.user.delete(Widget, REF);
    await operator.pass(KEY);
    expect(trace).toEqual(["x", "u", "policy", "r", "role"].map((name) => `cleanup ${name}`));
  });

  test("a part is not cleaned up before the parts that use it", async () => {
    const role = giver("role", ["arn"], () => ({ vars: { arn: "1" } }));
    const held = defineStep(Widget, {
      name: "held",
      needs: [role],
      do() {},
      cleanup: () => waitBecause("still there", { afterMs: 5_000 }),
    }) as Step<Widget>;
    const { operator } = await pass(all("g", [role, held, consumer("free", [])]));
    trace = [];
    await harness.user.delete(Widget, REF);
    const result = await operator.pass(KEY);
    expect(trace).toEqual(["cleanup free"]);
    expect(result.outcome).toMatchObject({ type: "wait", step: "held" });
  });

  test("parts that run at the same time all hand over their values", async () => {
    const atOnce = defineExtension<object>({ name: "at-once" });
    const givers = ["a", "b", "c", "d"].map((name) =>
      defineStep(Widget, {
        name,
        gives: { names: [name], of: () => name },
        uses: [atOnce.use({})],
        async do(req) {
          await Promise.resolve();
          handOver(req, { vars: { [name]: name } });
          await Promise.resolve();
        },
      }),
    );
    const group = defineComposite({ name: "g", parts: { steps: givers, order: { by: atOnce, concurrency: 5, of: "any" } } });
    await pass(group as Step<Widget>, consumer("after", givers as never));
    expect(trace).toEqual(['do after {"a":"a","b":"b","c":"c","d":"d"}']);
  });
});

describe("a group that is needed as a whole", () => {
  test("hands over the vars of all its parts", async () => {
    const source = step(Widget, { name: "source", reads: { config: one(ConfigMap, () => "none") }, do: (req) => req.next({ text: "t" }) });
    const role = giver("role", ["arn"], () => ({ vars: { arn: "1" } }));
    const group = all("g", [source, role]);
    const user = step(Widget, { name: "user", needs: [group], do: (req) => void trace.push(`${req.vars.text} ${req.vars.arn}`) });
    await harness.user.create(Widget, widget());
    await harness.operator(handler(Widget).step(group).step(user).build()).pass(KEY);
    expect(trace).toEqual(["do role", "t 1"]);
  });
});

test("state that a step writes while its values are missing is stored, also if the step has a post", async () => {
  const Box = defineResource({
    group: "test.treadle.dev",
    version: "v1",
    kind: "Box",
    scope: "Namespaced",
    stepState: true,
    spec: z.object({}),
    status: z.object({}),
  });
  const boxes = await startHarness([Box]);
  await boxes.user.create(Box, { metadata: REF, spec: {} });
  const role = defineStep(Box, { name: "role", gives: { names: ["arn"], of: () => "Role app" }, do: () => undefined });
  const user = defineStep(Box, {
    name: "user",
    needs: [role],
    state: z.object({ seen: z.string().default("") }),
    do: () => undefined,
    unprovided(req, wait) {
      (req as { readonly state: { seen: string } }).state.seen = "missing";
      return wait;
    },
    post: () => undefined,
  });
  const built = handler(Box)
    .step(conditions())
    .step(role as Step<ObjectOf<typeof Box>>)
    .step(user as Step<ObjectOf<typeof Box>>)
    .build();
  await boxes.operator(built).pass(KEY);
  expect((await boxes.user.get(Box, REF))?.status).toMatchObject({ steps: { user: { seen: "missing" } } });
});

test.for(["constructor", "toString", "valueOf", "__proto__"])("a missing value with the name %s is missing", async (name) => {
  const role = giver("role", [name]) as unknown as Step<Widget>;
  const user = step(Widget, { name: "user", needs: [role], do: () => void trace.push("do user") });
  await harness.user.create(Widget, widget());
  await harness.operator(handler(Widget).step(conditions()).step(role).step(user).build()).pass(KEY);
  expect(trace).toEqual(["do role"]);
  expect(await ready()).toMatchObject({ reason: "MissingValue", message: expect.stringContaining(`waiting for ${name} of`) });
});
