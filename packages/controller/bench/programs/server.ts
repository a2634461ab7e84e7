/** The in-memory API server in a process of its own, so that it does not take the operator's time. */
import { createApiServer, serveHttp } from "@treadle/apiserver";
import { Widget } from "./kind.ts";

const front = await serveHttp(createApiServer({ resources: [Widget] }));
process.send?.(front.url);
process.on("disconnect", () => process.exit(0));
