/** Keeps the contents of Secrets, and of other kinds whose contents no cache holds, out of answers and logs. */
import { isOfKind, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { SecretValues } from "@treadle/reconcile/unstable/engine";

/** The secret values of one review. */
export class Hidden {
  /** Whether the reviewed object itself is secret. Then no message of an error is shown: it may contain a part of a value. */
  readonly isSecret: boolean;
  /** Hides the values in texts. */
  readonly values: SecretValues = new SecretValues();

  constructor(kind: Kind, objects: readonly (KubernetesObject | undefined)[]) {
    const isCoreSecret = kind.group === "" && kind.kind === Secret.kind;
    this.isSecret = isCoreSecret || kind.cachedAs === "metadata";
    if (isCoreSecret) this.values.note(objects);
    else if (this.isSecret) this.values.noteTexts(objects.flatMap(contentsOf));
  }

  /** Notes the Secrets among the values of reads. */
  note(reads: Readonly<Record<string, unknown>>): void {
    for (const value of Object.values(reads).flat()) if (isSecretObject(value)) this.values.note(value);
  }
}

const PUBLIC: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

function contentsOf(object: KubernetesObject | undefined): readonly string[] {
  return Object.entries(object ?? {}).flatMap(([field, value]) => (PUBLIC.has(field) ? [] : textsIn(value)));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function isSecretObject(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && "apiVersion" in value && "kind" in value && isOfKind(value as KubernetesObject, Secret)
  );
}
