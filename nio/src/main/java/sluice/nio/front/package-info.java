/// The front of an unmodified application: a loop of Sluice ([sluice.http.FrontServer]) accepts on
/// its listening sockets, and its channels receive the requests that the loop does not answer.
@NullMarked
package sluice.nio.front;

import org.jspecify.annotations.NullMarked;
