/** `req.conditions`: the setters of the conditions that a step declares, which refuse what Kubernetes would not store. */
import { type Condition, isConditionReason } from "@treadle/apimachinery";
import type { CleanupExit, Exit } from "../condition.ts";
import { makeStop, makeWait } from "../result.ts";
import { misuse } from "../internal/misuse.ts";
import type { Scope } from "../internal/deadline.ts";
import type { Pass } from "../record/pass-state.ts";
import { runtimeOf, type StepRuntime } from "../build/step-runtime.ts";
import { conditionSoFar } from "../save/condition-so-far.ts";

/** The condition setters of one step. */
export class StepConditions {
  readonly #pass: Pass;
  readonly #step: StepRuntime;
  readonly #scope: Scope;

  constructor(pass: Pass, step: StepRuntime, scope: Scope) {
    this.#pass = pass;
    this.#step = step;
    this.#scope = scope;
  }

  true(type: string, reason: string = type, message: string = ""): void {
    this.#set(type, { status: "True", reason, message });
  }

  false(type: string, reason: string, message: string): Exit {
    this.#set(type, { status: "False", reason, message });
    return this.#exit(message === "" ? reason : message);
  }

  unknown(type: string, reason: string, message: string): Exit {
    this.#set(type, { status: "Unknown", reason, message });
    return this.#exit(message === "" ? reason : message);
  }

  keep(type: string): void {
    this.#set(type, "keep");
  }

  previous(type: string): Condition | undefined {
    this.#requireDeclared(type);
    const { status } = this.#pass.object as { readonly status?: { readonly conditions?: readonly Condition[] } };
    return status?.conditions?.find((condition) => condition.type === type);
  }

  of(step: unknown, type?: string): Condition | undefined {
    const where = `step "${this.#step.name}": conditions.of`;
    const named = runtimeOf(step);
    if (named === undefined) throw misuse("ERR_INVALID_STEP", `${where}: the first argument must be a step that step() made`);
    const types = named.conditions.map((declared) => declared.type);
    const asked = type ?? (types.length === 1 ? types[0] : undefined);
    if (asked === undefined || !types.includes(asked)) throw misuse("ERR_NOT_DECLARED", `${where}: ${unnamed(named, types, type)}`);
    const { isAlone, leaves, name } = this.#pass.pipeline;
    const found = leaves.find((leaf) => leaf.name === named.name);
    if (found === undefined && isAlone !== true)
      throw misuse(
        "ERR_NOT_DECLARED",
        `${where}: step "${named.name}" is not in handler "${name}": add it to the list before "${this.#step.name}"`,
      );
    return conditionSoFar(this.#pass, found ?? named, asked);
  }

  #set(
    type: string,
    setting: { readonly status: "True" | "False" | "Unknown"; readonly reason: string; readonly message: string } | "keep",
  ): void {
    this.#scope.check(this.#step.name);
    this.#requireDeclared(type);
    if (setting !== "keep") {
      const { reason, message } = setting;
      if (typeof reason !== "string" || !isConditionReason(reason)) {
        throw misuse(
          "ERR_INVALID_STEP",
          `step "${this.#step.name}": the reason ${JSON.stringify(reason)} of condition "${type}" is not a CamelCase word: use letters, digits, "_", ":" and "," only`,
        );
      }
      if (typeof message !== "string")
        throw misuse("ERR_INVALID_STEP", `step "${this.#step.name}": the message of condition "${type}" must be a text`);
    }
    this.#pass.settings.set(type, setting === "keep" ? setting : { ...setting, message: this.#pass.hide(setting.message) });
  }

  #exit(message: string): Exit & CleanupExit {
    const text = this.#pass.hide(message);
    return { wait: (afterMs) => this.#scope.made(makeWait(text, afterMs)), stop: () => this.#scope.made(makeStop(text)) };
  }

  #requireDeclared(type: string): void {
    if (this.#step.conditions.some((declared) => declared.type === type)) return;
    throw misuse("ERR_NOT_DECLARED", `step "${this.#step.name}" does not manage the condition "${type}": add it to the step's conditions`);
  }
}

function unnamed({ name }: StepRuntime, types: readonly string[], type: string | undefined): string {
  if (types.length === 0) return `step "${name}" declares no condition: ask for another step, or add conditions to it`;
  const fix = `name one of ${types.map((each) => JSON.stringify(each)).join(", ")}`;
  return type === undefined
    ? `step "${name}" declares several conditions: ${fix}`
    : `step "${name}" does not declare ${JSON.stringify(type)}: ${fix}`;
}
