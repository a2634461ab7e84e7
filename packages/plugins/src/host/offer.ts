/** What a plugin offers, checked: its description is the word of another program. The connection has checked its form. */
import { createHash } from "node:crypto";
import { statusMessage, TimeLimit } from "@treadle/reconcile/unstable/engine";
import { z } from "zod";
import { PluginError } from "../plugin-error.ts";
import type { Description } from "../wire/messages.ts";
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

/** A plugin that must not be used, and what it offers, if that can be read. It is not started again as long as it is the same. */
export class Refusal extends PluginError {
  readonly offer: Offer | undefined;

  constructor(message: string, offer?: Offer) {
    super("Refused", message);
    this.offer = offer;
  }
}

/** Returns what a plugin offers. @param name the name of the plugin for the host. @throws Refusal with what to do */
export function offerOf(description: Description, name: string): Offer {
  const { category, types, version, apiVersions } = description;
  const offered = types.map((type) => ({ ...type, parameters: schemaOf(type.name, type.parameterSchema) }));
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
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return [major, minor];
}
