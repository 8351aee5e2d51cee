package sluice.domain.component;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.domain.Scheduling.Kind;

/// Jars that belong together, and what they say of other components. Immutable.
///
/// The code knows neither Sluice nor its neighbours' place: the object of a component is made by
/// the public constructor of [#type], which takes what the component needs, in that order.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 2.4.
///
/// @param name unique among the components that are put together
/// @param jars its classes
/// @param depends names of the components whose classes it uses
/// @param needs names of the interfaces of the services that it is given
/// @param provides the service that it is, or null
/// @param type the class of its object, or null for a library; a `Runnable` that provides nothing
///   is run in a thread
/// @param scheduling what it needs of its domain, or null if it works in any
public record Component(
    String name,
    List<Path> jars,
    List<String> depends,
    List<String> needs,
    @Nullable Provided provides,
    @Nullable String type,
    @Nullable Kind scheduling) {

  /// Copies the lists and checks the name, and that a library neither needs nor provides.
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

  /// A component that works with any scheduling.
  public Component(
      String name,
      List<Path> jars,
      List<String> depends,
      List<String> needs,
      @Nullable Provided provides,
      @Nullable String type) {
    this(name, jars, depends, needs, provides, type, null);
  }

  /// A component without a service: classes that components use.
  public static Component library(String name, List<Path> jars, String... depends) {
    return new Component(name, jars, List.of(depends), List.of(), null, null);
  }

  /// The same with other jars.
  public Component withJars(List<Path> other) {
    return new Component(name, other, depends, needs, provides, type, scheduling);
  }

  /// The same for domains with this scheduling.
  public Component needing(Kind kind) {
    return new Component(name, jars, depends, needs, provides, type, kind);
  }
}
