export { type ApiServer, type ApiServerOptions, createApiServer, type ServedResource } from "./server.ts";
