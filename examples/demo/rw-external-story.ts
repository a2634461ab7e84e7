/** A user's actions on examples/rw-external, and the results that must follow. */
import { RWExternal } from "@treadle-examples/rw-external/rw-external";
import { Secret } from "treadle/kinds";
import { conditionOf, type Stage } from "./stage.ts";

const INPUT = { namespace: "default", name: "numbers" };
const DIVISION = { namespace: "default", name: "division" };
const RESULT = { namespace: "default", name: "result" };

export async function rwExternalStory({ client, out, keep }: Stage): Promise<void> {
  const isDivision = async (condition: string, want: string): Promise<true | string> => {
    const found = conditionOf(await client.get(RWExternal, DIVISION), condition);
    return found === want || `${condition} is ${found ?? "not set"}`;
  };
  const holds = async (key: string, want: string): Promise<true | string> => {
    const value = (await client.get(Secret, RESULT))?.data?.[key];
    return value === base64(want) || (value === undefined ? `Secret result has no ${key}` : `the ${key} has another value`);
  };

  out.title("RWExternal: an object whose input does not exist yet, and whose output name is taken");
  await client.create(Secret, { metadata: RESULT, data: { password: base64("hunter2") } });
  await client.create(RWExternal, { metadata: DIVISION, spec: { inputSecret: INPUT.name, outputSecret: RESULT.name } });
  await out.expect("it waits for its input Secret", () => isDivision("InputReady", "False/NotFound"));

  out.title("The input appears");
  await client.create(Secret, { metadata: INPUT, data: { dividend: base64("17"), divisor: base64("5") } });
  await out.expect("a foreign Secret is not overwritten", () => isDivision("OutputReady", "False/NotOurs"));
  await out.expect("the foreign Secret is unchanged", () => holds("password", "hunter2"));

  out.title("A user deletes the foreign Secret");
  await client.delete(Secret, RESULT);
  await out.expect("the operator stores the result: 17 / 5 = 3", () => holds("quotient", "3"));
  await out.expect("it is Ready", () => isDivision("Ready", "True"));

  out.title("The input changes");
  await client.patch(Secret, INPUT, { type: "merge", body: { data: { dividend: base64("100"), divisor: base64("7") } } });
  await out.expect("the watch triggers a pass: 100 / 7 = 14", () => holds("quotient", "14"));

  out.title("A user deletes the output");
  await client.delete(Secret, RESULT);
  await out.expect("the output is created again", () => holds("quotient", "14"));

  if (keep) return;
  out.title("The user deletes the object");
  await client.delete(RWExternal, DIVISION);
  await out.expect("its output is deleted with it, and no other Secret", async () => {
    if ((await client.get(RWExternal, DIVISION)) !== undefined) return "it still exists";
    if ((await client.get(Secret, RESULT)) !== undefined) return "its output still exists";
    return (await client.get(Secret, INPUT)) !== undefined || "the input was deleted, too";
  });
  await client.delete(Secret, INPUT);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
