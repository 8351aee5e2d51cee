/// What a loop's turn is made of below its connections: tasks, time, queues.
package sluice.loop.turn;
