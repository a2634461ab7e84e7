/** Records changes of the certificates as events of their Secret, for `kubectl describe secret`. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { metadataOnly } from "@treadle/apimachinery";
import { Event, Secret } from "@treadle/apimachinery/kinds";
import type { RunnableEnv } from "@treadle/controller";
import { eventObject, shownNote } from "@treadle/controller/unstable/runnable";
import { errorFields } from "@treadle/reconcile/unstable/engine";
import type { CertificateNote } from "../certificates/options.ts";
import type { SettledPlacement } from "../placement.ts";

/**
 * Returns a function that records a change. Any replica records its own changes, so the recorder of the manager, which writes in the leader
 * only, is not used. An event that cannot be written is left out: the change was logged.
 */
export function certificateEvents(
  { name, namespace, secretName }: SettledPlacement,
  { client, clock, log }: Pick<RunnableEnv, "client" | "clock" | "log">,
): (note: CertificateNote) => void {
  const write = async ({ type, reason, message }: CertificateNote): Promise<void> => {
    const secret = await client.get(metadataOnly(Secret), { name: secretName, namespace });
    if (secret === undefined) return;
    const reporter = { controller: `${name}/certificates`, instance: hostname() };
    const note = { type, reason, action: "Certificates", note: shownNote(message) };
    await client.create(Event, eventObject(secret, { reporter, note, atMs: clock.now(), id: randomUUID().slice(0, 8) }));
  };
  return (note) => {
    write(note).catch((error: unknown) => log.debug(errorFields(error), "cannot record an event of the certificates"));
  };
}
