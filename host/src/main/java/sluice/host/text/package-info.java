/// Formats text for terminals and shells by escaping control characters and quoting words.
@NullMarked
package sluice.host.text;

import org.jspecify.annotations.NullMarked;
