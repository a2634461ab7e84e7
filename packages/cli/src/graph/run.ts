/** `treadle graph`: from the name of a module to the output. */
import { loadProgram, noHandler } from "@treadle/controller/unstable/program";
import { describeHandler } from "@treadle/reconcile/unstable/engine";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { document } from "../output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { flowchartOf, MERMAID_LIMITS } from "./mermaid.ts";

/** Flags of the command. */
export interface GraphFlags {
  readonly output?: "mermaid" | "svg" | "json";
  readonly export?: readonly string[];
}

/** @throws ProgramError for a module that cannot be loaded, or has no handler */
export async function runGraph(module: string, flags: GraphFlags, terminal: Terminal): Promise<ExitCode> {
  const { handlers } = await terminal.apart(() => loadProgram(module, { exports: flags.export }));
  if (handlers.length === 0) throw noHandler(module);
  const descriptions = handlers.map(describeHandler);
  if (flags.output === "json") {
    terminal.out(document("PipelineGraph", { module, handlers: descriptions }));
    return EXIT.ok;
  }
  if (flags.output === "svg") {
    // Graphviz takes longer to load than all the rest.
    const { svgOf } = await import("./svg.ts");
    terminal.out(await svgOf(descriptions));
    return EXIT.ok;
  }
  const { text, arrows } = flowchartOf(descriptions);
  terminal.out(text);
  if (text.length > MERMAID_LIMITS.characters || arrows > MERMAID_LIMITS.arrows)
    terminal.err(
      `The chart has ${text.length} characters and ${arrows} arrows. Renderers refuse more than ${MERMAID_LIMITS.characters} and ` +
        `${MERMAID_LIMITS.arrows}: raise maxTextSize and maxEdges there, use --export NAME for a part, or -o svg.\n`,
    );
  return EXIT.ok;
}
