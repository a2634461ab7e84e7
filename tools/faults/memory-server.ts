/**
 * The in-memory API server as a process: `memory-server.ts PORT`. "stop" and "start" on its channel are those of its
 * listener; like a kube-apiserver it comes back without the history of its watches. What it stores it keeps.
 */
import { createApiServer, type HttpFront, serveHttp } from "@treadle/apiserver";
import { Widget } from "./widget.ts";

const server = createApiServer({ resources: [Widget] });
let front: HttpFront | undefined = await serveHttp(server);
const port = Number(new URL(front.url).port);

process.on("message", (message: string) => void heard(message));
process.on("disconnect", () => process.exit());
process.send?.(front.url);

async function heard(message: string): Promise<void> {
  if (message === "stop") {
    await front?.close();
    front = undefined;
  } else {
    server.compact();
    front ??= await serveHttp(server, { port });
  }
  process.send?.(message);
}
