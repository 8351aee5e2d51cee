/// Settings of sites and of their server, by the names that the command line and files have:
/// [sluice.host.site.SiteOptions].
@NullMarked
package sluice.host.site;

import org.jspecify.annotations.NullMarked;
