import { expect, test } from "vitest";
import { placeIn } from "./place.ts";

test.for([
  {
    name: "the first frame of the project is the place of an error",
    stack: "    at f (file:///w/node_modules/x/a.js:9:1)\n    at say (file:///w/src/shop.ts:12:5)\n    at file:///w/src/main.ts:3:7",
    place: "src/shop.ts:12:5",
  },
  {
    name: "a frame without a function and one of CommonJS count as well",
    stack: "    at node:x:1:2\n    at /w/src/a.cjs:3:7",
    place: "src/a.cjs:3:7",
  },
  {
    name: "a stack of packages alone has no place in the project",
    stack: "    at f (/w/node_modules/x/a.js:9:1)\n    at /other/b.ts:1:1",
    place: undefined,
  },
])("$name", ({ stack, place }) => expect(placeIn("/w", stack)).toBe(place));
