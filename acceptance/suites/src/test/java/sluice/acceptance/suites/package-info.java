/// The JDK's and Netty's own tests of what Sluice replaces, on Sluice and on the JDK. Not shipped.
@NullMarked
package sluice.acceptance.suites;

import org.jspecify.annotations.NullMarked;
