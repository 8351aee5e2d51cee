package sluice.domain.component;

import java.util.List;
import sluice.domain.DomainConfig;

/// Which components are together in one domain. Immutable.
///
/// @param config of the domain; its class path is made from the components'
/// @param components names of those that are in it; what they depend on comes with them
public record Placement(DomainConfig config, List<String> components) {
  public Placement {
    components = List.copyOf(components);
  }
}
