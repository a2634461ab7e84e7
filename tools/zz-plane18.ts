import { copyFileSync } from "node:fs";
import { startControlPlane } from "/work/w/quota18/tools/controlplane/src/control-plane.ts";
import { prepare } from "/work/w/quota18/tools/e2e/cluster.ts";
const plane = await startControlPlane({ log: console.log, controllers: ["*"] });
const pods = await prepare(plane);
copyFileSync(plane.kubeconfigPath, "/tmp/kc18");
console.log("up", process.pid);
await new Promise((done) => {
  process.on("SIGTERM", done);
  process.on("SIGINT", done);
});
await pods[Symbol.asyncDispose]();
await plane.stop();
