/** What is asked of events, of which two kinds are one. */
import { type FieldError, invalid } from "../../field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { objectAt } from "../../internal/read.ts";

/** An event is in the namespace of what it is about; one about what has none is in `default`. */
export function eventErrors(draft: JsonObject): FieldError[] {
  const about = draft["involvedObject"];
  if (!isObject(about)) return [];
  const { namespace = "" } = about;
  const own = objectAt(draft, "metadata")["namespace"];
  if (own === namespace || (namespace === "" && own === "default")) return [];
  return [invalid("involvedObject.namespace", namespace, "does not match event.namespace")];
}
