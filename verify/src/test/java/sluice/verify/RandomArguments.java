package sluice.verify;

import java.util.random.RandomGenerator;

/// Generates arguments at and around the limits, for methods that are metered.
@SuppressWarnings("NullAway") // null is an argument too
record RandomArguments(RandomGenerator random, int maxLength) {
  private static final int[] INTS = {
    0,
    1,
    -1,
    2,
    3,
    7,
    9,
    10,
    16,
    31,
    32,
    63,
    64,
    99,
    100,
    127,
    128,
    255,
    256,
    1000,
    -2,
    -100,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE - 1,
    Integer.MIN_VALUE + 1
  };

  Object[] of(Class<?>[] types) {
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = of(types[i]);
    }
    return arguments;
  }

  int number() {
    return switch (random.nextInt(3)) {
      case 0 -> INTS[random.nextInt(INTS.length)];
      case 1 -> random.nextInt(-200, 200);
      default -> random.nextInt();
    };
  }

  private int length() {
    return random.nextInt(3) == 0 ? maxLength : random.nextInt(maxLength + 1);
  }

  private Object of(Class<?> type) {
    if (type == int.class) {
      return number();
    }
    if (type == long.class) {
      return random.nextBoolean() ? (long) number() : random.nextLong();
    }
    if (type == byte[].class) {
      byte[] bytes = new byte[length()];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (random.nextBoolean() ? random.nextInt(4) : ' ');
      }
      return bytes;
    }
    if (type == int[].class) {
      return random.ints(length(), -4, 100).toArray();
    }
    if (type == String.class) {
      return text();
    }
    if (type == String[].class) {
      String[] words = new String[length()];
      for (int i = 0; i < words.length; i++) {
        words[i] = text();
      }
      return words;
    }
    return null;
  }

  private String text() {
    return switch (random.nextInt(4)) {
      case 0 -> "one";
      case 1 -> "x".repeat(maxLength);
      default -> "ab c".repeat(random.nextInt(maxLength / 4 + 1));
    };
  }
}
