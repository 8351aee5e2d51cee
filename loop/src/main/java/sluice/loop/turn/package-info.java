/// The parts of a loop's turn that are independent of its connections: tasks, time and queues.
package sluice.loop.turn;
