package sluice.nio;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;

/// What `-javaagent:sluice-agent.jar` does: makes ours the JVM's selector provider, without further
/// options. The JVM's main thread runs it before the application.
///
/// It exports `sun.nio.ch` of java.base to the agent's code, and gives the class path native
/// access, which the manifest of an agent cannot ask for. Both are what `--add-exports` and
/// `--enable-native-access` do on a command line.
public final class Agent {
  static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

  private Agent() {}

  /// Called by the JVM.
  ///
  /// @param arguments none are known; system properties configure the provider
  public static void premain(String arguments, Instrumentation instrumentation) {
    String other = System.getProperty(PROVIDER);
    String ours = SluiceSelectorProvider.class.getName();
    if (other != null && !other.equals(ours)) {
      System.err.println("sluice.nio: not used, because -D" + PROVIDER + " names " + other);
      return;
    }
    Set<Module> us = Set.of(Agent.class.getModule());
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of("sun.nio.ch", us),
        Map.of("java.lang", us),
        Set.of(),
        Map.of());
    enableNativeAccess();
    System.setProperty(PROVIDER, ours);
  }

  /// Without it everything works too, after a warning of the JDK that names the option to give.
  private static void enableNativeAccess() {
    try {
      Method enable = Module.class.getDeclaredMethod("implAddEnableNativeAccessToAllUnnamed");
      enable.setAccessible(true);
      enable.invoke(null);
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      System.err.println(
          "sluice.nio: this JDK wants --enable-native-access=ALL-UNNAMED as well: " + e);
    }
  }
}
