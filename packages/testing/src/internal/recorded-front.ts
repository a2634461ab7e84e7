/** An API server whose HTTPS front records requests: those of an operator in another cluster, which has a kubeconfig of this one. */
import type { ApiServer } from "@treadle/apiserver";
import type { Recorder } from "./request-recorder.ts";

/** Returns `server` for a front. Its requests are recorded, and observers of `requests` may answer them. */
export function recordedFront(server: ApiServer, requests: Recorder): ApiServer {
  const handle: ApiServer["handle"] = async (request, sender) =>
    await requests.through({ request: (wanted) => server.handle(wanted, sender), close: async () => undefined }).request(request);
  return new Proxy(server, {
    get(target, key) {
      if (key === "handle") return handle;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
