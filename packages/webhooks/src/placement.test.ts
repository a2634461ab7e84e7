import { expect, test } from "vitest";
import { settlePlacement } from "./placement.ts";

test("the host of a URL with an IPv6 address has no brackets, because certificates have none", () => {
  const { hosts, address } = settlePlacement({ name: "a", url: "https://[fd00::1]:9443" }, "a test");
  expect(hosts).toEqual(["fd00::1"]);
  expect(address("/convert")).toEqual({ url: "https://[fd00::1]:9443/convert" });
});
