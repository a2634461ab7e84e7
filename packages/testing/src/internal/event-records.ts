/** The events that an operator stores on the server, as a test reads them. */
import { keyOf, type Transport } from "@treadle/apimachinery";
import type { RecordedEvent } from "../test-environment.ts";
import { describeRequest } from "./request-description.ts";

/** `transport`, which adds each event that it created to `events`. */
export function recordingEvents(transport: Transport, events: RecordedEvent[]): Transport {
  return {
    request: async (request) => {
      const response = await transport.request(request);
      if (request.method !== "POST" || response.status !== 201) return response;
      const { resource, group, body } = describeRequest(request);
      if (resource === "events" && group === "events.k8s.io") events.push(eventOf(body as StoredEvent)); // The server took it as an event.
      return response;
    },
    close: () => transport.close(),
  };
}

type StoredEvent = Omit<RecordedEvent, "object"> & { readonly regarding: { readonly name: string; readonly namespace?: string } };

function eventOf({ type, reason, note, action, regarding }: StoredEvent): RecordedEvent {
  return { type, reason, note, action, object: keyOf(regarding) };
}
