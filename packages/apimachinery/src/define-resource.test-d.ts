/** Types of a defined resource; compiled by tsconfig.check.json, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { defineResource } from "./define-resource.ts";
import type { CustomResource, EngineStatus, FieldPath } from "./resource-definition.ts";
import type { Kind, ObjectOf, UntypedObject, WriteOf } from "./kind.ts";
import type { Condition, Mutable } from "./objects.ts";

const Widget = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({
    size: z.int32().default(1),
    color: z.enum(["red", "blue"]),
    note: z.string().optional(),
    port: z.union([z.int(), z.string()]).optional(),
    labels: z.record(z.string(), z.string()).default({}),
    parts: z.array(z.object({ name: z.string(), count: z.int().default(1) })).optional(),
  }),
  status: z.object({ url: z.string(), counts: z.object({ ready: z.int() }) }),
  printerColumns: [
    { name: "Size", path: "spec.size" },
    { name: "Ready parts", path: "status.counts.ready" },
    { name: "First", jsonPath: ".spec.parts[0].name" },
  ],
});
interface Widget extends ObjectOf<typeof Widget> {}

declare const widget: Widget;

// an object from the server: defaults are set, fields of the status may be absent
expectTypeOf(widget.spec.size).toEqualTypeOf<number>();
expectTypeOf(widget.spec.color).toEqualTypeOf<"red" | "blue">();
expectTypeOf(widget.spec.note).toEqualTypeOf<string | undefined>();
expectTypeOf(widget.spec.port).toEqualTypeOf<string | number | undefined>();
expectTypeOf(widget.status?.url).toEqualTypeOf<string | undefined>();
expectTypeOf(widget.status?.counts?.ready).toEqualTypeOf<number | undefined>();
expectTypeOf(widget.status?.conditions).toEqualTypeOf<readonly Condition[] | undefined>();
expectTypeOf(widget.status?.observedGeneration).toEqualTypeOf<number | undefined>();
expectTypeOf(widget.metadata.name).toEqualTypeOf<string>();
expectTypeOf(widget).toExtend<CustomResource<{ size: number }, { url: string }>>();
// @ts-expect-error read-only
widget.spec.size = 2;
// @ts-expect-error read-only at any depth
widget.spec.parts?.push({ name: "x", count: 1 });

// an object to send: fields with a default may be absent
export const written: WriteOf<typeof Widget> = { metadata: { name: "w" }, spec: { color: "red", parts: [{ name: "a" }] } };
// @ts-expect-error color is required
export const incomplete: WriteOf<typeof Widget> = { metadata: { name: "w" }, spec: {} };
// @ts-expect-error no such field
export const misspelled: WriteOf<typeof Widget> = { metadata: { name: "w" }, spec: { color: "red", colour: "blue" } };

// it is assignable to a plain kind
expectTypeOf(Widget).toExtend<Kind>();

// a resource without required fields and without a status
const Bare = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Bare",
  scope: "Cluster",
  spec: z.object({ n: z.int32().default(1) }),
});
export const bare: WriteOf<typeof Bare> = { metadata: { name: "b" } };
expectTypeOf<NonNullable<ObjectOf<typeof Bare>["status"]>["conditions"]>().toEqualTypeOf<EngineStatus["conditions"]>();
// @ts-expect-error the status has only the engine's fields
export type Missing = NonNullable<ObjectOf<typeof Bare>["status"]>["url"];

export const reserved = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Reserved",
  scope: "Cluster",
  spec: z.object({}),
  // @ts-expect-error status.conditions is kept by the engine: remove it, it is added to every status
  status: z.object({ conditions: z.array(z.string()) }),
});

export const wrongPath = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "WrongPath",
  scope: "Cluster",
  spec: z.object({ a: z.string() }),
  // @ts-expect-error there is no spec.b
  printerColumns: [{ name: "B", path: "spec.b" }],
});

// several versions: each has its own types
const Gadget = defineResource({
  group: "examples.treadle.dev",
  kind: "Gadget",
  scope: "Namespaced",
  version: "v1",
  versions: {
    v1: { spec: z.object({ size: z.int32() }), status: z.object({ url: z.string() }) },
    v1beta1: { spec: z.object({ size: z.int32().default(1), old: z.string().optional() }), deprecated: true },
  },
});
interface Gadget extends ObjectOf<typeof Gadget> {}
declare const gadget: Gadget;
expectTypeOf(gadget.spec).toEqualTypeOf<{ readonly size: number }>();
expectTypeOf(gadget.status?.url).toEqualTypeOf<string | undefined>();
expectTypeOf<ObjectOf<typeof Gadget.versions.v1beta1>["spec"]["old"]>().toEqualTypeOf<string | undefined>();
export const old: WriteOf<typeof Gadget.versions.v1beta1> = { metadata: { name: "g" }, spec: { old: "x" } };
// @ts-expect-error there is no v2
void Gadget.versions.v2;

// the type of a kind knows its version, and so does that of each version
expectTypeOf(Gadget.version).toEqualTypeOf<"v1">();
expectTypeOf(Gadget.versions.v1beta1.version).toEqualTypeOf<"v1beta1">();
expectTypeOf(Gadget).toExtend<Kind & { readonly version: "v1" }>();

// a brand is kept, and its internals are not fields
const BrandedId = z.string().brand("Id");
type BrandedId = z.infer<typeof BrandedId>;
const Branded = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Branded",
  scope: "Namespaced",
  spec: z.object({ id: BrandedId, ids: z.array(BrandedId), opt: BrandedId.optional(), n: z.int32().brand("N") }),
  printerColumns: [{ name: "Id", path: "spec.id" }],
});
declare const branded: ObjectOf<typeof Branded>;
expectTypeOf(branded.spec.id).toEqualTypeOf<BrandedId>();
expectTypeOf(branded.spec.ids).toEqualTypeOf<readonly BrandedId[]>();
expectTypeOf(branded.spec.opt).toEqualTypeOf<BrandedId | undefined>();
expectTypeOf<Mutable<typeof branded.spec>["id"]>().toEqualTypeOf<BrandedId>();
expectTypeOf<FieldPath<typeof branded.spec>>().toEqualTypeOf<"id" | "ids" | "opt" | "n">();

// paths end at lists and scalars, go through optional objects, end after four levels, and are any text below a record
interface Deep {
  readonly list: readonly { readonly a: string }[];
  readonly optional?: { readonly b: { readonly c: { readonly d: { readonly e: string } } } };
}
expectTypeOf<FieldPath<Deep>>().toEqualTypeOf<"list" | "optional" | "optional.b" | "optional.b.c" | "optional.b.c.d">();
expectTypeOf<FieldPath<Readonly<Record<string, number>>>>().toEqualTypeOf<string>();
expectTypeOf<FieldPath<UntypedObject>>().toEqualTypeOf<string>();
