package sluice.domain.component;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Collection;
import sluice.domain.portal.copy.PortalInterfaces;
import sluice.domain.verdict.MethodBounds;

/// Which services may run in their callers' threads because a verifier has found a bound for each
/// of their methods. Stateless.
final class FastServices {
  private FastServices() {}

  /// Verifies the methods of a service with all classes of its domain.
  ///
  /// @param jars of the domain
  /// @param made the class of its object, whose initializer has run
  /// @throws ComponentRefused with the method that has no bound, or one above the limit
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
