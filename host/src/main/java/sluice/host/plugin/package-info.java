/// Plug-ins of sites, each in a domain of its own: [sluice.host.plugin.Plugins].
@NullMarked
package sluice.host.plugin;

import org.jspecify.annotations.NullMarked;
