/// `PollerDemo`: several ways to serve with and without a `Poller`, and a client.
package sluice.bench.poller;
