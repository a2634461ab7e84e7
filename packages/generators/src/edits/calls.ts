/** Calls of edits, with the place of an edit in its errors. */
import { isApiError, type KubernetesObject } from "@treadle/apimachinery";
import type { Edit, Manifest, RenderContext } from "@treadle/dependents";
import { callEdit, calledAsync, withObjects } from "@treadle/dependents/unstable/render";
import { isRetryAfterError, isTerminalError, TerminalError } from "@treadle/reconcile";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { isFields } from "../fields.ts";
import type { ParameterEdit, Parameters } from "./types.ts";

/** One edit, or a list of edits that run in order. */
export type OneOrMore<Value> = Value | readonly Value[];

/** What a renderer gets. */
type RenderArguments<T extends KubernetesObject, R, V> = readonly [owner: T, context: RenderContext<R, V>];

/**
 * Calls parameter edits in order. Each edit gets a copy of what the edit before it returned.
 * @param where the renderer, for errors: `helm`
 * @throws the error of an edit, after its place: `helm: parameter edit 2 threw: ...`; TypeError for an answer that is not an object
 */
export async function editParameters<T extends KubernetesObject, R, V>(
  where: string,
  parameters: Parameters,
  edits: OneOrMore<ParameterEdit<T, R, V>> | undefined,
  ...[owner, context]: RenderArguments<T, R, V>
): Promise<Parameters> {
  let result = parameters;
  for (const [i, edit] of listOf(edits).entries()) {
    context.signal.throwIfAborted();
    const place = `${where}: parameter edit ${i + 1}`;
    const answer: unknown = await calledAsync(place, () => edit(structuredClone(result), owner, context));
    if (!isFields(answer)) throw misuse("ERR_INVALID_STEP", `${place} returned no object: return the parameters as an object`);
    result = answer;
  }
  return result;
}

/**
 * Calls object edits in order: the first edit for all objects, then the next one. An error ends the rendering until an input changes,
 * because edits follow from the inputs as the renderer does.
 * @param where the renderer, for errors: `helm`
 * @throws TerminalError with the code EditFailed, with the place of the edit and the object: `helm: edit 2 for Deployment web threw: ...`
 */
export function editObjects<T extends KubernetesObject, R, V>(
  where: string,
  objects: readonly Manifest[],
  edits: OneOrMore<Edit<T, R, V>> | undefined,
  ...[owner, context]: RenderArguments<T, R, V>
): readonly Manifest[] {
  let all = objects;
  listOf(edits).forEach((edit, i) => {
    const given = withObjects(context, all);
    const place = `${where}: edit ${i + 1}`;
    all = all.flatMap((each) => terminal(() => callEdit(place, each, () => edit(each, owner, given))) ?? []);
  });
  return all;
}

function listOf<Value>(given: OneOrMore<Value> | undefined): readonly Value[] {
  if (given === undefined) return [];
  // Array.isArray does not narrow a readonly array out of a union.
  return Array.isArray(given) ? (given as readonly Value[]) : [given as Value];
}

function terminal<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    if (isTerminalError(error) || isRetryAfterError(error) || isApiError(error)) throw error;
    throw new TerminalError(error instanceof Error ? error.message : String(error), { code: "EditFailed", cause: error });
  }
}
