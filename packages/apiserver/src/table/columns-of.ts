/** The columns of a kind's table: those of its CRD, or those of the built-in kind, or name and time. */
import type { Served } from "../storage/registry.ts";
import { COLUMNS } from "./columns.ts";

/** As the answer has it (meta.k8s.io/v1 TableColumnDefinition). */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Those above 0 are shown in wide tables only. */
  readonly priority: number;
}

export function columnsOf({ type, version }: Served): readonly Column[] {
  if (!type.isCustom) return builtIn().get(type.id) ?? DEFAULT;
  return [NAME, ...(version.printerColumns ?? []).map(({ column }) => column)];
}

/** Kubernetes' text for metadata.name. */
const NAME_TEXT =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
/** Kubernetes' text for metadata.creationTimestamp. */
const CREATED_TEXT =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

const NAME: Column = { name: "Name", type: "string", format: "name", description: NAME_TEXT, priority: 0 };
const DEFAULT: readonly Column[] = [NAME, { name: "Created At", type: "date", format: "", description: CREATED_TEXT, priority: 0 }];

/** The column of a CRD that names none. */
export const AGE: Column = { name: "Age", type: "date", format: "", description: CREATED_TEXT, priority: 0 };

let parsed: ReadonlyMap<string, readonly Column[]> | undefined;

function builtIn(): ReadonlyMap<string, readonly Column[]> {
  if (parsed !== undefined) return parsed;
  const columns = new Map<string, Column[]>();
  let current: Column[] = [];
  for (const line of COLUMNS.split("\n")) {
    if (line.startsWith("# ")) {
      current = [];
      columns.set(line.slice(2), current);
    } else current.push(readColumn(line));
  }
  parsed = columns;
  return columns;
}

function readColumn(line: string): Column {
  const [name = "", type = "", format = "", priority = "", ...rest] = line.split("|");
  const text = rest.join("|").replaceAll("\\n", "\n");
  const description = text === "@name" ? NAME_TEXT : text === "@created" ? CREATED_TEXT : text;
  return { name, type, format, description, priority: Number(priority) };
}
