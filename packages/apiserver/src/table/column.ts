/** A column of a table, and the columns that many kinds have. */

/** A column as in meta.k8s.io/v1 TableColumnDefinition. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Priority. Columns above 0 are shown only in wide tables. */
  readonly priority: number;
}

/** Kubernetes' text for metadata.name. */
export const NAME_TEXT =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/** Kubernetes' text for metadata.creationTimestamp. */
export const CREATED_TEXT =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/** Column of the name, which is the first one of each table. */
export const NAME: Column = { name: "Name", type: "string", format: "name", description: NAME_TEXT, priority: 0 };
/** Columns of a built-in kind without columns of its own. */
export const DEFAULT_COLUMNS: readonly Column[] = [
  NAME,
  { name: "Created At", type: "date", format: "", description: CREATED_TEXT, priority: 0 },
];

/** Column of a CRD without `additionalPrinterColumns`. */
export const AGE: Column = { name: "Age", type: "date", format: "", description: CREATED_TEXT, priority: 0 };
