package sluice.domain;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The configuration of a domain. Immutable.
///
/// @param name the name, which must be unique among the living domains of this JVM and have 1 to 64
///   characters of `A-Z a-z 0-9 . _ -`
/// @param classPath the jars and directories, which are searched in this order
/// @param shared the prefixes of class names, with dots, that the domain shares with its host, such
///   as the interfaces of services; shared classes are not translated
/// @param budget the resource limits
/// @param properties the system properties to set in addition to a copy of the JVM's properties
/// @param streams the standard streams of the domain
/// @param cache the directory for translated classes, or null for no cache
/// @param scheduling how the virtual threads of the domain share processors
public record DomainConfig(
    String name,
    List<Path> classPath,
    List<String> shared,
    Budget budget,
    Map<String, String> properties,
    Streams streams,
    @Nullable Path cache,
    Scheduling scheduling) {

  /// The standard streams that are visible to a domain as `System.in`, `out` and `err`.
  public record Streams(InputStream in, PrintStream out, PrintStream err) {
    /// Returns empty input and the output streams of the JVM.
    public static Streams ofJvm() {
      return new Streams(InputStream.nullInputStream(), System.out, System.err);
    }
  }

  /// Copies the collections and checks the name, which appears in messages and file names.
  ///
  /// @throws IllegalArgumentException if the name is not valid
  public DomainConfig {
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "the name of a domain is 1 to 64 of A-Z a-z 0-9 . _ - and not \"" + name + "\"");
    }
    classPath = List.copyOf(classPath);
    shared = List.copyOf(shared);
    properties = Map.copyOf(properties);
  }

  /// Returns a configuration with the default budget, no shared classes and no cache.
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

  /// Returns a copy with another name and class path.
  public DomainConfig named(String other, List<Path> jars) {
    return new DomainConfig(other, jars, shared, budget, properties, streams, cache, scheduling);
  }

  /// Returns a copy with other streams.
  public DomainConfig withStreams(Streams other) {
    return new DomainConfig(name, classPath, shared, budget, properties, other, cache, scheduling);
  }

  /// Returns a copy with another budget.
  public DomainConfig withBudget(Budget other) {
    return new DomainConfig(name, classPath, shared, other, properties, streams, cache, scheduling);
  }

  /// Returns a copy with other prefixes of shared classes.
  public DomainConfig withShared(String... other) {
    return new DomainConfig(
        name, classPath, List.of(other), budget, properties, streams, cache, scheduling);
  }

  /// Returns a copy with other properties.
  public DomainConfig withProperties(Map<String, String> other) {
    return new DomainConfig(name, classPath, shared, budget, other, streams, cache, scheduling);
  }

  /// Returns a copy with another cache directory, or without a cache if it is null.
  public DomainConfig withCache(@Nullable Path directory) {
    return new DomainConfig(
        name, classPath, shared, budget, properties, streams, directory, scheduling);
  }

  /// Returns a copy with other scheduling.
  public DomainConfig withScheduling(Scheduling other) {
    return new DomainConfig(name, classPath, shared, budget, properties, streams, cache, other);
  }
}
