import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { chartSource } from "../../src/helm/source.ts";
import { folder } from "../folder.ts";
import { chartYaml } from "./chart-files.ts";

describe("a chart folder in development", () => {
  test("has another version after each change, and is read again", async () => {
    const root = folder({ "Chart.yaml": chartYaml(), "templates/a.yaml": "" });
    const { live, current } = bound(chartSource(root, true));
    const listener = vi.fn();
    const stop = live?.onChange(listener);
    const before = current();
    expect(current()).toBe(before);
    writeFileSync(path.join(root, "templates/a.yaml"), "{{ .Capabilities.APIVersions }}");
    await vi.waitFor(() => expect(listener).toHaveBeenCalled());
    expect(live?.version).not.toBe(0);
    await vi.waitFor(() => expect(current()).toMatchObject({ mentionsApiVersions: true }));
    stop?.();
  });

  test("that is broken later is an error of the rendering, until it is repaired", async () => {
    const root = folder({ "Chart.yaml": chartYaml() });
    const { live, current } = bound(chartSource(root, true));
    const listener = vi.fn();
    const stop = live?.onChange(listener);
    rmSync(path.join(root, "Chart.yaml"));
    await vi.waitFor(() => expect(current).toThrow(expect.objectContaining({ code: "ChartInvalid" })));
    writeFileSync(path.join(root, "Chart.yaml"), chartYaml("repaired"));
    await vi.waitFor(() => expect(current()).toMatchObject({ name: "repaired" }));
    stop?.();
  });

  test("is not watched without a listener", async () => {
    const root = folder({ "Chart.yaml": chartYaml() });
    const { live } = chartSource(root, true);
    const [first, second] = [vi.fn(), vi.fn()];
    live?.onChange(first)();
    const stop = live?.onChange(second);
    mkdirSync(path.join(root, "templates"));
    await vi.waitFor(() => expect(second).toHaveBeenCalled());
    expect(first).not.toHaveBeenCalled();
    stop?.();
  });
});

test("a chart in production is read once", () => {
  const root = folder({ "Chart.yaml": chartYaml() });
  const { live, current } = bound(chartSource(root, false));
  writeFileSync(path.join(root, "Chart.yaml"), "broken: [");
  expect(live).toBeUndefined();
  expect(current()).toMatchObject({ name: "demo" });
});

function bound(source: ReturnType<typeof chartSource>) {
  return { live: source.live, current: () => source.current() };
}
