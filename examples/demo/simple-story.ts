/** A user's actions on examples/simple, and the results that must follow. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { Simple } from "@treadle-examples/simple/simple";
import { isInvalid } from "treadle";
import { parse } from "yaml";
import { conditionOf, type Stage } from "./stage.ts";

export async function simpleStory(stage: Stage): Promise<void> {
  const { client, out, settled } = stage;
  out.title("Simple: a good object");
  await createFrom(stage, "good.yaml");
  await out.expect("17 / 5 = 3, remainder 2, and it is Ready", () =>
    statusIs(stage, "seventeen-by-five", { quotient: 3, remainder: 2, ready: "True" }),
  );

  out.title("An object that breaks the schema");
  await out.expect("the API server refuses it, and the operator never sees it", async () => {
    try {
      await createFrom(stage, "refused.yaml");
      return "it was accepted";
    } catch (error) {
      if (!isInvalid(error)) throw error;
      out.line(error.message);
      return true;
    }
  });

  out.title("An object that the schema allows and arithmetic does not");
  await createFrom(stage, "bad.yaml");
  await out.expect("it is not Ready, and has no quotient", () => statusIs(stage, "by-zero", { ready: "False/DivisionByZero" }));
  await settled();
  const before = out.passes;
  await out.expect("nothing is retried until the spec changes", async () => {
    await quiet();
    return out.passes === before || `${out.passes - before} more passes`;
  });

  out.title("The user fixes it");
  await client.patch(Simple, { namespace: "default", name: "by-zero" }, { type: "merge", body: { spec: { divisor: 4 } } });
  await out.expect("42 / 4 = 10, remainder 2, and it is Ready", () =>
    statusIs(stage, "by-zero", { quotient: 10, remainder: 2, ready: "True" }),
  );

  out.title("The user breaks the good one");
  await client.patch(Simple, { namespace: "default", name: "seventeen-by-five" }, { type: "merge", body: { spec: { divisor: 0 } } });
  await out.expect("the outdated result is removed from its status", () =>
    statusIs(stage, "seventeen-by-five", { ready: "False/DivisionByZero" }),
  );

  if (stage.keep) return;
  out.title("The user deletes both");
  for (const name of ["seventeen-by-five", "by-zero"]) await client.delete(Simple, { namespace: "default", name });
  await out.expect("they no longer exist: there is nothing to clean up, so no finalizer holds them", async () => {
    const { items } = await client.list(Simple);
    return items.length === 0 || `${items.length} are still there`;
  });
}

async function createFrom({ client, out }: Stage, file: string): Promise<void> {
  const text = await readFile(fileURLToPath(import.meta.resolve(`@treadle-examples/simple/manifests/${file}`)), "utf8");
  out.line(`create manifests/${file}`);
  await client.create(Simple, parse(text));
}

/** Returns true when the operator answered the current spec as expected, else a description of the actual status. */
async function statusIs(
  { client }: Stage,
  name: string,
  want: { readonly quotient?: number; readonly remainder?: number; readonly ready: string },
): Promise<true | string> {
  const object = await client.get(Simple, { namespace: "default", name });
  const { quotient, remainder, observedGeneration } = object?.status ?? {};
  if (observedGeneration !== object?.metadata.generation) return "the operator has not answered yet";
  const ready = conditionOf(object, "Ready");
  const got = { ...(quotient === undefined ? {} : { quotient }), ...(remainder === undefined ? {} : { remainder }), ready };
  return isDeepStrictEqual(got, want) || `its status is ${JSON.stringify(got)}`;
}

/** Waits longer than the first delays of every backoff, so that each retry would have happened. */
async function quiet(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 300));
}
