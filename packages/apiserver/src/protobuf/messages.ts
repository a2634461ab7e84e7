/** The messages of the built-in kinds, each parsed when it is first needed. */
import { KINDS } from "../builtin/schema-data.ts";
import { MESSAGES } from "./message-data.ts";

export interface MessageField {
  readonly form: "one" | "many" | "map";
  /** `s` string, `x` bytes, `i` integer, `b` boolean, `d` number, or the name of a message. */
  readonly type: string;
  /** Name in JSON. Empty: the fields of the message belong to its owner. `@`: the list is the whole value. */
  readonly name: string;
}

/** Kinds that belong to no version of an API, or to several. */
const OTHERS: Readonly<Record<string, string>> = {
  "v1 Status": "meta.v1.Status",
  "autoscaling/v1 Scale": "autoscaling.v1.Scale",
  "policy/v1 Eviction": "policy.v1.Eviction",
  "v1 Binding": "core.v1.Binding",
  "meta.k8s.io/v1 PartialObjectMetadata": "meta.v1.PartialObjectMetadata",
};

/** Returns the message of a kind, or of the items of a list, or `undefined`. The other fields of lists are equal for all kinds. */
export function messageOf(apiVersion: string, kind: string): string | { readonly items: string } | undefined {
  if (kind === "DeleteOptions") return "meta.v1.DeleteOptions";
  const one = (name: string): string | undefined => KINDS[`${apiVersion} ${name}`] ?? OTHERS[`${apiVersion} ${name}`];
  const found = one(kind);
  if (found !== undefined || !kind.endsWith("List")) return found;
  const items = one(kind.slice(0, -"List".length));
  return items === undefined ? undefined : { items };
}

// A cache: its values depend only on the data.
const known = new Map<string, ReadonlyMap<number, MessageField>>();

/** Returns the fields of a message by their number. @throws Error when there is no such message */
export function messageFields(name: string): ReadonlyMap<number, MessageField> {
  const found = known.get(name);
  if (found !== undefined) return found;
  const start = MESSAGES.indexOf(`\n${name} `);
  if (start < 0) throw new Error(`there is no message named ${name}`);
  const line = MESSAGES.slice(start + name.length + 2, MESSAGES.indexOf("\n", start + 1));
  const fields = new Map(line.split(";").flatMap(readField));
  known.set(name, fields);
  return fields;
}

const FORMS: Readonly<Record<string, MessageField["form"]>> = { "=": "one", "*": "many", "%": "map" };

function readField(text: string): readonly (readonly [number, MessageField])[] {
  const [, number, form = "", type = "", name = ""] = /^(\d+)([=*%])(\S+) (.*)$/.exec(text) ?? [];
  return number === undefined ? [] : [[Number(number), { form: FORMS[form] ?? "one", type, name }]];
}
