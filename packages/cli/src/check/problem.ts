/** What `treadle check` finds: problems of the program, and changes between two versions of its CRDs. Types only. */
import type { CustomResourceDefinition } from "@treadle/apimachinery";
import type { ChangeId } from "./change-ids.ts";
import type { LoadedProgram } from "@treadle/controller/unstable/program";
import type { Pipeline } from "@treadle/reconcile/unstable/engine";

/** An error ends the command with 1. */
export type Severity = "error" | "warning";

/** One place of a program that breaks a rule. */
export interface Problem {
  /** Name of the rule. */
  readonly id: string;
  readonly severity: Severity;
  /** The handler and step, or the CRD, its version and the path of the field. */
  readonly where: string;
  /** What is wrong, as a sentence. */
  readonly message: string;
  /** What to do, as a sentence. */
  readonly remedy: string;
}

/** What a change does: to the objects that the cluster has stored, to programs and people that use the kind, or to neither. */
export type Breaks = "objects" | "clients" | "nothing";

/** A difference between the CRDs of two versions. */
export interface Change {
  readonly id: ChangeId;
  readonly breaks: Breaks;
  /** As in {@link Problem}. */
  readonly severity: Severity | "none";
  readonly where: string;
  readonly message: string;
  readonly remedy: string;
}

/** A rule. Each is right nearly always: a reviewer would refuse the operator. */
export interface Rule<Subject> {
  readonly id: string;
  readonly severity: Severity;
  /** What the rule demands, for the docs. */
  readonly demands: string;
  readonly remedy: string;
  /** Returns the places that break it. */
  find(subject: Subject): readonly Finding[];
}

/** A place that breaks a rule. */
export interface Finding {
  readonly where: string;
  readonly message: string;
}

/** The program as rules see it. */
export interface CheckedProgram extends LoadedProgram {
  readonly pipelines: readonly Pipeline[];
  readonly crds: readonly CustomResourceDefinition[];
}
