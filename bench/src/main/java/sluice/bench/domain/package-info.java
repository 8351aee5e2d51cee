/// The cost of domains and portals: `PortalBench`; `WorkMain` is the process that does one work.
package sluice.bench.domain;
