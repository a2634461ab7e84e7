/**
 * Makes the answers of two servers comparable. Uids, versions and times become placeholders that still show which are the
 * same: the n-th uid of a name, the n-th version of an object; so do tokens. Not compared: the order of managedFields within one second, the
 * version of a list or bookmark (other writers of a real server move it), and headers other than those below.
 */
import { parse, type Tags } from "yaml";
import type { Json, Recorded } from "./session.ts";

export interface Answer {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Limit for real times. Times in scenarios are further away. */
const A_DAY_MS = 86_400_000;
const YAML = {
  schema: "yaml-1.1",
  // The library reads a single dot, a key of managedFields, as a number.
  customTags: (tags: Tags): Tags => tags.filter((tag) => typeof tag === "string" || !("test" in tag) || tag.test?.test(".") !== true),
} as const;
const HEADERS = ["content-type", "warning", "retry-after", "allow", "location"];

/** Returns the normalised answers of one server, in order. */
export function normalise(recorded: readonly Recorded[]): Answer[] {
  // Numbers restart with each scenario, so that one difference does not shift all later ones.
  const scenarios = Map.groupBy(recorded, ({ scenario }) => scenario);
  return [...scenarios.values()].flatMap((answers) => {
    const names = new Placeholders();
    return answers.map(({ scenario, step, request, status, headers, body }) => ({
      name: `${scenario}: ${step}`,
      request: names.inText(request),
      status,
      headers: Object.fromEntries(HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, names.inText(headers[name])]]))),
      // YAML as a parser of YAML 1.1 reads it: order and quotes do not count, unless a value without quotes is not a string.
      body: names.inValue(typeof body === "string" && headers["content-type"]?.includes("yaml") ? parse(body, YAML) : body),
    }));
  });
}

/** Values that a server chooses. */
const ASSIGNED: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  serverAddress: () => "<address>",
  nodePort: (value) => (Number(value) >= 30_000 ? "<node port>" : undefined),
  healthCheckNodePort: (value) => (Number(value) >= 30_000 ? "<node port>" : undefined),
};

class Placeholders {
  readonly #uids = new Map<string, string>();
  /** Versions by object. */
  readonly #versions = new Map<string, string[]>();

  inValue(value: unknown): unknown {
    if (typeof value === "string") return this.inText(value);
    if (Array.isArray(value)) return inOrder(value.map((each) => this.inValue(each)));
    if (value instanceof Date) return "a timestamp that is no text";
    if (!isObject(value)) return value;
    if (typeof value["uid"] === "string" && typeof value["name"] === "string") this.#uid(value["uid"], value["name"]);
    const members = Object.entries(value).map(([key, member]) => [
      this.inText(key),
      key === "metadata" && isObject(member)
        ? this.#metadata(member)
        : key === "cells" && Array.isArray(member)
          ? this.inValue(member.map(withoutAge))
          : (ASSIGNED[key]?.(member) ?? this.inValue(member)),
    ]);
    return Object.fromEntries(members.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
  }

  inText(text: string): string {
    return (
      text
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => (Math.abs(Date.now() - Date.parse(time)) < A_DAY_MS ? "<time>" : time))
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) => this.#uid(uid))
        .replaceAll(/(resourceVersion=|too old resource version: |current: )\d+( \(\d+\))?/g, "$1<version>")
        .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, "<cluster ip>")
        .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>")
        // A token in the data of a Secret.
        .replaceAll(/\bZXlK[\w+/]{400,}=*/g, "<token in base64>")
        // The difference of two specs in lines, which the real server adds to refusals of pods.
        .replaceAll(/\n@@ -[^]*?(?=, [\w.[\]]+: [A-Z][a-z]+ value|\]?$)/g, "")
        // Templates in the form of Go's structs, with all absent fields.
        .replaceAll(/(?<=spec\.template: Invalid value: |^Invalid value: )\{.*"[Ss]pec":.*\}(?=: field is immutable)/g, "<template>")
        // Objects inside messages.
        .replaceAll(/(resourceVersion\\+":\\+")\d+/g, "$1<version>")
        .replaceAll(/(ResourceVersion in [a-z ]+ )\(\d+\)/g, "$1(<version>)")
        // Scenarios end each generateName like this.
        .replaceAll(/random-[a-z0-9]{5}\b/g, "random-<suffix>")
        .replaceAll(/continue=[^&]+/g, "continue=<continue>")
    );
  }

  #metadata(metadata: Json): unknown {
    const { managedFields, resourceVersion, ...rest } = metadata;
    const isOfObject = metadata["uid"] !== undefined;
    if (isOfObject) this.#uid(String(metadata["uid"]), String(metadata["name"]));
    const plain: Record<string, unknown> = this.inValue({ ...rest, continue: undefined }) as Record<string, unknown>; // an object stays one
    if (metadata["continue"] === undefined) delete plain["continue"];
    else plain["continue"] = metadata["continue"] === "" ? "" : "<continue>";
    if (resourceVersion !== undefined)
      plain["resourceVersion"] = isOfObject ? this.#version(String(metadata["uid"]), String(resourceVersion)) : "<version>";
    if (Array.isArray(managedFields)) {
      const entries = managedFields.map((entry) => this.inValue(entry));
      plain["managedFields"] = entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    } else if (managedFields !== undefined) plain["managedFields"] = managedFields;
    return Object.fromEntries(Object.entries(plain).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Numbers uids by name if there is one, so that one more object does not shift the others. */
  #uid(uid: string, name = "?"): string {
    const known = this.#uids.get(uid);
    if (known !== undefined) return known;
    const base = this.inText(name);
    const count = [...this.#uids.values()].filter((each) => each.startsWith(`<uid ${base} `)).length;
    const made = `<uid ${base} ${count + 1}>`;
    this.#uids.set(uid, made);
    return made;
  }

  #version(uid: string, version: string): string {
    const versions = this.#versions.get(uid) ?? [];
    this.#versions.set(uid, versions);
    if (!versions.includes(version)) versions.push(version);
    return `<version ${versions.indexOf(version) + 1}>`;
  }
}

/** Sorts conflicts of several managers, which the real server lists in random order. */
function inOrder(list: readonly unknown[]): readonly unknown[] {
  const isConflicts = list.every((each) => isObject(each) && each["reason"] === "FieldManagerConflict");
  return isConflicts ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list;
}

/** Removes ages of seconds, which are those of a run. Ages of years come from times in scenarios. */
function withoutAge(cell: unknown): unknown {
  return typeof cell === "string" && /^\d+[smh](\d+[sm])?$/.test(cell) ? "<age>" : cell;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
