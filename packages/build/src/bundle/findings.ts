/** What the sources need and a bundle cannot have. It counts once the module is in the bundle. */
import { relative } from "node:path";

/** One problem of one module. */
export interface Finding {
  /** The module, by its path. */
  readonly module: string;
  readonly line: number;
  /** What is there. */
  readonly what: string;
  /** What to do. */
  readonly fix: string;
  /** It ends the build in a package as well. In the program's own modules every finding does. */
  readonly isFatal?: boolean;
}

/** Whether a module is of an installed package. */
export function isInstalled(module: string): boolean {
  return /[\\/]node_modules[\\/]/.test(module);
}

/** The path of a module in messages and source maps: that below `node_modules`, or relative to `base`, with forward slashes. */
export function shownPath(base: string, module: string): string {
  const path = module.replaceAll("\\", "/");
  const at = path.lastIndexOf("/node_modules/");
  return at === -1 ? relative(base, module).replaceAll("\\", "/") : path.slice(at + 1);
}

/** The finding as one line. */
export function shownFinding(base: string, { module, line, what, fix }: Finding): string {
  return `${shownPath(base, module)}:${line}: ${what}; ${fix}`;
}
