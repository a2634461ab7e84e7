/** What a plugin offers, checked: its description is the word of another program. */
import { createHash } from "node:crypto";
import { statusMessage, TimeLimit } from "@treadle/reconcile/unstable/engine";
import { z } from "zod";
import type { Description } from "../wire/messages.ts";
import { quoted } from "../wire/quoted.ts";
import { API_VERSION } from "../wire/protos.ts";

/** A type of capability that a plugin offers. */
export interface OfferedType {
  /** As the plugin writes it. */
  readonly name: string;
  readonly versions: readonly string[];
  /** The schema of the parameters; `undefined`: any object. */
  readonly parameters: z.ZodType | undefined;
}

/** A checked description. */
export interface Offer {
  readonly category: string;
  readonly types: readonly OfferedType[];
  /** The version of the plugin; empty: unknown. */
  readonly version: string;
  /** Another text for another description. */
  readonly digest: string;
}

/** A plugin that must not be used. It is not started again as long as it is the same. */
export class Refusal extends Error {
  /** The name of the class. */
  override readonly name = "Refusal";
  /** What it offers, if that can be read. */
  readonly offer: Offer | undefined;

  constructor(message: string, offer?: Offer) {
    super(message);
    this.offer = offer;
  }
}

/** Returns what a plugin offers. @param name the name of the plugin for the host. @throws Refusal with what to do */
export function offerOf(description: Description, name: string): Offer {
  const { category, types, version, apiVersions } = description;
  requireName("category", category);
  if (types.length === 0) throw new Refusal("it offers no types: Describe must return at least one");
  const seen = new Set<string>();
  const offered = types.map((type) => {
    requireName("type", type.name);
    if (seen.size === seen.add(type.name.toLowerCase()).size) throw new Refusal(`it offers the type "${type.name}" twice`);
    return { name: type.name, versions: type.versions, parameters: schemaOf(type.name, type.parameterSchema) };
  });
  const digest = createHash("sha256").update(JSON.stringify(description)).digest("base64url").slice(0, 10);
  const offer: Offer = { category, types: offered, version, digest };
  if (description.name !== name)
    throw new Refusal(
      `it describes itself as "${description.name}", but its name is "${name}": rename the file, or set the name of the source`,
      offer,
    );
  const [oldest, newest, own] = [apiVersions.oldest, apiVersions.newest, API_VERSION].map(partsOf) as [Version, Version, Version];
  if (oldest[0] > own[0] || (oldest[0] === own[0] && oldest[1] > own[1]) || newest[0] < own[0])
    throw new Refusal(
      `it supports the API versions ${apiVersions.oldest} to ${apiVersions.newest}, but the operator has ${API_VERSION}: use another release of the plugin or of the operator`,
      offer,
    );
  return offer;
}

/** A pair must be readable in the name of an object, in a label of a metric and in a message. */
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

function requireName(what: string, name: string): void {
  if (!NAME.test(name))
    throw new Refusal(
      `its ${what} is ${quoted(name)}: write at most 63 letters, digits, ".", "_" and "-", with a letter or digit at both ends`,
    );
}

function schemaOf(type: string, schema: object | undefined): z.ZodType | undefined {
  if (schema === undefined) return undefined;
  try {
    const made = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    // A schema that refers to itself, or to others many times, may fail or block at its first use.
    if (new TimeLimit().run(() => made.safeParse({})) === undefined) throw new Error("it takes too long for an empty object");
    return made;
  } catch (error) {
    throw new Refusal(`the parameter schema of its type "${type}" cannot be read: ${statusMessage(error)}`);
  }
}

type Version = readonly [major: number, minor: number];

function partsOf(version: string): Version {
  const match = /^(\d{1,6})\.(\d{1,6})$/.exec(version);
  if (match === null) throw new Refusal(`its API version is ${quoted(version)}: write "major.minor", such as "1.0"`);
  return [Number(match[1]), Number(match[2])];
}
