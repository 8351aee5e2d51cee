/// The settings of sites and their server, by the names used on the command line and in files:
/// [sluice.host.site.SiteOptions].
@NullMarked
package sluice.host.site;

import org.jspecify.annotations.NullMarked;
