/** The servers before which the suite runs: each in processes of its own, which can end and come back. */
import { crdOf } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { type ClusterConfig, createClient, type Credentials, httpTransport, loadConfig } from "@treadle/client";
import { setTimeout as delay } from "node:timers/promises";
import type { ControlPlane } from "../controlplane/src/control-plane.ts";
import { Process } from "./process.ts";
import { Widget } from "./widget.ts";

export interface Server extends AsyncDisposable {
  readonly name: "memory" | "real";
  readonly target: Pick<ClusterConfig, "server"> & Partial<ClusterConfig>;
  readonly credentials: Credentials;
  /** Ends a program of it in this way and starts it again after `downMs`; resolves when it answers. Absent: it cannot. */
  restart?(program: "kube-apiserver" | "etcd", signal: "SIGTERM" | "SIGKILL", downMs: number): Promise<void>;
}

/** Behind `restart` is only the listener: its end is always abrupt, and there is no etcd. */
export async function memoryServer(): Promise<Server> {
  const child = new Process<string>("server", "memory-server.ts", []);
  const url = await child.next(() => true);
  const told = async (what: "stop" | "start"): Promise<void> => {
    const done = child.next((message) => message === what);
    child.send(what);
    await done;
  };
  return {
    name: "memory",
    target: { server: url },
    credentials: {},
    async restart(_program, _signal, downMs) {
      await told("stop");
      await delay(downMs);
      await told("start");
    },
    [Symbol.asyncDispose]: () => child.stop(),
  };
}

/** The cluster of a kubeconfig, which gets a CRD; with its control plane its programs can be ended. */
export async function realServer(kubeconfig: string, plane?: ControlPlane): Promise<Server> {
  const target = await loadConfig({ kubeconfig, env: {} });
  const credentials = typeof target.credentials === "function" ? await target.credentials({ renew: false }) : target.credentials;
  const client = createClient({ transport: httpTransport(target) });
  const wanted = crdOf(Widget);
  if ((await client.get(CustomResourceDefinition, { name: wanted.metadata.name })) === undefined)
    await client.create(CustomResourceDefinition, wanted);
  // It is served a moment after it was made.
  while ((await client.list(Widget, { limit: 1 }).catch(() => undefined)) === undefined) await delay(100);
  return {
    name: "real",
    target,
    credentials,
    ...(plane === undefined
      ? {}
      : {
          restart: (program: "kube-apiserver" | "etcd", signal: "SIGTERM" | "SIGKILL", downMs: number) =>
            plane.restart(program, signal, downMs),
        }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
