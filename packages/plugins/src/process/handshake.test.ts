import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { newCertificate } from "../wire/certificate.ts";
import { parseHandshake } from "./handshake.ts";

const { cert } = await newCertificate();
const raw = new X509Certificate(cert).raw.toString("base64").replace(/=+$/, "");

test.for([
  { line: `1|1|unix|/run/a b|grpc|${raw}`, network: "unix", address: "/run/a b" },
  { line: `1|1|tcp|127.0.0.1:10000|grpc|${raw}\r`, network: "tcp", address: "127.0.0.1:10000" },
  { line: `1|1|tcp|[::1]:10000|grpc|${raw}|`, network: "tcp", address: "[::1]:10000" },
  { line: `1|1|unix|/a|grpc|${raw}|false`, network: "unix", address: "/a" },
])("a handshake of $network at $address is read", ({ line, network, address }) => {
  const { cert: read, ...rest } = parseHandshake("pg", line);
  expect(rest).toEqual({ network, address });
  expect(new X509Certificate(read).fingerprint256).toBe(new X509Certificate(cert).fingerprint256);
});

test.for([
  "",
  "|||||",
  "1|1|unix|/a",
  "x|1|unix|/a|grpc|",
  `1|1|unix|a|grpc|${raw}`,
  "1|1|unix||grpc|",
  "1|1|tcp|127.0.0.1.example.com:1|grpc|x",
])("the line %j is refused", (line) => {
  expect(() => parseHandshake("pg", line)).toThrowError(expect.objectContaining({ code: "NotStarted" }));
});
