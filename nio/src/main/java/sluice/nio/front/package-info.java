/// Files in front of an unmodified application: its listening sockets are accepted by a loop of
/// ours ([sluice.http.FrontServer]), and its channels get from there what the loop does not answer.
@NullMarked
package sluice.nio.front;

import org.jspecify.annotations.NullMarked;
