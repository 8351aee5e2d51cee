/// The product as a whole under file system suites, clients and plug-ins of other people, and our
/// tests on another architecture. Not shipped.
@NullMarked
package sluice.acceptance;

import org.jspecify.annotations.NullMarked;
