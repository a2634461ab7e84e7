/** The text of an answer in pieces, so that a conversion of a long list does not block the event loop. */
import type { TurnBudget } from "@treadle/apimachinery";

/** Bytes are sent in pieces of about this many characters. */
const PIECE = 65_536;

/** Yields the JSON text of an answer. The list of converted objects is written object by object, within the budget. */
export async function* answerText(answer: object, budget: TurnBudget): AsyncGenerator<string> {
  const { response, ...rest } = answer as { readonly response?: { readonly convertedObjects?: unknown } };
  const { convertedObjects, ...other } = response ?? {};
  if (!Array.isArray(convertedObjects)) {
    yield JSON.stringify(answer);
    return;
  }
  const list: readonly unknown[] = convertedObjects;
  // The list comes last, so its end and those of both objects around it are known.
  const head = JSON.stringify({ ...rest, response: { ...other, convertedObjects: [] } }).slice(0, -"]}}".length);
  let piece = head;
  for (const [at, object] of list.entries()) {
    await budget.next();
    piece += `${at === 0 ? "" : ","}${textOf(object)}`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}}`;
}

/** Returns the JSON text of a value. An object may have more levels than the stack has frames: it must not stop the list that it is in. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return deepTextOf(value);
    throw error;
  }
}

/** The same without recursion. */
function deepTextOf(value: unknown): string {
  const pieces: string[] = [];
  const tasks: Task[] = [{ type: "value", value }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (task.type === "text") pieces.push(task.text);
    else if (typeof task.value !== "object" || task.value === null) pieces.push(JSON.stringify(task.value));
    else tasks.push(...tasksOf(task.value).toReversed());
  }
  return pieces.join("");
}

type Task = { readonly type: "text"; readonly text: string } | { readonly type: "value"; readonly value: unknown };

function tasksOf(value: object): readonly Task[] {
  const isList = Array.isArray(value);
  const members = Object.entries(value).filter(([, member]) => isList || member !== undefined);
  const written = members.flatMap(([key, member], at): Task[] => [
    { type: "text", text: `${at === 0 ? "" : ","}${isList ? "" : `${JSON.stringify(key)}:`}` },
    { type: "value", value: member ?? null },
  ]);
  return [{ type: "text", text: isList ? "[" : "{" }, ...written, { type: "text", text: isList ? "]" : "}" }];
}
