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
    piece += `${at === 0 ? "" : ","}${JSON.stringify(object)}`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}}`;
}
