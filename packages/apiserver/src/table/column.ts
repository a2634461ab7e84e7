/** A column of a table, and the columns that many kinds have. */

/** As the answer has it (meta.k8s.io/v1 TableColumnDefinition). */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Those above 0 are shown in wide tables only. */
  readonly priority: number;
}

/** Kubernetes' text for metadata.name. */
export const NAME_TEXT =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/** Kubernetes' text for metadata.creationTimestamp. */
export const CREATED_TEXT =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/** The column of the name, which every table begins with. */
export const NAME: Column = { name: "Name", type: "string", format: "name", description: NAME_TEXT, priority: 0 };
/** The columns of a built-in kind of which no others are known. */
export const DEFAULT_COLUMNS: readonly Column[] = [
  NAME,
  { name: "Created At", type: "date", format: "", description: CREATED_TEXT, priority: 0 },
];

/** The column of a CRD that names none. */
export const AGE: Column = { name: "Age", type: "date", format: "", description: CREATED_TEXT, priority: 0 };
