import { describe, expect, test } from "vitest";
import { configured, type ObjectConfig } from "../configured.ts";
import { readRendered } from "./read-rendered.ts";

const WHERE = `object 3 of set "stack"`;
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const state = { type: "Pending", reason: "NoAddress", message: "", attributes: [{ name: "host", value: "db" }] };

describe("a rendered value", () => {
  test("without a configuration decides nothing", () => {
    expect(readRendered(map, WHERE)).toEqual({ manifest: map, config: {} });
  });

  test("is read with its configuration", () => {
    const config = { id: "a", owned: false, created: false, updated: false, watched: false, checkedForReadiness: false, state };
    expect(readRendered(configured(map, config), WHERE)).toEqual({ manifest: map, config });
  });

  test("may leave everything to the defaults", () => {
    expect(readRendered(configured(map, { id: undefined }), WHERE)).toEqual({ manifest: map, config: {} });
  });

  test("with an API version is a manifest, whatever its other members are", () => {
    const odd = { ...map, object: {}, config: {} };
    expect(readRendered(odd, WHERE)).toEqual({ manifest: odd, config: {} });
  });

  const configs: readonly { readonly name: string; readonly config: unknown; readonly message: string }[] = [
    { name: "no object", config: 7, message: "has a number as configuration: call configured(object, { ... })" },
    { name: "a list", config: [], message: "has a list as configuration: call configured(object, { ... })" },
    {
      name: "an unknown member",
      config: { ready: true },
      message:
        'has "ready" in its configuration: remove it, or write one of id, owned, created, updated, watched, checkedForReadiness, state',
    },
    { name: "an empty id", config: { id: "" }, message: 'has "" as id in its configuration: write a text of 1 to 253 characters' },
    { name: "an id that is no text", config: { id: 7 }, message: "has 7 as id in its configuration: write a text of 1 to 253 characters" },
    {
      name: "a text for true or false",
      config: { created: "no" },
      message: 'has "no" as created in its configuration: write true or false',
    },
    { name: "null", config: { watched: null }, message: "has null as watched in its configuration: write true or false" },
    {
      name: "a state without a reason",
      config: { state: { type: "Ready", message: "" } },
      message:
        "has an object as state in its configuration: write type, reason and message as texts, and attributes as a list of { name, value }",
    },
    {
      name: "a function",
      config: { state: () => state },
      message: "configuration holds at state a function, which is not JSON",
    },
  ];
  test.for(configs)("with $name as configuration is refused with kind and name", ({ config, message }) => {
    expect(() => readRendered(configured(map, config as ObjectConfig), WHERE)).toThrow(`${WHERE} (ConfigMap a) ${message}`);
  });

  test("with an id of 254 characters is refused", () => {
    expect(() => readRendered(configured(map, { id: "x".repeat(254) }), WHERE)).toThrow("as id in its configuration");
    expect(readRendered(configured(map, { id: "x".repeat(253) }), WHERE).config.id).toHaveLength(253);
  });

  test("with a configured object as its object is refused", () => {
    expect(() => readRendered(configured(configured(map, {}) as never, {}), WHERE)).toThrow("has nothing as apiVersion");
  });
});
