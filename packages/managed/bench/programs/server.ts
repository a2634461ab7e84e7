/** The API server of the benchmark, in a process of its own. */
import { systemClock } from "@treadle/apimachinery";
import { createApiServer, serveHttp } from "@treadle/apiserver";
import { Bucket, StoreConfig } from "./kinds.ts";

const server = createApiServer({ clock: systemClock, resources: [Bucket, StoreConfig] });
const { url } = await serveHttp(server);
process.send?.(url);
process.on("disconnect", () => process.exit());
