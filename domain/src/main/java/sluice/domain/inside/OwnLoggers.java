package sluice.domain.inside;

import java.io.PrintStream;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.jspecify.annotations.Nullable;

/// The loggers of one domain, which replace those of the JVM's `LogManager`. Therefore a handler,
/// filter or formatter of the domain never runs when a thread of the host logs a message. Any
/// thread of the domain may call, but not threads of the host.
///
/// ```
///  root ""  handler: the domain's System.err, from INFO
///   ├─ a ── a.b.c        a logger's parent is the nearest with a name that begins its own
///   └─ global
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | byName | threads of the domain | under the lock | under the lock |
public final class OwnLoggers {
  private static final class Own extends Logger {
    Own(@Nullable String name) {
      super(name, null);
    }
  }

  private static final class ToStream extends StreamHandler {
    ToStream(PrintStream stream) {
      super(stream, new SimpleFormatter());
    }

    @Override
    public synchronized void publish(LogRecord record) {
      super.publish(record);
      flush();
    }

    @Override
    public synchronized void close() {
      flush();
    }
  }

  private static final List<Level> LEVELS =
      List.of(
          Level.OFF,
          Level.SEVERE,
          Level.WARNING,
          Level.INFO,
          Level.CONFIG,
          Level.FINE,
          Level.FINER,
          Level.FINEST,
          Level.ALL);

  private final Logger root = new Own("");
  private final TreeMap<String, Logger> byName = new TreeMap<>();

  /// Creates a root logger whose records are written to a stream.
  public OwnLoggers(PrintStream stream) {
    root.setLevel(Level.INFO);
    root.addHandler(new ToStream(stream));
    byName.put("", root);
  }

  /// Replaces `Level.parse`. That method also finds levels created by other parties, and
  /// permanently adds a level for each new number to the same JVM-wide table.
  ///
  /// @throws IllegalArgumentException if the JDK has no such level
  public static Level level(String name) {
    for (Level level : LEVELS) {
      if (name.equals(level.getName())
          || name.equals(level.getLocalizedName())
          || name.equals(Integer.toString(level.intValue()))) {
        return level;
      }
    }
    throw new IllegalArgumentException(
        "Bad level \""
            + name
            + "\". Why: a domain has the levels of the JDK only. Fix: name one, such as INFO");
  }

  /// Returns the logger with the given name, which is created if it does not exist.
  public Logger logger(String name) {
    synchronized (byName) {
      Logger known = byName.get(Objects.requireNonNull(name));
      return known == null ? enter(name, new Own(name)) : known;
    }
  }

  /// Returns the logger with the given name, or null if it does not exist.
  public @Nullable Logger known(String name) {
    synchronized (byName) {
      return byName.get(Objects.requireNonNull(name));
    }
  }

  /// Returns a new logger without a name whose parent is the root logger.
  public Logger anonymous() {
    Logger made = new Own(null);
    made.setParent(root);
    return made;
  }

  /// Adds a logger that the domain has created.
  ///
  /// @return false if a logger with the same name exists
  public boolean add(Logger logger) {
    String name = Objects.requireNonNull(logger.getName());
    synchronized (byName) {
      if (byName.containsKey(name)) {
        return false;
      }
      enter(name, logger);
      return true;
    }
  }

  /// Returns the names of all loggers.
  public Enumeration<String> names() {
    synchronized (byName) {
      return Collections.enumeration(List.copyOf(byName.keySet()));
    }
  }

  private Logger enter(String name, Logger logger) {
    logger.setParent(above(name));
    byName.put(name, logger);
    // Names below begin with this name and a dot; the slash is the character after the dot.
    byName
        .subMap(name + ".", name + "/")
        .forEach((each, below) -> {
          if (above(each) == logger) {
            below.setParent(logger);
          }
        });
    return logger;
  }

  private Logger above(String name) {
    for (int dot = name.lastIndexOf('.'); dot >= 0; dot = name.lastIndexOf('.', dot - 1)) {
      Logger found = byName.get(name.substring(0, dot));
      if (found != null) {
        return found;
      }
    }
    return root;
  }
}
