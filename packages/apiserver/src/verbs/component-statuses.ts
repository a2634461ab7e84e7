/** Reads of ComponentStatuses, which are computed for each request: whether the parts of the control plane answer. */
import type { ApiResponse } from "@treadle/apimachinery";
import type { Call } from "../request/context.ts";
import { readBoolean, readInteger } from "../request/write-options.ts";
import { selectionOf } from "../request/selection.ts";
import { methodNotSupported, notFound } from "../errors/status-errors.ts";
import { resourceOf } from "../storage/registry.ts";
import { Representation } from "../storage/representation.ts";
import type { Entry } from "../storage/store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { objectAnswer } from "../table/table.ts";
import { listAnswer, readListOptions } from "./list.ts";

/** Answers a list. It has no pages and no version. @throws StatusError 400, 405 */
export async function listComponents(call: Call): Promise<ApiResponse> {
  if (readBoolean(call.query, "watch") === true) throw methodNotSupported(resourceOf(call.served.type), "watch");
  readInteger(call.query, "limit"); // checked, and ignored
  const selection = selectionOf(call, readListOptions(call.query));
  return listAnswer(call, { entries: entriesOf(call).filter((entry) => selection.matches(entry)), revision: undefined });
}

/** Answers a read of one component. @throws StatusError 404 */
export async function getComponent(call: Call): Promise<ApiResponse> {
  const { name } = call.route;
  const entry = entriesOf(call).find(({ key }) => key === name);
  // The real server names the kind in the singular here.
  if (entry === undefined) throw notFound({ group: "", resource: "componentstatus" }, name);
  return objectAnswer(call, 200, entry.representation);
}

/** Ports of components that the real server asks. */
const PORTS: Readonly<Record<string, number>> = { "controller-manager": 10257, scheduler: 10259 };

/** Returns the components. Without simulated controllers none of them listens, as where only an API server and etcd run. */
function entriesOf({ parts }: Call): readonly Entry[] {
  const down = Object.entries(PORTS).map(([name, port]) =>
    parts.simulatesWorkloads
      ? healthy(name, "ok")
      : entry(name, "False", `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`),
  );
  return [...down, healthy("etcd-0", "ok")];
}

function healthy(name: string, message: string): Entry {
  return entry(name, "True", message);
}

function entry(name: string, status: "True" | "False", message: string): Entry {
  // It has neither a uid, nor a version, nor a time.
  const object = {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name },
    conditions: [{ type: "Healthy", status, message }],
  } as unknown as StoredObject;
  return { key: name, namespace: "", revision: 0, object, representation: new Representation(object) };
}
