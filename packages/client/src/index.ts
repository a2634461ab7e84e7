export type { CallOptions, Client, DeleteOptions, JsonPatchOperation, ListOptions, Patch, WatchEvent, WatchOptions, WriteOptions } from "./client.ts";
