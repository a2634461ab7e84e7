/** The words of policies: those of the framework, and those of SAP's component-operator-runtime in annotations. */
import type { Adoption } from "../../core/plan.ts";
import type { ReconcilePolicy, RemovalPolicy, SetPolicies, UpdatePolicy } from "./policies.ts";

/** The policies whose value is one word. */
export interface WordPolicies {
  readonly adopt: Adoption;
  readonly update: UpdatePolicy;
  readonly reconcile: ReconcilePolicy;
  readonly onRemoval: RemovalPolicy;
  readonly missingNamespaces: NonNullable<SetPolicies["missingNamespaces"]>;
}

/** The value of a policy as it was read; `problem`: what to write instead. */
export type Reading = { readonly value: unknown } | { readonly problem: string };

/**
 * Returns the value of a policy for a word. PascalCase, camelCase and kebab-case are the same. The value `undefined` stands for the
 * word `default`: the policy is not set.
 *
 * @returns `undefined` for a word that the policy does not have
 */
export function wordOf<P extends keyof WordPolicies>(policy: P, text: string): { readonly value: WordPolicies[P] | undefined } | undefined {
  const words: Readonly<Record<string, WordPolicies[P] | undefined>> = WORDS[policy];
  const word = kebabOf(text.trim());
  return Object.hasOwn(words, word) ? { value: words[word] } : undefined;
}

/** Returns the words of a policy for a message, without those of the original: `never, if-unowned or force`. */
export function wordsOf(policy: keyof WordPolicies): string {
  const values = new Set(Object.values<string | undefined>(WORDS[policy]).filter((value) => value !== undefined));
  return orList([...values].map(kebabOf));
}

/** Returns the texts as a list for a message: `a, b or c`. */
export function orList(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

/** Returns a word in kebab-case: `ifUnowned` and `IfUnowned` become `if-unowned`. */
export function kebabOf(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}

const WORDS: { readonly [P in keyof WordPolicies]: Readonly<Record<string, WordPolicies[P] | undefined>> } = {
  adopt: { never: "never", "if-unowned": "ifUnowned", force: "force", always: "force" },
  update: {
    apply: "apply",
    "apply-and-reclaim": "apply-and-reclaim",
    replace: "replace",
    recreate: "recreate",
    "ssa-merge": "apply",
    "ssa-override": "apply-and-reclaim",
    default: undefined,
  },
  reconcile: {
    "on-object-change": "on-object-change",
    "on-object-or-component-change": "on-object-or-component-change",
    once: "once",
  },
  onRemoval: {
    delete: "delete",
    orphan: "orphan",
    "orphan-on-apply": "orphan-on-apply",
    "orphan-on-delete": "orphan-on-delete",
    default: undefined,
  },
  missingNamespaces: { create: "create", fail: "fail", "do-not-create": "fail" },
};
