package sluice.domain;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How a domain is made. Immutable.
///
/// @param name unique among the living domains of this JVM
/// @param classPath jars and directories, searched in this order
/// @param shared beginnings of the names of classes, with dots, that the domain shares with its
///   host: the interfaces of services. They are not translated
/// @param budget what the domain may use
/// @param properties are set in the domain besides a copy of the JVM's
/// @param streams what the domain reads and writes
/// @param cache a directory of translated classes, or null for none
/// @param scheduling how its virtual threads get processors
public record DomainConfig(
    String name,
    List<Path> classPath,
    List<String> shared,
    Budget budget,
    Map<String, String> properties,
    Streams streams,
    @Nullable Path cache,
    Scheduling scheduling) {

  /// What a domain has as `System.in`, `out` and `err`.
  public record Streams(InputStream in, PrintStream out, PrintStream err) {
    /// No input, and the output of the JVM.
    public static Streams ofJvm() {
      return new Streams(InputStream.nullInputStream(), System.out, System.err);
    }
  }

  /// Copies the lists and checks the name, which is shown in messages and names files.
  public DomainConfig {
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "the name of a domain is 1 to 64 of A-Z a-z 0-9 . _ - and not \"" + name + "\"");
    }
    classPath = List.copyOf(classPath);
    shared = List.copyOf(shared);
    properties = Map.copyOf(properties);
  }

  /// With the default budget, nothing shared, no cache.
  public static DomainConfig of(String name, Path... classPath) {
    return new DomainConfig(
        name,
        List.of(classPath),
        List.of(),
        Budget.DEFAULT,
        Map.of(),
        Streams.ofJvm(),
        null,
        Scheduling.DEFAULT);
  }

  /// The same under another name, with other classes.
  public DomainConfig named(String other, List<Path> jars) {
    return new DomainConfig(other, jars, shared, budget, properties, streams, cache, scheduling);
  }

  /// The same with other streams.
  public DomainConfig withStreams(Streams other) {
    return new DomainConfig(name, classPath, shared, budget, properties, other, cache, scheduling);
  }

  /// The same with another budget.
  public DomainConfig withBudget(Budget other) {
    return new DomainConfig(name, classPath, shared, other, properties, streams, cache, scheduling);
  }

  /// The same with other shared classes.
  public DomainConfig withShared(String... other) {
    return new DomainConfig(
        name, classPath, List.of(other), budget, properties, streams, cache, scheduling);
  }

  /// The same with other properties.
  public DomainConfig withProperties(Map<String, String> other) {
    return new DomainConfig(name, classPath, shared, budget, other, streams, cache, scheduling);
  }

  /// The same with a cache.
  public DomainConfig withCache(@Nullable Path directory) {
    return new DomainConfig(
        name, classPath, shared, budget, properties, streams, directory, scheduling);
  }

  /// The same with other scheduling.
  public DomainConfig withScheduling(Scheduling other) {
    return new DomainConfig(name, classPath, shared, budget, properties, streams, cache, other);
  }
}
