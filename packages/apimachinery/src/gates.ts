/**
 * Combinations of pure functions that answer `true`, `false`, or `undefined` for "not known". Event predicates and gates are such
 * functions. What `undefined` means in the end is decided by the caller: an event starts a pass, a gate does not hold.
 *
 * A function that answers anything else is a mistake, such as a promise. A combination returns that answer unchanged, so that the
 * caller can report it.
 */

/** A pure function that answers `true`, `false`, or `undefined` for "not known". */
export type Gate<Args extends readonly unknown[]> = (...args: Args) => boolean | undefined;

/**
 * A gate made of others. Pass it what the others need: an event, or an owner and the inputs. The later parameters are optional,
 * so that one type fits callers that pass one, two or three arguments.
 */
export type CombinedGate<A, B, C> = (a: A, b?: B, c?: C) => boolean | undefined;

/**
 * Combines gates or predicates: false if one is false, else "not known" if one is not known, else true. Those after the first false
 * are not asked. @throws TypeError without arguments
 */
export function and<A, B, C>(...gates: readonly ((a: A, b: B, c: C) => boolean | undefined)[]): CombinedGate<A, B, C> {
  return combined("and", gates, false);
}

/**
 * Combines gates or predicates: true if one is true, else "not known" if one is not known, else false. Those after the first true
 * are not asked. @throws TypeError without arguments
 */
export function or<A, B, C>(...gates: readonly ((a: A, b: B, c: C) => boolean | undefined)[]): CombinedGate<A, B, C> {
  return combined("or", gates, true);
}

/** Negates a gate or a predicate; "not known" stays "not known". */
export function not<A, B, C>(gate: (a: A, b: B, c: C) => boolean | undefined): CombinedGate<A, B, C> {
  return (...args) => {
    const answer = asked(gate, args);
    return typeof answer === "boolean" ? !answer : answer;
  };
}

/** `wins` is the answer of one gate that decides the combination. */
function combined<A, B, C>(
  name: string,
  gates: readonly ((a: A, b: B, c: C) => boolean | undefined)[],
  wins: boolean,
): CombinedGate<A, B, C> {
  if (gates.length === 0) throw new TypeError(`${name}() needs at least one predicate or gate`);
  return (...args) => {
    let isUnknown = false;
    for (const gate of gates) {
      const answer: unknown = asked(gate, args);
      if (answer === wins) return wins;
      // A mistake is returned as it is.
      if (answer !== undefined && typeof answer !== "boolean") return answer as unknown as undefined;
      isUnknown ||= answer === undefined;
    }
    return isUnknown ? undefined : !wins;
  };
}

function asked<A, B, C>(gate: (a: A, b: B, c: C) => boolean | undefined, args: Parameters<CombinedGate<A, B, C>>): boolean | undefined {
  // A caller passes as many arguments as its gates have parameters.
  return gate(...(args as unknown as readonly [A, B, C]));
}
