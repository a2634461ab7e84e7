/**
 * The annotation `<handler>/policies` of a live object: the policies of its last apply that are not the defaults. It governs the
 * object after the set stopped rendering it, whatever the policies of the operator are then.
 */
import { DEFAULT_POLICIES, type Policies } from "./policies.ts";
import { wordOf, type WordPolicies } from "./policy-words.ts";

/** The content of the annotation. */
export interface PoliciesNote {
  /** The policies; the default for each that the annotation does not name. */
  readonly policies: Policies;
  /** The digest of the inputs with which the object was applied last; `undefined`: not noted. */
  readonly inputs: string | undefined;
  /** The id of the object; `undefined`: the default. */
  readonly id: string | undefined;
  /** Whether the annotation says what happens on removal. */
  readonly isRemovalNoted: boolean;
}

/** What the annotation holds besides policies that are not the defaults. */
export interface MoreToNote {
  /** The digest of the inputs. */
  readonly inputs?: string | undefined;
  /** The id of the object, if it is not the default. */
  readonly id?: string | undefined;
  /** Whether the policy for the removal is noted although it is the default: the object itself outweighs the custom resource. */
  readonly isRemovalNoted?: boolean | undefined;
}

/** Returns the value of the annotation, compact JSON; `undefined`: there is nothing to note. Equal policies have equal texts. */
export function policiesNote(policies: Policies, more: MoreToNote = {}): string | undefined {
  const noted: Record<string, unknown> = {};
  // Other policies matter only while the object is rendered.
  for (const name of NOTED) if (policies[name] !== DEFAULT_POLICIES[name]) noted[name] = policies[name];
  if (more.isRemovalNoted === true) noted["onRemoval"] = policies.onRemoval;
  if (more.inputs !== undefined) noted["inputs"] = more.inputs;
  if (more.id !== undefined) noted["id"] = more.id;
  return Object.keys(noted).length === 0 ? undefined : JSON.stringify(noted);
}

/** Reads the annotation. It never throws: what a user broke counts as the default. */
export function policiesIn(text: string | undefined): PoliciesNote {
  const noted = parsed(text);
  const order = (name: "apply" | "purge" | "remove"): number | undefined => {
    const value = noted[name];
    return typeof value === "number" && Number.isInteger(value) ? value : undefined;
  };
  const word = <Name extends keyof WordPolicies>(name: Name): WordPolicies[Name] | undefined => {
    const value = noted[name];
    return typeof value === "string" ? wordOf(name, value)?.value : undefined;
  };
  const { inputs, id } = noted;
  return {
    policies: {
      ...DEFAULT_POLICIES,
      apply: order("apply") ?? DEFAULT_POLICIES.apply,
      purge: order("purge"),
      remove: order("remove") ?? DEFAULT_POLICIES.remove,
      adopt: word("adopt") ?? DEFAULT_POLICIES.adopt,
      update: word("update") ?? DEFAULT_POLICIES.update,
      reconcile: word("reconcile") ?? DEFAULT_POLICIES.reconcile,
      onRemoval: word("onRemoval") ?? DEFAULT_POLICIES.onRemoval,
    },
    inputs: typeof inputs === "string" ? inputs : undefined,
    id: typeof id === "string" && id !== "" ? id : undefined,
    isRemovalNoted: word("onRemoval") !== undefined,
  };
}

const NOTED = ["apply", "purge", "remove", "adopt", "update", "reconcile", "onRemoval"] as const;

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
