/** A rendered object. Types only. */

/** A rendered object: plain JSON with an identity. Other fields follow from its kind. */
export interface Manifest {
  /** `group/version`, or `version` alone in the core group. */
  readonly apiVersion: string;
  /** Name of the kind. */
  readonly kind: string;
  /** Name and namespace, and what the author sets of the other metadata. */
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
}
