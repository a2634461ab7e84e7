/** Reports the files that the program loads, so that `treadle dev` watches these and no others. */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { stampOf } from "../stamp.ts";
import type { Parent } from "./channel.ts";

/** Watches the loader of modules. `onMain` is called soon after the program's own module began to load. */
export function watchModules(parent: Parent, { main, onMain }: { readonly main: string; readonly onMain: () => void }): void {
  const note = (url: string): void => {
    const path = pathOf(url);
    // At once: a file that does not parse ends the process.
    if (path !== undefined) parent.send({ type: "file", path, stamp: stampOf(path) });
  };
  let isMainKnown = false;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        // The file may be written next.
        if (/^\.{0,2}\//.test(specifier) && context.parentURL !== undefined) note(new URL(specifier, context.parentURL).href);
        throw error;
      }
    },
    load(url, context, next) {
      note(url);
      if (url === main && !isMainKnown) {
        isMainKnown = true;
        setImmediate(onMain);
      }
      return next(url, context);
    },
  });
}

/** Packages change by an install, and not by an edit. */
function pathOf(url: string): string | undefined {
  if (!url.startsWith("file:") || url.includes("/node_modules/")) return undefined;
  const { href } = new URL(url);
  return fileURLToPath(href.replace(/[?#].*$/, ""));
}
