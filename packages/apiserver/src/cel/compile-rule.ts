/** Compiles a rule of `x-kubernetes-validations` for the values of its place in a schema. */
import { compileProgram, type Program } from "./program.ts";
import type { Rule } from "../schema/rule.ts";
import { type Type, typeName } from "./types.ts";

/** A rule and its programs. An empty rule has neither a program nor an error. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly program: Program | undefined;
  readonly error: string | undefined;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
}

/** Compiles a rule for values of a type. */
export function compileRule(rule: Rule, self: Type): CompiledRule {
  if (rule.rule.trim() === "") return { rule, program: undefined, error: undefined, message: undefined, messageError: undefined };
  const oldSelf: Type = rule.optionalOldSelf === true ? { type: "optional", item: self } : self;
  const variables = new Map([
    ["self", self],
    ["oldSelf", oldSelf],
  ]);
  const { program, error } = compiled(rule.rule, variables, ["", "bool", "cel expression must evaluate to a bool"]);
  if (program === undefined || rule.messageExpression === "") {
    return { rule, program, error, message: undefined, messageError: undefined };
  }
  const message = compiled(rule.messageExpression, variables, [
    "messageExpression ",
    "string",
    "messageExpression must evaluate to a string",
  ]);
  return { rule, program, error, message: message.program, messageError: message.error };
}

function compiled(
  source: string,
  variables: ReadonlyMap<string, Type>,
  [what, type, otherType]: readonly [what: string, type: string, otherType: string],
): Pick<CompiledRule, "program" | "error"> {
  const program = compileProgram(source, variables);
  if (typeof program === "string") return { program: undefined, error: `${what}compilation failed: ${program}` };
  if (typeName(program.type) !== type) return { program: undefined, error: otherType };
  return { program, error: undefined };
}
