package sluice.nio;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nio.sockets.SocketFactories;
import sluice.sys.sockets.JdkDecisions;

/// The agent of `-javaagent:sluice-agent.jar`, which installs Sluice as the JVM's selector provider
/// without further options. The JVM invokes it on the main thread before the application starts.
///
/// The agent exports `sun.nio.ch` of java.base to its own code and enables native access for the
/// class path, which the manifest of an agent cannot request. This has the same effect as
/// `--add-exports` and `--enable-native-access` on the command line.
public final class Agent {
  static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

  /// The JDK class that is loaded as soon as the JVM has chosen a provider.
  private static final String HOLDER = PROVIDER + "$Holder";

  private Agent() {}

  /// Installs the provider. The JVM calls this method before it starts the application.
  ///
  /// @param arguments not supported; if they are present, a message is printed that refers to the
  ///   system properties that configure the provider
  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    JdkDecisions.begin();
    if (arguments != null && !arguments.isEmpty()) {
      System.err.println(
          "sluice.nio: the agent has no arguments, '"
              + arguments
              + "' is not used. Fix: system properties, such as -D"
              + EngineChoice.ENGINE
              + "=completion");
    }
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
        Map.of("java.lang", us, "java.net", us),
        Set.of(),
        Map.of());
    enableNativeAccess();
    System.setProperty(PROVIDER, ours);
    if (!isLate(instrumentation) && System.getProperty(EngineChoice.STATIC) != null) {
      SocketFactories.install()
          .ifPresent(why ->
              System.err.println(
                  "sluice.nio: no files in front of servers that open a ServerSocket: " + why));
    }
  }

  /// Returns true if the JVM has already chosen another provider, and reports that provider. The
  /// JVM chooses only once, and an agent that ran earlier may have caused the choice. The provider
  /// itself is not queried here because the query would preempt the application's own choice.
  ///
  /// @return true if the JVM has another provider, which is reported
  private static boolean isLate(Instrumentation instrumentation) {
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (loaded.getName().equals(HOLDER)) {
        SelectorProvider taken = SelectorProvider.provider();
        if (!(taken instanceof SluiceSelectorProvider)) {
          System.err.println(
              "sluice.nio: not used, because another agent has made the JVM take "
                  + taken.getClass().getName()
                  + " already. Fix: put -javaagent:sluice-agent.jar before the other agents");
          return true;
        }
      }
    }
    return false;
  }

  /// Enables native access for the class path. If this fails, everything still works, but the JDK
  /// prints a warning that names the option to use.
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
