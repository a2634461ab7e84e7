/** The metrics of the events that steps record. */
import { Counter, type Registry } from "./prom-client-parts.ts";
import { EVENT_RESULTS, type EventResult } from "../events/recorder.ts";

export function eventFamilies(registry: Registry): (result: EventResult) => void {
  const events = new Counter({
    name: "treadle_events_total",
    help: "Events that steps recorded, by what became of them.",
    labelNames: ["result"],
    registers: [registry],
  });
  for (const result of EVENT_RESULTS) events.inc({ result }, 0);
  return (result) => events.inc({ result });
}
