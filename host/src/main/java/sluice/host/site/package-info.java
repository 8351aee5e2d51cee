/// The settings of sites and their server, which are identified by the names that are used on the
/// command line and in files ([sluice.host.site.SiteOptions]).
@NullMarked
package sluice.host.site;

import org.jspecify.annotations.NullMarked;
