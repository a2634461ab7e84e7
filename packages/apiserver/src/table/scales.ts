/** Tables of Scales: those of the real server's printers for built-in kinds, and those of its handler of custom resources. */
import { at, textAt } from "../internal/read.ts";
import { type Column, CREATED_TEXT, NAME, NAME_TEXT } from "./column.ts";
import { age } from "./format.ts";
import type { TableForm } from "./table.ts";

const column = (name: string, type: string, description: string): Column => ({ name, type, format: "", description, priority: 0 });

const BUILT_IN: readonly Column[] = [
  column("Name", "string", NAME_TEXT),
  column("Desired", "integer", "replicas is the desired number of instances for the scaled object."),
  column("Available", "integer", "replicas is the actual number of observed instances of the scaled object."),
  column("Age", "string", CREATED_TEXT),
];

const CUSTOM: readonly Column[] = [
  NAME,
  column("Desired", "integer", "Number of desired replicas"),
  column("Available", "integer", "Number of actual replicas"),
  column("Age", "date", CREATED_TEXT),
];

/** Returns the form of the scales of a kind. */
export function scaleTable({ isCustom }: { readonly isCustom: boolean }): TableForm {
  return {
    columns: () => (isCustom ? CUSTOM : BUILT_IN),
    cells: (scale, nowMs) => [
      textAt(scale, "metadata", "name"),
      // A Scale has no zero. The columns of custom resources are paths, which then find nothing.
      at(scale, "spec", "replicas") ?? (isCustom ? null : 0),
      at(scale, "status", "replicas"),
      age(textAt(scale, "metadata", "creationTimestamp"), nowMs),
    ],
    goType: isCustom ? "v1.Scale" : "autoscaling.Scale",
  };
}
