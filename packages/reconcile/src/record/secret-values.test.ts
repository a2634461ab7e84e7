/** Values of Secrets are kept out of texts, whatever their form; other words stay. */
import { inspect } from "node:util";
import { ApiError, isConflict } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { isRetryAfterError, isTerminalError, ReconcileError, RetryAfterError, TerminalError } from "../errors.ts";
import { SecretValues } from "./secret-values.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secretOf = (data: Record<string, string>): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
});
const knowing = (data: Record<string, string>): SecretValues => {
  const values = new SecretValues();
  values.note(secretOf(data));
  return values;
};

describe("a value of six characters or more", () => {
  const values = knowing({ password: "correct horse/battery" });

  test.for([
    { form: "plain", text: "cannot log in with correct horse/battery" },
    { form: "base64", text: `got ${base64("correct horse/battery")} from the server` },
    { form: "base64 without padding", text: `got ${base64("correct horse/battery").replace(/=+$/, "")} here` },
    { form: "URL encoding", text: `https://db/?p=${encodeURIComponent("correct horse/battery")}` },
    { form: "form encoding", text: `p=${encodeURIComponent("correct horse/battery").replaceAll("%20", "+")}` },
    { form: "JSON", text: JSON.stringify({ data: { password: base64("correct horse/battery") } }) },
  ])("is hidden in $form", ({ text }) => {
    const hidden = values.hide(text);
    expect(hidden).toContain("<redacted>");
    expect(hidden).not.toMatch(/correct|horse|battery|Y29ycmVjd/);
  });

  test("is hidden although its key looks harmless, and without a key", () => {
    expect(knowing({ note: "sesame-open" }).hide("sesame-open is wrong")).toBe("<redacted> is wrong");
  });

  test("is hidden with and without the line break at its end", () => {
    expect(knowing({ token: "abcdef-123\n" }).hide("token abcdef-123 expired")).toBe("token <redacted> expired");
  });

  test("hides the longer of two values first", () => {
    expect(knowing({ a: "abcdef", b: "abcdefghi" }).hide("x abcdefghi y abcdef")).toBe("x <redacted> y <redacted>");
  });
});

describe("many values", () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, nth) => [`key${nth}`, `value-${nth}-of-many`]));
  const values = knowing({ ...many, a: "abcdefg", b: "efghijklm", short: "1234" });

  test("are hidden as few are", () => {
    expect(values.hide("value-7-of-many and value-77-of-manyvalue-8-of-many, pin=1234")).toBe(
      "<redacted> and <redacted><redacted>, pin=<redacted>",
    );
    expect(values.hide("value-999-of-many")).toBe("value-999-of-many");
  });

  test("that overlap in a text are hidden whole", () => {
    expect(values.hide("x abcdefghijklm y")).toBe("x <redacted> y");
    expect(knowing({ a: "abcdefg", b: "efghijklm" }).hide("x abcdefghijklm y")).toBe("x <redacted> y");
  });

  test("that are noted later are hidden as well", () => {
    expect(values.hide("later-value")).toBe("later-value");
    values.note(secretOf({ later: "later-value" }));
    expect(values.hide("later-value")).toBe("<redacted>");
  });
});

test("many values with one beginning are hidden in a long text, the longest first", () => {
  const text = Array.from({ length: 1_900 }, (_, nth) => `a-long-common-beginning-${nth}`);
  const values = knowing(Object.fromEntries(text.map((value, nth) => [`key${nth}`, value])));
  const line = `x ${text.join(" ")} a-long-common-beginning y`;
  expect(values.hide(line)).toBe(`x ${text.map(() => "<redacted>").join(" ")} a-long-common-beginning y`);
  values.note(secretOf({ later: "a-long-common-beginning" }));
  expect(values.hide(line)).toBe(`x ${text.map(() => "<redacted>").join(" ")} <redacted> y`);
});

describe("a value that equals a public name", () => {
  const values = new SecretValues(["orders", "shop"]);
  values.note(secretOf({ user: "orders", host: "orders-address", space: "shop\n", password: "orders-hunter2" }));

  test.for(["StatefulSet orders-server", "shop/orders", base64("orders"), "orders"])("is not hidden: %s", (text) => {
    expect(values.hide(text)).toBe(text);
  });

  test.for(["orders-hunter2", base64("orders-hunter2"), "orders-address"])("does not show another value that contains it: %s", (text) => {
    expect(values.hide(`x ${text} y`)).toBe("x <redacted> y");
  });
});

describe("a shorter value", () => {
  const values = knowing({ pin: "1234", user: "bob" });

  test.for([
    { text: '{"pin":"1234"}', want: '{"pin":"<redacted>"}' },
    { text: "pin=1234&x=1", want: "pin=<redacted>&x=1" },
    { text: "X-Pin: 1234", want: "X-Pin: <redacted>" },
    { text: "user=bob, more", want: "user=<redacted>, more" },
  ])("is hidden where it is a whole value: $text", ({ text, want }) => {
    expect(values.hide(text)).toBe(want);
  });

  test.for(["waited 1234 ms", "bobsled", "port=12345", "at 10:1234x"])("is left where it is a part of other text: %s", (text) => {
    expect(values.hide(text)).toBe(text);
  });
});

describe("errors and data", () => {
  test("an error is cleaned with its stack, causes, fields and the errors that it holds", () => {
    const values = knowing({ key: "top-secret-value" });
    const cause = Object.assign(new Error("body: top-secret-value"), { body: { raw: "top-secret-value" } });
    const error = new AggregateError([new Error("one top-secret-value", { cause })], "all: top-secret-value");
    const cleaned = values.hideInError(error) as AggregateError;
    const inner = cleaned.errors[0] as Error & { cause: typeof cause };
    expect([cleaned.message, inner.message, inner.cause.message, inner.cause.body.raw]).toEqual([
      "all: <redacted>",
      "one <redacted>",
      "body: <redacted>",
      "<redacted>",
    ]);
    for (const each of [cleaned, inner, inner.cause]) expect(each.stack).not.toContain("top-secret-value");
  });

  test("an error that cannot be changed, or refers to itself, is not a failure", () => {
    const values = knowing({ key: "top-secret-value" });
    const frozen = Object.freeze(new Error("top-secret-value"));
    const circle = new Error("top-secret-value");
    circle.cause = circle;
    expect(values.hideInError(frozen).message).toBe("<redacted>");
    expect(values.hideInError(circle).message).toBe("<redacted>");
  });

  test("texts at any depth of data are hidden in a copy", () => {
    const values = knowing({ key: "top-secret-value" });
    const data = { a: ["x top-secret-value"], b: { c: "top-secret-value" }, n: 1 };
    expect(values.hideIn(data)).toEqual({ a: ["x <redacted>"], b: { c: "<redacted>" }, n: 1 });
    expect(data.b.c).toBe("top-secret-value");
  });
});

describe("errors whose class says what is to be done", () => {
  const values = knowing({ key: "top-secret-value" });

  test.for([
    { name: "a frozen TerminalError", error: Object.freeze(new TerminalError("top-secret-value")), is: isTerminalError },
    { name: "a RetryAfterError", error: new RetryAfterError("top-secret-value", 5), is: isRetryAfterError },
    {
      name: "an ApiError",
      error: Object.freeze(new ApiError({ message: "top-secret-value", status: 409, reason: "Conflict" })),
      is: isConflict,
    },
  ])("$name stays one", ({ error, is }) => {
    const cleaned = values.hideInError(error);
    expect([is(cleaned), cleaned.message, cleaned instanceof Error]).toEqual([true, "<redacted>", true]);
  });

  test("frozen errors inside an AggregateError, getters and instances of classes are cleaned", () => {
    class Config {
      readonly password = "top-secret-value";
    }
    class Odd extends Error {
      override get message(): string {
        return "top-secret-value";
      }
    }
    const error = new AggregateError([Object.freeze(new Error("top-secret-value")), new Odd()], "");
    const fields = Object.assign(new Error("x"), { config: new Config(), map: new Map([["a", "top-secret-value"]]) });
    const shown = inspect([values.hideInError(error), values.hideInError(fields)], { depth: 9, showHidden: true });
    expect(shown).not.toContain("top-secret-value");
  });

  test("a sentence of the engine is not touched, whatever the values are", () => {
    const error = new ReconcileError("ERR_NOT_RETURNED", "do made a wait and returned nothing");
    expect(knowing({ a: "returned" }).hideInError(error)).toBe(error);
  });
});

test("many large values cost little until a text is hidden, and little then", () => {
  const values = new SecretValues();
  const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`key${i}`, `value-${i}-${"x".repeat(200)}`]));
  values.note(secretOf(data));
  expect(values.hide("nothing of it")).toBe("nothing of it");
});

test("a pass that read no Secret changes nothing", () => {
  const values = new SecretValues();
  const data = { a: "abcdefgh" };
  expect([values.hide("abcdefgh"), values.hideIn(data)]).toEqual(["abcdefgh", data]);
});

test("texts that were made of a Secret are hidden as its values", () => {
  const values = new SecretValues();
  const texts = ["hunter22-long", "abc"];
  values.noteTexts(texts);
  expect(values.hide("login with hunter22-long failed, pin=abc")).toBe("login with <redacted> failed, pin=<redacted>");
  expect(values.hide("abcdef")).toBe("abcdef");
});

test("a value that is the name of the object is no secret, in a name made of it and in base64", () => {
  const values = new SecretValues(["orders-db", "shop"]);
  values.note(secretOf({ user: "orders-db", database: "shop\n", password: "hunter22-long" }));
  const text = `Pod orders-db-server of orders-db in namespace=shop has ${base64("orders-db")}`;
  expect(values.hide(text)).toBe(text);
  expect(values.hide("orders-db")).toBe("orders-db");
  expect(values.hide("orders-db:hunter22-long@shop")).toBe("orders-db:<redacted>@shop");
});
