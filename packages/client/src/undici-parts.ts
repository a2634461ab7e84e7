/**
 * The parts of undici that connections need. Its index also loads fetch, mocks, caches, web sockets and event sources, and sets
 * the dispatcher of the process. That is three times as many modules, 60 ms of CPU time and 12 MB (undici 8.12.4). undici does not
 * promise these paths, so its version is pinned to the minor, and a test compares the parts with the index.
 */
import type * as undici from "undici";
// @ts-expect-error undici declares its index only
import api from "undici/lib/api/index.js";
// @ts-expect-error undici declares its index only
import connect from "undici/lib/core/connect.js";
// @ts-expect-error undici declares its index only
import agent from "undici/lib/dispatcher/agent.js";
// @ts-expect-error undici declares its index only
import dispatcher from "undici/lib/dispatcher/dispatcher.js";
// @ts-expect-error undici declares its index only
import pool from "undici/lib/dispatcher/pool.js";
// @ts-expect-error undici declares its index only
import proxyAgent from "undici/lib/dispatcher/proxy-agent.js";

// As the index does: this gives dispatchers their method `request`.
Object.assign(dispatcher.prototype, api);

export const Agent: typeof undici.Agent = agent;
export const Pool: typeof undici.Pool = pool;
export const ProxyAgent: typeof undici.ProxyAgent = proxyAgent;
export const buildConnector: typeof undici.buildConnector = connect;
