/// Texts for terminals and shells: bytes that would steer a terminal are escaped, words quoted.
@NullMarked
package sluice.host.text;

import org.jspecify.annotations.NullMarked;
