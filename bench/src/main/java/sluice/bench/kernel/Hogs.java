package sluice.bench.kernel;

import java.math.BigInteger;
import java.util.regex.Pattern;

/// Code that does not release its processor, one class for each reason. Loaded into domains, and
/// run until those end.
@SuppressWarnings("UnusedVariable") // written, so that no compiler removes the work
public final class Hogs {
  private Hogs() {}

  /// A loop, which the gates of a domain stop.
  public static final class Loop implements Runnable {
    private volatile long turns;

    @Override
    public void run() {
      for (long i = 0; i >= 0; i++) {
        turns = i;
      }
    }
  }

  /// A regular expression that tries all ways to match.
  public static final class Regex implements Runnable {
    private volatile boolean found;

    @Override
    public void run() {
      Pattern pattern = Pattern.compile("(x+x+)+y");
      while (true) {
        found |= pattern.matcher("x".repeat(60)).matches();
      }
    }
  }

  /// Code of the JDK without gates, each call of which takes tens of milliseconds.
  public static final class Power implements Runnable {
    private volatile int bits;

    @Override
    public void run() {
      BigInteger base = BigInteger.TWO.pow(1_500_000).subtract(BigInteger.ONE);
      while (true) {
        bits = base.multiply(base).bitLength();
      }
    }
  }

  /// A class initializer, in which no thread can give its carrier to another.
  public static final class Initializer implements Runnable {
    private static final class Endless {
      private static volatile long turns;

      static {
        for (long i = 0; i >= 0; i++) {
          turns = i;
        }
      }

      private Endless() {}
    }

    private volatile long seen;

    @Override
    public void run() {
      seen = Endless.turns;
    }
  }
}
