package clients;

import java.util.concurrent.Callable;

/** Runs the steps of a script, and prints one line for each. */
final class Steps {
  private Steps() {}

  interface Body {
    void run() throws Exception;
  }

  static void step(String name, Body body) {
    try {
      body.run();
      System.out.println("ok " + name);
    } catch (Throwable problem) {
      System.out.println("not ok " + name + ": " + String.valueOf(problem).replace('\n', ' '));
    }
  }

  static void same(Object found, Object wanted) {
    if (!wanted.equals(found)) throw new AssertionError("found " + found + ", wanted " + wanted);
  }

  /** Waits at most 20 s. */
  static void until(String what, Callable<Boolean> isTrue) throws Exception {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!isTrue.call()) {
      if (System.nanoTime() > end) throw new AssertionError("not in 20 s: " + what);
      Thread.sleep(50);
    }
  }
}
