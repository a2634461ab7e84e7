/** The metrics of the objects that controllers reconcile. */
import { type Condition, groupKindOf, type Kind, refOf } from "@treadle/apimachinery";
import { Gauge, Histogram, type Registry } from "./prom-client-parts.ts";
import type { ConditionCount, ObjectSink } from "./object-metrics.ts";

/** Times of the server are whole seconds. */
const READY_BUCKETS: number[] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21_600];
const DELETION_BUCKETS: number[] = [0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21_600];

const CONDITION_LABELS = ["controller", "kind", "name", "namespace", "condition", "status", "reason", "id"] as const;

/** The families; they have no series before a controller begins. */
export interface ObjectFamilies {
  /** The counts of each controller, read when the gauge is read. */
  readonly counts: Map<string, () => Iterable<ConditionCount>>;
  readonly ready: Histogram<"controller" | "kind">;
  readonly deletion: Histogram<"controller" | "kind">;
  readonly conditions: Gauge<(typeof CONDITION_LABELS)[number]>;
}

export function objectFamilies(registry: Registry): ObjectFamilies {
  const common = { labelNames: ["controller", "kind"] as const, registers: [registry] };
  const counts = new Map<string, () => Iterable<ConditionCount>>();
  const objects = new Gauge<"controller" | "type" | "status">({
    name: "treadle_objects",
    help: "Objects by the type and status of their conditions.",
    labelNames: ["controller", "type", "status"],
    registers: [registry],
    collect: () => {
      objects.reset(); // A condition that no object has any more has no series.
      for (const [controller, read] of counts)
        for (const { type, status, count } of read()) objects.set({ controller, type, status }, count);
    },
  });
  return {
    counts,
    ready: new Histogram({
      name: "treadle_object_ready_seconds",
      help: "Time from the creation of an object until it was ready for the first time.",
      buckets: READY_BUCKETS,
      ...common,
    }),
    deletion: new Histogram({
      name: "treadle_object_deletion_seconds",
      help: "Time from the deletion of an object until it no longer existed.",
      buckets: DELETION_BUCKETS,
      ...common,
    }),
    conditions: new Gauge({
      name: "treadle_controller_condition",
      help: "Time of the last transition of each condition of each object, in seconds since 1970.",
      labelNames: CONDITION_LABELS,
      registers: [registry],
    }),
  };
}

/** Writes what is found about the objects of one controller. */
export function objectSink(
  families: ObjectFamilies,
  controller: string,
  { kind, isEach }: { readonly kind: Kind; readonly isEach: boolean },
): ObjectSink {
  const labels = { controller, kind: groupKindOf(kind) };
  families.ready.zero(labels);
  families.deletion.zero(labels);
  const [ready, deletion] = [families.ready.labels(labels), families.deletion.labels(labels)];
  return {
    ready: (seconds) => ready.observe(seconds),
    deleted: (seconds) => deletion.observe(seconds),
    ...(isEach && {
      condition(key: string, condition: Condition, isShown: boolean) {
        const { name, namespace = "" } = refOf(key);
        // Another writer may have set a condition of which only type and status are certain.
        const { type = "", status = "", reason = "", lastTransitionTime } = condition as Partial<Condition>;
        const series = { controller, kind: kind.kind, name, namespace, condition: type, status, reason, id: key };
        const seconds = Date.parse(lastTransitionTime ?? "") / 1000;
        if (isShown) families.conditions.set(series, Number.isNaN(seconds) ? 0 : seconds);
        else families.conditions.remove(series);
      },
    }),
  };
}
