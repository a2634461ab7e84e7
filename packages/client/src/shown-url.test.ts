import { expect, test } from "vitest";
import { shownUrl } from "./shown-url.ts";

test.for([
  ["https://10.0.0.1:6443", "https://10.0.0.1:6443"],
  ["https://api/k8s/clusters/c-1/", "https://api/k8s/clusters/c-1"],
  ["http://user:hunter2@api:1/path?token=hunter2#hunter2", "http://api:1/path"],
  ["https://user:hun@ter2@api", "https://api"],
  ["https://user:hunter2/@host:x", "https://host:x"],
  ["https://user:hunter2#@host:x?hunter2", "https://host:x"],
  ["ftp://user:hunter2@api/path", "ftp://api/path"],
  ["//user:hunter2@api", "//api"],
  ["user:hunter2@api:443", "api:443"],
  ["10.0.0.1:443", "10.0.0.1:443"],
  ["", ""],
] as const)("%s is shown as %s", ([given, shown]) => {
  expect(shownUrl(given)).toBe(shown);
});
