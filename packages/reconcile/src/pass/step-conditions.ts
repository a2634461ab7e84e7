/** `req.conditions`: the setters of the conditions that a step declares, which refuse what Kubernetes would not store. */
import { type Condition, isConditionReason } from "@treadle/apimachinery";
import type { CleanupExit, Exit } from "../condition.ts";
import { makeStop, makeWait } from "../result.ts";
import { misuse } from "../internal/misuse.ts";
import type { Scope } from "../internal/deadline.ts";
import type { Pass } from "../record/pass-state.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

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
