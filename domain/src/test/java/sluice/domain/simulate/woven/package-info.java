/// What is simulated: loaded with points at which threads change.
@NullMarked
package sluice.domain.simulate.woven;

import org.jspecify.annotations.NullMarked;
