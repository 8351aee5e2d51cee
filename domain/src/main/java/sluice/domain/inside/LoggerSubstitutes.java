package sluice.domain.inside;

import java.util.Enumeration;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsteadOf.Kind;

/// Substitutes for calls that return loggers of the JVM. Translated code receives loggers of its
/// domain from [OwnLoggers]. Each domain defines a copy, like [Substitutes]. Any thread may call.
public final class LoggerSubstitutes {
  private static final Home HOME = Inside.home(LoggerSubstitutes.class);

  private LoggerSubstitutes() {}

  @InsteadOf("java/util/logging/Logger.getLogger")
  public static Logger logger(String name) {
    return HOME.loggers().logger(name);
  }

  @InsteadOf("java/util/logging/Logger.getLogger")
  public static Logger logger(String name, @Nullable String bundle) {
    return with(bundle, HOME.loggers().logger(name));
  }

  @InsteadOf("java/util/logging/Logger.getAnonymousLogger")
  public static Logger anonymous() {
    return HOME.loggers().anonymous();
  }

  @InsteadOf("java/util/logging/Logger.getAnonymousLogger")
  public static Logger anonymous(@Nullable String bundle) {
    return with(bundle, HOME.loggers().anonymous());
  }

  private static Logger with(@Nullable String bundle, Logger logger) {
    if (bundle != null) {
      ClassLoader loader = LoggerSubstitutes.class.getClassLoader();
      logger.setResourceBundle(ResourceBundle.getBundle(bundle, HOME.locale(), loader));
    }
    return logger;
  }

  /// Returns a system logger that uses the domain's own loggers. The JDK's logger would format the
  /// domain's messages while holding the lock of a handler of the host.
  @InsteadOf("java/lang/System.getLogger")
  public static System.Logger system(String name) {
    return new OwnSystemLogger(HOME.loggers().logger(name), null);
  }

  @InsteadOf("java/lang/System.getLogger")
  public static System.Logger system(String name, ResourceBundle bundle) {
    Objects.requireNonNull(bundle);
    return new OwnSystemLogger(HOME.loggers().logger(name), bundle);
  }

  @InsteadOf("java/util/logging/Logger.getGlobal")
  public static Logger global() {
    return HOME.loggers().logger(Logger.GLOBAL_LOGGER_NAME);
  }

  @InsteadOf(value = "java/util/logging/Logger.global", kind = Kind.FIELD)
  public static Logger globalField() {
    return global();
  }

  @InsteadOf("java/util/logging/Level.parse")
  public static Level level(String name) {
    return OwnLoggers.level(name);
  }

  @InsteadOf(value = "java/util/logging/LogManager.getLogger", kind = Kind.RECEIVER)
  public static @Nullable Logger known(LogManager manager, String name) {
    return HOME.loggers().known(name);
  }

  @InsteadOf(value = "java/util/logging/LogManager.addLogger", kind = Kind.RECEIVER)
  public static boolean add(LogManager manager, Logger logger) {
    return HOME.loggers().add(logger);
  }

  @InsteadOf(value = "java/util/logging/LogManager.getLoggerNames", kind = Kind.RECEIVER)
  public static Enumeration<String> names(LogManager manager) {
    return HOME.loggers().names();
  }
}
