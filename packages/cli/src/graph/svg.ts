/** Draws a chart as an SVG file. Graphviz runs in this process, as WebAssembly: no browser and no program is needed. */
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import type { HandlerDescription } from "@treadle/reconcile/unstable/engine";
import { dotOf, LAYOUT_SCALE } from "./dot.ts";

/** Returns the SVG of some handlers. Equal descriptions give equal text. */
export async function svgOf(handlers: readonly HandlerDescription[]): Promise<string> {
  const graphviz = await Graphviz.load();
  return (
    graphviz
      .dot(dotOf(handlers))
      // Browsers show titles as tooltips, and these are our ids.
      .replaceAll(/<title>[^<]*<\/title>\n/g, "")
      .replaceAll(/ font-size="([\d.]+)"/g, (_, size: string) => ` font-size="${(Number(size) / LAYOUT_SCALE).toFixed(1)}"`)
      .replaceAll("Helvetica,sans-serif", "Helvetica,Arial,sans-serif")
  );
}
