/// The plug-ins of sites, each of which runs in its own domain ([sluice.host.plugin.Plugins]).
@NullMarked
package sluice.host.plugin;

import org.jspecify.annotations.NullMarked;
