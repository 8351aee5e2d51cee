package sluice.domain.component;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Collection;
import sluice.domain.portal.copy.PortalInterfaces;
import sluice.domain.verdict.MethodBounds;

/// Admits services to the threads of their callers if a verifier finds a bound for each method.
/// Stateless.
final class FastServices {
  private FastServices() {}

  /// Verifies the methods of a service together with all classes of its domain.
  ///
  /// @param jars the jars of the domain
  /// @param made the class of the service's object, which has been initialized
  /// @throws ComponentRefused if a method has no bound or exceeds the limit; the message names the
  ///   method
  static void require(Component component, Collection<Path> jars, Class<?> made, Class<?> type)
      throws IOException, ComponentRefused {
    MethodBounds bounds = MethodBounds.of(jars);
    for (Method method : PortalInterfaces.methods(type)) {
      String refusal = bounds.refusal(made, method);
      if (!refusal.isEmpty()) {
        throw new ComponentRefused(
            "component " + component.name() + ", path = \"fast\"",
            refusal,
            "path = \"service\", or see what sluice verify says of the method");
      }
    }
  }
}
