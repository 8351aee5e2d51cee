/// Suites and servers of other people, run on Sluice and compared with the JDK. Not shipped.
@NullMarked
package sluice.acceptance;

import org.jspecify.annotations.NullMarked;
