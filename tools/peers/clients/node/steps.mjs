/** Runs the steps of a script, and prints one line for each. */
import { isDeepStrictEqual } from "node:util";

export async function step(name, body) {
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (problem) {
    console.log(`not ok ${name}: ${String(problem?.message ?? problem).replaceAll("\n", " ")}`);
  }
}

export function same(found, wanted) {
  if (!isDeepStrictEqual(found, wanted)) throw new Error(`found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`);
}

/** Expects a refusal, and returns it. */
export async function refused(code, answer) {
  const problem = await answer.then(
    () => undefined,
    (error) => error,
  );
  if (problem === undefined) throw new Error(`accepted, wanted ${code}`);
  same(problem.code ?? problem.status ?? String(problem), code);
  return problem;
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits at most 30 s. */
export async function until(what, isTrue) {
  const end = Date.now() + 30_000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`not in 30 s: ${what}`);
    await pause(100);
  }
}
