package sluice.domain.component;

import java.util.List;
import sluice.domain.DomainConfig;

/// The components that share one domain. Immutable.
///
/// @param config the configuration of the domain; its class path is made from the components'
/// @param components the names of the components; those that they depend on are added
public record Placement(DomainConfig config, List<String> components) {
  public Placement {
    components = List.copyOf(components);
  }
}
