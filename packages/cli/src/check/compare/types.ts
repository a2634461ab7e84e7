/** Changes of the type of a value. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";
import type { Breaks } from "../problem.ts";
import type { SchemaChange } from "./schema-change.ts";

/** Returns the changes of type, nullability and embedded kinds. */
export function typeChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  const [was, is] = [typeOf(old), typeOf(next)];
  if (was !== is)
    changes.push({
      id: "type-changed",
      breaks: breaksOf(was, is),
      path,
      message: `The type was ${was} and is ${is}${breaksOf(was, is) === "objects" ? ": stored values do not fit, and the server keeps them" : ": typed clients cannot read every value"}.`,
      remedy: "Add another field, or a version.",
    });
  if (old.nullable === true && next.nullable !== true)
    changes.push({
      id: "null-forbidden",
      breaks: "objects",
      path,
      message: "null is not allowed any more: the server drops stored nulls.",
      remedy: "Keep nullable in this version.",
    });
  if (isOpen(old) && !isOpen(next))
    changes.push({
      id: "unknown-fields-dropped",
      breaks: "objects",
      path,
      message: "Unknown fields were kept, and are dropped now.",
      remedy: "Declare every field that is in use, or keep x-kubernetes-preserve-unknown-fields.",
    });
  if (old["x-kubernetes-embedded-resource"] !== true && next["x-kubernetes-embedded-resource"] === true)
    changes.push({
      id: "embedded-resource-required",
      breaks: "objects",
      path,
      message: "The value must have apiVersion, kind and metadata now.",
      remedy: "Keep the schema in this version.",
    });
  return changes;
}

function typeOf(schema: JsonSchema): string {
  if (schema["x-kubernetes-int-or-string"] === true) return "integer or string";
  return schema.type ?? "any";
}

/** Whether every value of the old type is valid in the new one. */
function breaksOf(was: string, is: string): Breaks {
  const isWider =
    is === "any" || (is === "number" && was === "integer") || (is === "integer or string" && (was === "integer" || was === "string"));
  return isWider ? "clients" : "objects";
}

function isOpen(schema: JsonSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}
