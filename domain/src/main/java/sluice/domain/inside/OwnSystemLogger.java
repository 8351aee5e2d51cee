package sluice.domain.inside;

import java.util.ResourceBundle;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// A `System.Logger` that uses a logger of the domain. Any thread may call.
///
/// @param logger a logger of [OwnLoggers]
/// @param bundle the bundle for messages without their own bundle, or null
public record OwnSystemLogger(Logger logger, @Nullable ResourceBundle bundle)
    implements System.Logger {
  private static java.util.logging.Level level(Level level) {
    return switch (level) {
      case ALL -> java.util.logging.Level.ALL;
      case TRACE -> java.util.logging.Level.FINER;
      case DEBUG -> java.util.logging.Level.FINE;
      case INFO -> java.util.logging.Level.INFO;
      case WARNING -> java.util.logging.Level.WARNING;
      case ERROR -> java.util.logging.Level.SEVERE;
      case OFF -> java.util.logging.Level.OFF;
    };
  }

  @Override
  public String getName() {
    return logger.getName();
  }

  @Override
  public boolean isLoggable(Level level) {
    return logger.isLoggable(level(level));
  }

  @Override
  public void log(
      Level level, @Nullable ResourceBundle by, @Nullable String text, @Nullable Throwable thrown) {
    logger.logrb(level(level), by == null ? bundle : by, text, thrown);
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle by,
      @Nullable String format,
      @Nullable Object @Nullable ... values) {
    logger.logrb(level(level), by == null ? bundle : by, format, values);
  }
}
