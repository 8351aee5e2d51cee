/// The parts of a loop's turn below its connections: tasks, time, queues.
package sluice.loop.turn;
