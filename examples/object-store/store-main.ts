/** Starts the object store by hand: `npm run store`. The token `secret` may write, the token `guest` may read. */
import { startStore } from "./store-server.ts";

const { url } = await startStore({ port: Number(process.env["PORT"] ?? 8080), createMs: 2_000, visibleAfterMs: 500 });
console.info(`the object store answers at ${url}`);
