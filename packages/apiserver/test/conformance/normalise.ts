/**
 * Makes the answers of two servers comparable. Uids, versions and times become placeholders that still show which are the
 * same: the n-th uid, the n-th version of an object. Not compared: the order of managedFields within one second, the
 * version of a list or bookmark (other writers of a real server move it), and headers other than those below.
 */
import type { Json, Recorded } from "./session.ts";

export interface Answer {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const HEADERS = ["content-type", "warning", "retry-after", "allow", "location"];

/** The answers of one server, in order. */
export function normalise(recorded: readonly Recorded[]): Answer[] {
  // Numbers start over with every scenario, so that one difference does not shift all that follow.
  const scenarios = Map.groupBy(recorded, ({ scenario }) => scenario);
  return [...scenarios.values()].flatMap((answers) => {
    const names = new Placeholders();
    return answers.map(({ scenario, step, request, status, headers, body }) => ({
      name: `${scenario}: ${step}`,
      request: names.inText(request),
      status,
      headers: Object.fromEntries(HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
      body: names.inValue(body),
    }));
  });
}

class Placeholders {
  readonly #uids = new Map<string, string>();
  /** By object. */
  readonly #versions = new Map<string, string[]>();

  inValue(value: unknown): unknown {
    if (typeof value === "string") return this.inText(value);
    if (Array.isArray(value)) return value.map((each) => this.inValue(each));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => [
      key,
      key === "metadata" && isObject(member) ? this.#metadata(member) : this.inValue(member),
    ]);
    return Object.fromEntries(members.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
  }

  inText(text: string): string {
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)) return "<time>";
    return text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) => this.#uid(uid))
      .replaceAll(/(ResourceVersion in [a-z ]+: |resourceVersion=|too old resource version: |current: )\d+( \(\d+\))?/g, "$1<version>")
      .replaceAll(/continue=[^&]+/g, "continue=<continue>");
  }

  #metadata(metadata: Json): unknown {
    const { managedFields, resourceVersion, name, generateName, ...rest } = metadata;
    const isOfObject = metadata["uid"] !== undefined;
    const plain: Record<string, unknown> = this.inValue({ ...rest, continue: undefined }) as Record<string, unknown>; // an object stays one
    if (metadata["continue"] === undefined) delete plain["continue"];
    else plain["continue"] = metadata["continue"] === "" ? "" : "<continue>";
    if (resourceVersion !== undefined)
      plain["resourceVersion"] = isOfObject ? this.#version(String(metadata["uid"]), String(resourceVersion)) : "<version>";
    if (generateName !== undefined) plain["generateName"] = generateName;
    if (name !== undefined)
      plain["name"] =
        typeof generateName === "string" && /^[a-z0-9]{5}$/.test(String(name).slice(generateName.length)) && String(name).startsWith(generateName)
          ? `${generateName}<random>`
          : this.inText(String(name));
    if (Array.isArray(managedFields)) {
      const entries = managedFields.map((entry) => this.inValue(entry));
      plain["managedFields"] = entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    } else if (managedFields !== undefined) plain["managedFields"] = managedFields;
    return Object.fromEntries(Object.entries(plain).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #uid(uid: string): string {
    const known = this.#uids.get(uid) ?? `<uid ${this.#uids.size + 1}>`;
    this.#uids.set(uid, known);
    return known;
  }

  #version(uid: string, version: string): string {
    const versions = this.#versions.get(uid) ?? [];
    this.#versions.set(uid, versions);
    if (!versions.includes(version)) versions.push(version);
    return `<version ${versions.indexOf(version) + 1}>`;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
