/** The channel to `treadle dev`. It does not keep the process alive. */
import { type Envelope, type FromOperator, opened, type ToOperator } from "../messages.ts";

/** The other end of the channel. */
export interface Parent {
  /** Sends a message; `done` is called when it was handed over, or cannot be. */
  send(message: FromOperator, done?: () => void): void;
  /** Calls the listener with each message. */
  listen(listener: (message: ToOperator) => void): void;
}

/** Opens the channel. */
export function channel(): Parent {
  // The program may replace it.
  const send = process.send?.bind(process);
  return {
    send(message, done = () => undefined) {
      if (send === undefined || !process.connected) return done();
      const envelope: Envelope<FromOperator> = { treadleDev: message };
      send(envelope, undefined, {}, done);
    },
    listen(listener) {
      process.on("message", (received) => {
        const message = opened<ToOperator>(received);
        if (message !== undefined) listener(message);
      });
      process.channel?.unref();
    },
  };
}
