/** What a managed step must not forget: its state in the status of the object, and its memory in this process. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { z } from "zod";
import type { External, ExternalStateType } from "./types.ts";
import { REFERENCE_CHOICES, type ReferenceChoices } from "./references/choices.ts";

/** The record of a create that has begun: stored before the call, removed with its result. */
export interface CreateRecord {
  /** The idempotency token. */
  readonly token: string;
  /** The time of the last attempt. */
  readonly startedMs: number;
  /** The name, if it is known before the create. */
  readonly name?: string | undefined;
  /** The name of the resource that the new one replaces. */
  readonly replaces?: string | undefined;
  /** Whether an earlier attempt with this token was interrupted, so that it may have happened. */
  readonly isRepeated?: boolean | undefined;
  /** The time at which the provider answered the last attempt, with an error or without a name: the call is over. */
  readonly answeredMs?: number | undefined;
  /** Whether the create was successful, and the provider has not named the resource yet. */
  readonly isNameless?: boolean | undefined;
}

/** The state of a managed step, as its phases see it. */
export interface State {
  /** The number of creates that have begun. */
  creates: number;
  /** The create whose result is not known. */
  record?: CreateRecord | undefined;
  /** The name of the resource that we saw or created. */
  name?: string | undefined;
  /** The name of the resource that the last create made. A resource of another name was imported. */
  made?: string | undefined;
  /** Whether `create` returned no name, and the resource was never seen under the default one. */
  isUnseen?: boolean | undefined;
  /** Until this time the provider may not show a resource that exists. */
  absentUntilMs?: number | undefined;
  /** The running operation, as the author returned it, in JSON: a merge patch would mix the fields of two operations. */
  operation?: string | undefined;
  /** The fields of the spec that were filled once. */
  filled?: readonly string[] | undefined;
  /** The generation of the spec for which the provider reported a terminal failure. */
  failedGeneration?: number | undefined;
  /** The choices of references that are resolved once. */
  choices?: ReferenceChoices | undefined;
}

/** The schema of {@link State}. */
export const STATE: z.ZodObject = z.object({
  creates: z.int().default(0),
  record: z
    .object({
      token: z.string(),
      startedMs: z.number(),
      name: z.string().optional(),
      replaces: z.string().optional(),
      isRepeated: z.boolean().optional(),
      answeredMs: z.number().optional(),
      isNameless: z.boolean().optional(),
    })
    .optional(),
  name: z.string().optional(),
  made: z.string().optional(),
  isUnseen: z.boolean().optional(),
  absentUntilMs: z.number().optional(),
  operation: z.string().optional(),
  filled: z.array(z.string()).optional(),
  failedGeneration: z.int().optional(),
  choices: REFERENCE_CHOICES.optional(),
});

/** The connection details that a create returned. */
export interface CreatedDetails {
  /** The number of the create. */
  readonly creation: number;
  /** The details. */
  readonly connection: Readonly<Record<string, string>>;
}

/** What a managed step remembers of an object in this process. */
export interface Memory {
  /** The time when the memory was made; `undefined` before the first pass. */
  startedMs: number | undefined;
  /** The time of the last observation. */
  observedMs: number | undefined;
  /** The state of the last observation; `undefined` before the first one. */
  state: ExternalStateType | undefined;
  /** The effective poll interval of the state, as of the last pass; 0 before it is known. */
  intervalMs: number;
  /** The shortest interval that the credential allowed in the last pass. */
  floorMs: number;
  /** The time of the next observation in a transition. */
  dueMs: number | undefined;
  /** The number of observations in the present transition. */
  looks: number;
  /** What the step gave to later steps, while the observation is current. */
  last: External<unknown> | undefined;
  /** The details that only a create returned, until a chain that got them is done: nothing else has them. */
  created: CreatedDetails | undefined;
  /** The generation for which the resource was last as desired. */
  matchedGeneration: number | undefined;
  /** The generation of the spec for which an update failed terminally: it is not sent again until the spec changes. */
  refusedGeneration: number | undefined;
  /** The last warning or event of each subject. One each: a provider may have another error text each time. */
  readonly said: Map<string, { readonly text: string; readonly count: number }>;
}

export function newMemory(): Memory {
  return {
    startedMs: undefined,
    observedMs: undefined,
    dueMs: undefined,
    state: undefined,
    intervalMs: 0,
    floorMs: 0,
    looks: 0,
    last: undefined,
    created: undefined,
    matchedGeneration: undefined,
    refusedGeneration: undefined,
    said: new Map(),
  };
}

/** Returns the stored choices of a step; `undefined`: there are none. Pure, because reads depend on it. */
export function storedChoices(step: string): (object: KubernetesObject) => ReferenceChoices | undefined {
  return (object) => {
    const { status } = object as {
      readonly status?: { readonly steps?: Readonly<Record<string, { readonly choices?: ReferenceChoices }>> };
    };
    return status?.steps?.[step]?.choices;
  };
}

/** Returns the running operation, as the author returned it. */
export function operationOf({ operation }: State): unknown {
  return operation === undefined ? undefined : (JSON.parse(operation) as unknown); // The step wrote it.
}
