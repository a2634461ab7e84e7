import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { EventLoopTurn } from "./event-loop-turn.ts";

test("a turn is over after 2 ms of passes of all workers together, and then starts again", async () => {
  // A fake clock's own advance() lets real turns go by.
  let elapsed = 0;
  const turn = new EventLoopTurn({ ...fakeClock(), elapsed: () => elapsed });
  expect(turn.isOver).toBe(false);
  turn.began();
  elapsed += 1.5;
  turn.began();
  expect(turn.isOver).toBe(false);
  elapsed += 0.5;
  expect(turn.isOver).toBe(true);
  await turn.rest();
  expect(turn.isOver).toBe(false);
});

test("if passes take no time, a turn is over after 100 of them", async () => {
  const turn = new EventLoopTurn(fakeClock());
  for (let i = 0; i < 99; i++) turn.began();
  expect(turn.isOver).toBe(false);
  turn.began();
  expect(turn.isOver).toBe(true);
  await turn.rest();
  expect(turn.isOver).toBe(false);
});
