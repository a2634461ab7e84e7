/** Reads one rendered value: a manifest, or a manifest with what its author decides in code. */
import { misuse, truncate } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer, shownAnswer } from "../../core/ask.ts";
import { plainJson } from "../../core/json.ts";
import { isDependentState } from "../../core/state.ts";
import { isConfigured, type ObjectConfig } from "../configured.ts";
import type { Manifest } from "./member.ts";
import { readManifest, titled } from "./read-manifest.ts";

/** A rendered object as the plan takes it. */
export interface ReadObject {
  readonly manifest: Manifest;
  /** What its author decides; empty for a manifest alone. */
  readonly config: ObjectConfig;
}

/** Maximum length of an id. */
const MAX_ID_LENGTH = 253;

/**
 * Returns a rendered value as an object of a set.
 *
 * @param where as for `readManifest()`
 * @throws TypeError as `readManifest()` does, and for a configuration of the wrong form
 */
export function readRendered(value: unknown, where: string): ReadObject {
  if (!isConfigured(value)) return { manifest: readManifest(value, where), config: NO_CONFIG };
  const { object, config } = value;
  const manifest = readManifest(object, where);
  return { manifest, config: readConfig(config, titled(where, { ...manifest })) };
}

const NO_CONFIG: ObjectConfig = Object.freeze({});

type Check = (value: unknown) => string | undefined;

const isTrueOrFalse: Check = (value) => (typeof value === "boolean" ? undefined : "write true or false");

/** What is to be done about a value; `undefined`: it is right. */
const CHECKS: { readonly [Name in keyof Required<ObjectConfig>]: Check } = {
  id: (value) =>
    typeof value === "string" && value !== "" && value.length <= MAX_ID_LENGTH
      ? undefined
      : `write a text of 1 to ${MAX_ID_LENGTH} characters`,
  owned: isTrueOrFalse,
  created: isTrueOrFalse,
  updated: isTrueOrFalse,
  watched: isTrueOrFalse,
  checkedForReadiness: isTrueOrFalse,
  state: (value) =>
    isDependentState(value) ? undefined : "write type, reason and message as texts, and attributes as a list of { name, value }",
};

function readConfig(config: unknown, title: string): ObjectConfig {
  const refuse = (problem: string): Error => misuse("ERR_INVALID_STEP", `${title} ${problem}`);
  if (typeof config !== "object" || config === null || Array.isArray(config))
    throw refuse(`has ${nameOfAnswer(config)} as configuration: call configured(object, { ... })`);
  const json = plainJson(`${title} configuration`, config) as Readonly<Record<string, unknown>>; // It keeps the shape of an object.
  for (const [name, value] of Object.entries(json)) {
    if (!Object.hasOwn(CHECKS, name))
      throw refuse(
        `has ${truncate(JSON.stringify(name), 100)} in its configuration: remove it, or write one of ${Object.keys(CHECKS).join(", ")}`,
      );
    const remedy = CHECKS[name as keyof ObjectConfig](value);
    if (remedy !== undefined) throw refuse(`has ${shownAnswer(value)} as ${name} in its configuration: ${remedy}`);
  }
  return json as ObjectConfig; // Each member was checked.
}
