package sluice.verify;

/// Methods with a bound, all of which the verifier accepts. [MeterTest] also runs each on random
/// arguments.
@SuppressWarnings("all") // odd code on purpose
final class Accepted {
  static final String[] WORDS = {"a", "b"};

  private enum Color {
    RED,
    GREEN
  }

  private sealed interface Shape {}

  private record Square(int side) implements Shape {}

  private record Circle(int radius) implements Shape {}

  private int field;

  static int straight(int a, int b) {
    return a * b + (a > b ? a : b);
  }

  static int forEach(byte[] bytes) {
    int sum = 0;
    for (byte one : bytes) {
      sum += one;
    }
    return sum;
  }

  static int forEachString(String[] words) {
    int sum = 0;
    for (String word : words) {
      sum += word.length();
    }
    return sum;
  }

  static int shiftUntilZero(int x) {
    int n = 0;
    while (x != 0) {
      x >>>= 1;
      n++;
    }
    return n;
  }

  static int shiftLong(long x) {
    int n = 0;
    for (long y = x; y != 0; y >>>= 3) {
      n++;
    }
    return n;
  }

  static int digits(int x) {
    int n = 1;
    while (x >= 10) {
      x /= 10;
      n++;
    }
    return n;
  }

  static int digitsSigned(int x) {
    int n = 0;
    do {
      n++;
      x /= 10;
    } while (x != 0);
    return n;
  }

  static int triangular(int[] a) {
    int sum = 0;
    for (int i = 0; i < 16; i++) {
      for (int j = i; j < 16; j++) {
        sum += i * j;
      }
    }
    return sum + a.length;
  }

  static int twoLimits(byte[] b) {
    int i = 0;
    while (i < b.length && i < 64) {
      if (b[i] == 0) {
        break;
      }
      i++;
    }
    return i;
  }

  static int countdown(byte[] b) {
    int sum = 0;
    for (int i = b.length - 1; i >= 0; i--) {
      sum += b[i];
    }
    return sum;
  }

  static int doWhile(int n) {
    int i = 0;
    do {
      i += 3;
    } while (i < 100 && n > i);
    return i;
  }

  static int nested(int[] a) {
    int sum = 0;
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < 8; j++) {
        sum += a[i] * j;
      }
    }
    return sum;
  }

  static int nestedLengths(int[] a, int[] b) {
    int sum = 0;
    for (int x : a) {
      for (int y : b) {
        sum += x * y;
      }
    }
    return sum;
  }

  static int doubling(int n) {
    int rounds = 0;
    int most = Math.min(n, 1 << 20);
    for (int i = 1; i < most; i *= 2) {
      rounds++;
    }
    return rounds;
  }

  static int longCounter(byte[] b) {
    int sum = 0;
    for (long i = 0; i < b.length; i++) {
      sum += b[(int) i];
    }
    return sum;
  }

  static int byteCounter(int n) {
    int sum = 0;
    for (byte i = 0; i < 100; i++) {
      sum += i * n;
    }
    return sum;
  }

  static int limitedArgument(int n) {
    int most = Math.min(n, 50);
    int sum = 0;
    for (int i = 0; i < most; i++) {
      sum += i;
    }
    return sum;
  }

  static int accessBounds(byte[] b, int from, int to) {
    int hash = 7;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + b[i];
    }
    return hash;
  }

  static int charAtBounds(String s, int from) {
    int i = from;
    while (s.charAt(i) != ' ') {
      i++;
    }
    return i;
  }

  static int skipBlanks(byte[] b) {
    int words = 0;
    int i = 0;
    while (i < b.length) {
      while (i < b.length && b[i] == ' ') {
        i++;
      }
      words++;
      i++;
    }
    return words;
  }

  static int twoPointers(byte[] b) {
    int swaps = 0;
    for (int i = 0, j = b.length - 1; i < j; i++, j--) {
      byte x = b[i];
      b[i] = b[j];
      b[j] = x;
      swaps++;
    }
    return swaps;
  }

  static int steps(byte[] b) {
    int sum = 0;
    int i = 0;
    while (i + 4 <= b.length) {
      sum += b[i] + b[i + 3];
      i += 4;
    }
    return sum;
  }

  static int variableStep(byte[] b, int n) {
    int step = Math.max(1, Math.min(n, 9));
    int sum = 0;
    for (int i = 0; i < b.length; i += step) {
      sum++;
    }
    return sum;
  }

  static int switchInLoop(byte[] b) {
    int sum = 0;
    for (int i = 0; i < b.length; i++) {
      switch (b[i]) {
        case 0:
          sum += 1;
          break;
        case 1:
          sum += 2;
          continue;
        case 100:
          return sum;
        default:
          sum += 3;
      }
    }
    return sum;
  }

  static int stringSwitch(String s) {
    return switch (s) {
      case "one" -> 1;
      case "two" -> 2;
      default -> 3;
    };
  }

  static int caught(byte[] b, int i) {
    try {
      return b[i];
    } catch (ArrayIndexOutOfBoundsException e) {
      return -1;
    }
  }

  static int caughtInLoop(byte[] b, int[] at) {
    int failures = 0;
    for (int i = 0; i < at.length; i++) {
      try {
        failures += b[at[i]];
      } catch (ArrayIndexOutOfBoundsException e) {
        failures++;
      }
    }
    return failures;
  }

  static int finallyBlock(byte[] b, int i) {
    int n = 0;
    try {
      n = b[i];
    } finally {
      n++;
    }
    return n;
  }

  static int thrown(int n) {
    if (n < 0) {
      throw new IllegalArgumentException("negative: " + n);
    }
    return n;
  }

  static int calls(byte[] b) {
    return forEach(b) + twoLimits(b) + thrown(b.length);
  }

  static int callInLoop(byte[] b) {
    int sum = 0;
    for (int i = 0; i < 10; i++) {
      sum += forEach(b);
    }
    return sum;
  }

  static byte[] allocates(int n) {
    byte[] made = new byte[Math.max(0, Math.min(n, 32))];
    for (int i = 0; i < made.length; i++) {
      made[i] = (byte) i;
    }
    return made;
  }

  static int[][] allocatesGrid(int n) {
    return new int[n & 7][4];
  }

  static String concatenates(int n, String s) {
    return "n=" + n + " s=" + s;
  }

  static Runnable lambda(int n) {
    return () -> System.exit(n);
  }

  static Integer boxes(int n) {
    Integer boxed = n;
    return boxed;
  }

  static int sealedCall(int n) {
    Shape shape = n > 0 ? new Square(n) : new Circle(n);
    return shape instanceof Square square ? square.side() : ((Circle) shape).radius();
  }

  static int enumSwitch(int n) {
    Color color = n > 0 ? Color.RED : Color.GREEN;
    return color.ordinal() + color.name().length();
  }

  int fields(int n) {
    field += n;
    return field;
  }

  static int labeled(int[] a) {
    int sum = 0;
    outer:
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < 10; j++) {
        if (a[i] == j) {
          continue outer;
        }
        if (a[i] == -1) {
          break outer;
        }
        sum++;
      }
    }
    return sum;
  }

  static int copies(byte[] a, byte[] b) {
    System.arraycopy(a, 0, b, 0, Math.min(a.length, b.length));
    return a.length;
  }

  static int clones(byte[] a) {
    return a.clone().length;
  }

  static int equalsEach(String[] words, String wanted) {
    for (int i = 0; i < words.length; i++) {
      if (wanted.equals(words[i])) {
        return i;
      }
    }
    return -1;
  }

  private Accepted() {}
}
