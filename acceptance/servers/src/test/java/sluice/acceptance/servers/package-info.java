/// Unmodified servers on Sluice's selectors, one small main class each, and the load that checks
/// every byte they answer. Not shipped.
@NullMarked
package sluice.acceptance.servers;

import org.jspecify.annotations.NullMarked;
