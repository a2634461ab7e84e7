/** The verdict of a server on an object: status, errors and warnings, but not the stored object. */
import type { Transport } from "@treadle/apimachinery";
import { play } from "./compare.ts";
import { normalise } from "./normalise.ts";
import type { Json, Scenario } from "./session.ts";

/** Returns a line of JSON for each answer. @param run makes names of namespaces unique on a server that is used more than once */
export async function verdicts(scenarios: readonly Scenario[], transport: Transport, run: string): Promise<string[]> {
  const answers = normalise(await play(scenarios, transport, run));
  return answers.map(({ name, status, headers, body }) => {
    const answer = body as Json; // every answer here is an object
    const causes: readonly Json[] | undefined = answer["details"]?.causes;
    const problems =
      causes?.map(({ reason, field, message }) => `${reason} ${field}: ${message}`) ?? (status < 300 ? undefined : answer["message"]);
    const warnings = headers["warning"];
    return JSON.stringify({ name, status, problems, warnings }).replaceAll(`-${run}`, "-<run>");
  });
}
