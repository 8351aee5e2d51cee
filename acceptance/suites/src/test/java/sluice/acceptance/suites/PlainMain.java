package sluice.acceptance.suites;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/// Ends the JVM when a main method returns, whatever threads it leaves, with 1 when it threw.
/// Started in a JVM of its own.
final class PlainMain {
  private PlainMain() {}

  /// @param arguments the class, then its arguments
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Method main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
    main.setAccessible(true);
    try {
      main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
    } catch (InvocationTargetException e) {
      e.getTargetException().printStackTrace(System.out);
      System.exit(1);
    }
    System.exit(0);
  }
}
