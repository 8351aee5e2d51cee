package sluice.domain.component;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.domain.Scheduling.Kind;

/// A unit of deployment, which consists of jars that belong together and their relations to other
/// components. Immutable.
///
/// The code of a component depends neither on Sluice nor on the placement of other components. The
/// object of a component is created by the public constructor of [#type], whose parameters are the
/// required services in the declared order.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 2.4.
///
/// @param name the name, which must be unique among the combined components and have 1 to 64
///   characters of `A-Z a-z 0-9 . _ -`
/// @param jars the jars that contain its classes
/// @param depends the names of the components whose classes it uses
/// @param needs the interface names of the services that it requires
/// @param provides the service that it provides, or null
/// @param type the class of its object, or null for a library; if it is a `Runnable` that provides
///   no service, it is run in a thread
/// @param scheduling the scheduling that it requires of its domain, or null if it supports any
public record Component(
    String name,
    List<Path> jars,
    List<String> depends,
    List<String> needs,
    @Nullable Provided provides,
    @Nullable String type,
    @Nullable Kind scheduling) {

  /// Copies the lists, checks the name, and checks that a library neither requires nor provides
  /// services.
  ///
  /// @throws IllegalArgumentException if a check fails
  public Component {
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "the name of a component is 1 to 64 of A-Z a-z 0-9 . _ - and not \"" + name + "\"");
    }
    jars = List.copyOf(jars);
    depends = List.copyOf(depends);
    needs = List.copyOf(needs);
    if (type == null && (provides != null || !needs.isEmpty())) {
      throw new IllegalArgumentException(
          "component "
              + name
              + " needs or provides services and names no class. Fix: class ="
              + " \"NAME\"");
    }
  }

  /// Creates a component that supports any scheduling.
  public Component(
      String name,
      List<Path> jars,
      List<String> depends,
      List<String> needs,
      @Nullable Provided provides,
      @Nullable String type) {
    this(name, jars, depends, needs, provides, type, null);
  }

  /// Returns a component without an object, which is a library of classes for other components.
  public static Component library(String name, List<Path> jars, String... depends) {
    return new Component(name, jars, List.of(depends), List.of(), null, null);
  }

  /// Returns a copy with other jars.
  public Component withJars(List<Path> other) {
    return new Component(name, other, depends, needs, provides, type, scheduling);
  }

  /// Returns a copy that requires a domain with the given scheduling.
  public Component needing(Kind kind) {
    return new Component(name, jars, depends, needs, provides, type, kind);
  }
}
