/** What a fresh process needs for the package and a first answer; plain JavaScript, so that nothing is translated for it. */
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { createApiServer } = await import("@treadle/apiserver");
const importMs = performance.now() - startedAt;
const server = createApiServer();
const { status } = await server.handle({ method: "GET", path: "/api/v1/namespaces", headers: {} });
if (status !== 200) throw new Error(`the first request was answered with ${status}`);
const readyMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(JSON.stringify({ importMs, readyMs, cpuMs: (user + system) / 1000 }));
await server.close();
