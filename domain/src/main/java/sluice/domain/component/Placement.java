package sluice.domain.component;

import java.util.List;
import sluice.domain.DomainConfig;

/// The components that share one domain. Immutable.
///
/// @param config the configuration of the domain, whose class path is derived from the components
/// @param components the names of the components; the components on which they depend are added
public record Placement(DomainConfig config, List<String> components) {
  public Placement {
    components = List.copyOf(components);
  }
}
