/** Finds the problems of state schemas: the first pass starts from `{}`, and stored values must be read back unchanged. */
import type { z } from "zod";
import type { Collected } from "./collected.ts";
import type { StepRuntime } from "./step-runtime.ts";

/** Returns the problems of the state of steps, each with its fix. */
export function stateProblems({ kind }: Collected, leaves: readonly StepRuntime[]): string[] {
  return leaves.flatMap((step) => {
    if (step.state === undefined) return [];
    const problems: string[] = [];
    if (kind.resource !== undefined && !kind.resource.stepState) {
      problems.push(`step "${step.name}" has state, but ${kind.kind} has no room for it: add stepState: true to its defineResource()`);
    }
    if (typeof step.state.safeParse !== "function")
      return [...problems, `step "${step.name}": state is not a schema: give z.object({ ... })`];
    if (!startsEmpty(step.state)) {
      problems.push(
        `step "${step.name}": the first pass starts from {}, which its state schema refuses: give every key .default() or .optional()`,
      );
    }
    for (const { path, why } of unstorable(step.state)) problems.push(`step "${step.name}": state ${path} ${why}`);
    return problems;
  });
}

function startsEmpty(schema: z.ZodObject): boolean {
  try {
    return schema.safeParse({}).success;
  } catch {
    return false; // An asynchronous check: state is parsed where nothing can be awaited.
  }
}

/** A place of a state schema whose values do not survive being stored. */
interface Unstorable {
  readonly path: string;
  readonly why: string;
}

const NULLABLE = "may be null, which a merge patch cannot store: use .optional() instead of .nullable()";
const NOT_JSON = "is not plain JSON, so it is read back as another value: keep a text or a number, and convert it in the step";
const NOT_JSON_TYPES: ReadonlySet<string> = new Set([
  "bigint",
  "date",
  "file",
  "function",
  "map",
  "nan",
  "pipe",
  "promise",
  "set",
  "symbol",
  "transform",
]);

/** Zod 4 describes every schema by `def`; the place of inner schemas depends on the type. */
interface SchemaDef {
  readonly type: string;
  readonly values?: readonly unknown[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly catchall?: z.ZodType;
  readonly element?: z.ZodType;
  readonly items?: readonly z.ZodType[];
  readonly options?: readonly z.ZodType[];
  readonly left?: z.ZodType;
  readonly right?: z.ZodType;
  readonly getter?: () => z.ZodType;
}

interface Above {
  readonly schemas: readonly z.ZodType[];
  readonly inArray: boolean;
}

/** The places of a schema that a merge patch, or JSON, cannot store. Null is allowed in arrays, which are stored whole. */
function unstorable(root: z.ZodType): readonly Unstorable[] {
  const found = new Map<string, Unstorable>();
  const visit = (schema: z.ZodType | undefined, path: string, above: Above): void => {
    if (schema === undefined || above.schemas.includes(schema)) return; // Schemas may contain themselves.
    const def = schema.def as unknown as SchemaDef;
    const report = (why: string): unknown => found.set(`${path} ${why}`, { path: path === "" ? "itself" : path, why });
    if (NOT_JSON_TYPES.has(def.type)) return void report(NOT_JSON);
    const isNull = def.type === "nullable" || def.type === "null" || def.values?.includes(null) === true;
    if (isNull && !above.inArray) return void report(NULLABLE);
    const here: Above = { schemas: [...above.schemas, schema], inArray: above.inArray };
    const below = (key: string): string => (path === "" ? key : `${path}.${key}`);
    for (const [key, inner] of Object.entries(def.shape ?? {})) visit(inner, below(key), here);
    for (const inner of [def.valueType, def.catchall]) visit(inner, below("*"), here);
    for (const inner of [def.element, ...(def.items ?? [])]) visit(inner, `${path}[]`, { ...here, inArray: true });
    for (const inner of [def.innerType, def.left, def.right, def.getter?.(), ...(def.options ?? [])]) visit(inner, path, here);
  };
  visit(root, "", { schemas: [], inArray: false });
  return [...found.values()];
}
