/// `PollerDemo`: four ways to serve with a `Poller`, and a client.
package sluice.bench.poller;
