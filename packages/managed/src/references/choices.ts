/** The stored choices of references with `resolve: "once"`. They are in the step state, so they outlive the process. */
import { z } from "zod";

/** A stored choice: the object, and the external name that it had when it was last seen ready. */
export interface ReferenceChoice {
  /** The name of the object. */
  readonly name: string;
  /** The namespace of the object; absent for a cluster-scoped kind. */
  readonly namespace?: string | undefined;
  /** The external name of the object. */
  readonly externalName: string;
}

/** The choices of a step, by the name of the reference. */
export type ReferenceChoices = Record<string, ReferenceChoice>;

/** The schema of {@link ReferenceChoices}, for the state of a step. */
export const REFERENCE_CHOICES: z.ZodRecord<
  z.ZodString,
  z.ZodObject<{ name: z.ZodString; namespace: z.ZodOptional<z.ZodString>; externalName: z.ZodString }>
> = z.record(z.string(), z.object({ name: z.string(), namespace: z.string().optional(), externalName: z.string() }));
