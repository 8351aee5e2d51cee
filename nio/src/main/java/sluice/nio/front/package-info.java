/// The front of an unmodified application. A loop of Sluice ([sluice.http.FrontServer]) accepts
/// connections on the application's listening sockets, and the application's channels receive the
/// requests that the loop does not answer itself.
@NullMarked
package sluice.nio.front;

import org.jspecify.annotations.NullMarked;
