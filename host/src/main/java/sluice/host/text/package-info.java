/// Texts for terminals and shells: escapes control characters and quotes words.
@NullMarked
package sluice.host.text;

import org.jspecify.annotations.NullMarked;
