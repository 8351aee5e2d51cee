package sluice.verify;

import java.lang.reflect.Method;
import java.util.List;

/// Methods without a bound, or with a bound that the verifier must not find. The comment on a line
/// names the reason, and the refusal must name that line.
@SuppressWarnings("all") // odd code on purpose
class RefusedCases {
  static boolean flag;
  RefusedCases next;

  static int forever() {
    int x = 0;
    while (true) { // UNBOUNDED_LOOP
      x++;
    }
  }

  static int argument(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) { // UNBOUNDED_LOOP
      sum += i;
    }
    return sum;
  }

  static int overflows() {
    int i = 0;
    while (i <= Integer.MAX_VALUE) { // UNBOUNDED_LOOP
      i++;
    }
    return i;
  }

  static int addsTheLeast(int n) {
    long least = 7;
    least += Long.MIN_VALUE; // which has no counterpart that could be subtracted
    while (n >= least) { // UNBOUNDED_LOOP
      n >>= 1;
    }
    return n;
  }

  static int stepsOver(int n) {
    int sum = 0;
    for (int i = 0; i < Integer.MAX_VALUE - 3; i += 1000) { // UNBOUNDED_LOOP
      sum += n;
    }
    return sum;
  }

  static int missesEquality() {
    int sum = 0;
    for (int i = 1; i != 100; i += 2) { // UNBOUNDED_LOOP
      sum++;
    }
    return sum;
  }

  static int setsBack(byte[] b) {
    int sum = 0;
    for (int i = 0; i < 100; i++) { // UNBOUNDED_LOOP
      sum += b.length;
      if (sum == 7) {
        i = 0;
      }
    }
    return sum;
  }

  static int setsBackInner(int[] a) {
    int sum = 0;
    for (int i = 0; i < 100; i++) { // UNBOUNDED_LOOP
      for (int j = 0; j < 3; j++) {
        i--;
      }
    }
    return sum;
  }

  static int setsBackInHandler(byte[] b) {
    int i = 0;
    while (i < 10) { // UNBOUNDED_LOOP
      try {
        i++;
        flag = b[i] == 0;
      } catch (RuntimeException e) {
        i = 0;
      }
    }
    return i;
  }

  static int skipsTheStep(byte[] b) {
    int i = 0;
    while (i < 10) { // UNBOUNDED_LOOP
      if (b.length == 1) {
        continue;
      }
      i++;
    }
    return i;
  }

  static int handlerSkipsTheStep(byte[] b) {
    int i = 0;
    while (i < 10) { // UNBOUNDED_LOOP
      try {
        flag = b[5] == 0;
        i++;
      } catch (RuntimeException e) {
        flag = false;
      }
    }
    return i;
  }

  static int retries(byte[] b) {
    while (true) {
      try {
        return b[0]; // UNBOUNDED_LOOP
      } catch (RuntimeException e) {
        flag = true;
      }
    }
  }

  static int testInOneBranch(byte[] b, int n) {
    int i = 0;
    while (true) { // UNBOUNDED_LOOP
      if (n > 3) {
        if (i > 10) {
          return i;
        }
      }
      i++;
    }
  }

  static int wrongDirection() {
    int i = 0;
    while (i < 10) { // UNBOUNDED_LOOP
      i--;
    }
    return i;
  }

  static int zeroStep(byte[] b, int n) {
    int step = Math.min(n, 4);
    int i = 0;
    while (i < b.length) { // UNBOUNDED_LOOP
      i += step;
    }
    return i;
  }

  static int arithmeticShift(int x) {
    while (x != 0) { // UNBOUNDED_LOOP
      x >>= 1;
    }
    return x;
  }

  static int floatCounter() {
    int n = 0;
    for (float f = 0; f < 1e9f; f++) { // UNBOUNDED_LOOP
      n++;
    }
    return n;
  }

  static int movingLimit(byte[] b) {
    int most = 10;
    for (int i = 0; i < most; i++) { // UNBOUNDED_LOOP
      most++;
    }
    return most;
  }

  static int linked(RefusedCases list) {
    int n = 0;
    for (RefusedCases at = list; at != null; at = at.next) { // UNBOUNDED_LOOP
      n++;
    }
    return n;
  }

  static int growingString(String s) {
    String all = "";
    for (int i = 0; i < 10; i++) {
      all = all + s; // LENGTH
    }
    return all.length();
  }

  static int recursive(int n) { // RECURSION
    return n <= 0 ? 0 : 1 + recursive(n - 1);
  }

  static int even(int n) { // RECURSION
    return n == 0 ? 1 : odd(n - 1);
  }

  static int odd(int n) { // RECURSION
    return n == 0 ? 0 : even(n - 1);
  }

  static int callsRefused(int n) {
    return argument(n); // REFUSED_CALLEE
  }

  static void sleeps() throws InterruptedException {
    Thread.sleep(1); // BLOCKING
  }

  static void waits(Object o) throws InterruptedException {
    o.wait(); // BLOCKING
  }

  static int monitor(Object o) {
    synchronized (o) { // MONITOR
      return 1;
    }
  }

  static synchronized int synchronizedMethod() {
    return 1; // MONITOR
  }

  static Object reflects(Method m) throws Exception {
    return m.invoke(null); // REFLECTION
  }

  static native int isNative(); // NATIVE

  static int interfaceCall(List<String> list) {
    return list.size(); // UNKNOWN_CALL
  }

  static int hashes(Object o) {
    return o.hashCode(); // UNKNOWN_CALL
  }

  static String textOf(Object o) {
    return "o=" + o; // UNKNOWN_CALL
  }

  static byte[] allocates(int n) {
    return new byte[n]; // LENGTH
  }

  static int[][] allocatesGrid(int n) {
    return new int[5][n]; // LENGTH
  }

  int overridden() {
    return 1;
  }

  static int virtual(RefusedCases cases) {
    return cases.overridden(); // VIRTUAL_CALL
  }

  static final class Below extends RefusedCases {
    @Override
    int overridden() {
      return recursive(1); // REFUSED_CALLEE
    }
  }

  static int initializes() {
    return Slow.number; // CLASS_INIT
  }

  static final class Slow {
    static int number = argument(1 << 30); // REFUSED_CALLEE
  }

  static long tooMuch(int[] a) {
    long sum = 0; // TOO_MUCH_WORK
    for (int x : a) {
      for (int y : a) {
        for (int z : a) {
          sum += x * y * z;
        }
      }
    }
    return sum;
  }
}
