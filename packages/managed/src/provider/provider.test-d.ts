import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import type { Secret } from "@treadle/apimachinery/kinds";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { provider, type Provider } from "./provider.ts";

const StoreConfig = defineResource({
  group: "store.example.com",
  version: "v1",
  kind: "StoreConfig",
  scope: "Namespaced",
  spec: z.object({ url: z.string(), secret: z.string() }),
  status: z.object({}),
});

class StoreApi {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }
}

test("the config, the Secret and the API have their types", () => {
  const store = provider(StoreConfig, {
    secret: (config) => config.spec.secret,
    connect: ({ config, secret, signal }) => {
      expectTypeOf(config).toEqualTypeOf<ObjectOf<typeof StoreConfig>>();
      expectTypeOf(secret).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return new StoreApi(config.spec.url);
    },
  });
  expectTypeOf(store).toEqualTypeOf<Provider<StoreApi>>();
  expectTypeOf(provider(StoreConfig, { connect: async () => new StoreApi("u") })).toEqualTypeOf<Provider<StoreApi>>();
});

test("unknown fields of the config are refused", () => {
  // @ts-expect-error the spec has no token
  provider(StoreConfig, { connect: ({ config }) => config.spec.token });
});
